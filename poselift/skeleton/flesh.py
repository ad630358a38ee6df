"""How thick a drawn body is: our own guess.

A motion has only joints.

Half widths in metres of somebody 1.47 m tall from the ankles to the top of the head. A profile is (place, across, front
to back); place 0.5 is half way between the part's first joint and its second.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import AnyArray

TALL = 1.47
"""Metres from the ankles to the top of the head, along Y, of the body that has these widths."""


class Station(NamedTuple):
    """Half widths of a part at a place along its joints."""

    place: float
    across: float
    ahead: float


Profile = tuple[Station, ...]


def _profile(*rows: tuple[float, AnyArray, AnyArray]) -> Profile:
    return tuple(Station(*row) for row in rows)


LEG = _profile((0.0, 0.088, 0.088), (0.5, 0.074, 0.076), (1.0, 0.054, 0.057), (1.35, 0.053, 0.058), (2.0, 0.036, 0.038))
ARM = _profile((0.0, 0.052, 0.055), (0.4, 0.044, 0.046), (1.0, 0.036, 0.038), (1.35, 0.036, 0.038), (2.0, 0.025, 0.022))
HAND = _profile((0.0, 0.025, 0.022), (0.5, 0.042, 0.019), (1.0, 0.025, 0.013))
PALM = _profile((0.0, 0.025, 0.018), (0.35, 0.036, 0.017), (1.0, 0.044, 0.013))
FINGER = _profile((0.0, 0.0105, 0.0105), (1.5, 0.0085, 0.0085), (3.0, 0.006, 0.006))
FOOT = _profile((0.0, 0.034, 0.034), (0.35, 0.038, 0.034), (0.8, 0.046, 0.024), (1.0, 0.038, 0.018))
NECK = _profile((0.0, 0.056, 0.058), (1.0, 0.052, 0.056))
HEAD = _profile((0.0, 0.05, 0.06), (0.45, 0.072, 0.09), (1.0, 0.056, 0.07))

CORNERS = (0.058, 0.058, 0.07, 0.07)
"""Radii around both shoulders and both hips, of a trunk between four balls."""

_BONES = {
    "knee": (LEG, 0.5, 1.0),
    "ankle": (LEG, 1.5, 2.0),
    "elbow": (ARM, 0.5, 1.0),
    "wrist": (ARM, 1.5, 2.0),
    "hand": (HAND, 0.5, 1.0),
    "toe": (FOOT, 0.5, 1.0),
    "heel": (FOOT, 0.0, 0.0),
    "neck_base": (NECK, 0.0, 1.0),
    "head": (HEAD, 0.45, 0.45),
}
"""The profile of each bone by its end, and where it is as thick as a capsule for it at both ends. A limb's own start is
within the part before."""

_PLAIN = {
    "nose": (0.035, 0.025),
    "cmc": (0.014, 0.012),
    "mcp": (0.014, 0.011),
    **dict.fromkeys(("ip", "pip", "dip", "tip"), (0.009, 0.008)),
}
_USUAL = (0.034, 0.034)
"""Radii at both ends for a bone to any other joint, metres."""


def trunk_profile(hips: Float[AnyArray, ""], shoulders: Float[AnyArray, ""]) -> Profile:
    """The trunk's profile, from hips by spine to shoulders.

    Its ends are the middles of the hips and of the shoulders.

    Args:
        hips: half the distance between the hips, metres.
        shoulders: half the distance between the shoulders, metres.
    """
    return _profile(
        (0.0, hips + 0.045, 0.1),
        (0.8, hips + 0.035, 0.095),
        (1.5, 0.95 * shoulders, 0.11),
        (1.8, 1.02 * shoulders, 0.09),
        (2.0, 0.88 * shoulders, 0.07),
    )


def capsule_radii(part: str) -> tuple[float, float]:
    """Radii at both ends of the capsule for a bone, metres.

    Args:
        part: name of the joint at the bone's end, or "head".
    """
    word = part if part in _BONES else part.split("_")[-1]
    if word not in _BONES:
        return _PLAIN.get(word, _USUAL)
    profile, *places = _BONES[word]
    along, across, ahead = np.array(profile).T
    start, end = np.interp(places, along, np.sqrt(across * ahead)).tolist()
    return start, end
