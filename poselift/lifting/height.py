"""How tall a person is: estimated from the lifted body, or given by the user and the motion scaled to it.

A camera alone does not tell the size of what it sees: a lifter goes by the body's proportions and by what people
mostly are. So the estimate comes with its spread, and a height that is known makes the motion better.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.skeleton import Skeleton
from poselift.structures import Motion

SHORTEST, TALLEST = 0.5, 2.5
"""Metres; a given height outside is a mistake, most often of the unit."""

STRAIGHT = 0.967
"""Of the way along the body from the ankle to `head_top`: how much higher `head_top` is than the ankles of someone who
stands, whose trunk and neck are never quite straight. Median over the 21 subjects of the CMU corpus's train split who
have skeletons of their own, of the 98th percentile over each one's frames."""

ANKLE = 0.051
"""Of the same way: the ankle's height above the ground, likewise measured where people stand."""

CROWN = 0.047
"""Of the same way: from `head_top` to the crown. The corpus's `head_top` is the end of a bone inside the head, 55 mm
above the ears by the train split, and the top of the head is taken to be 13 cm above them, a round figure for adults.
Legs of 0.491 of the height (Drillis and Contini 1966) would make the sum of the three 1.081 in place of 1.065."""

SPREAD = 0.10
"""Standard deviation of the log of the true height against the estimated one; see benchmarks/robustness.md."""

_LEG = ("hip", "knee", "ankle")
_TRUNK = ("pelvis", "spine", "thorax", "neck_base", "head_top")

GivenHeights = float | Mapping[int, float] | None
"""Standing heights that are known, metres: of everybody, or of some people by number."""


@dataclass(frozen=True)
class Height:
    """Standing height, without shoes.

    Attributes:
        metres: the height.
        spread: one standard deviation of what it may be off, metres; 0 where it was given.
        source: "estimated" or "given".
    """

    metres: float
    spread: float
    source: Literal["estimated", "given"] = "estimated"


def estimate_height(joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton) -> Height:
    """Standing height from the lengths of the body's bones, in whatever pose.

    Adds up the shank, the thigh, the middle of the hips to the pelvis, and from there the trunk, the neck and the
    head, each the median over the frames and the mean of both sides.

    Args:
        joints: metres, relative to any point; NaN where not known.
        skeleton: the joint set of `joints`: Human3.6M-17, or another with its joints.

    Raises:
        InputError: the joint set lacks a joint along the body, or no frame has all of them.
    """
    metres = (STRAIGHT + ANKLE + CROWN) * _along_body(joints, skeleton)
    return Height(metres, SPREAD * metres)


def check_height(metres: float) -> float:
    """A given height, where it can be a person's.

    Raises:
        InputError: it cannot.
    """
    if not SHORTEST <= metres <= TALLEST:
        raise InputError(f"a height of {metres:g} m is nobody's; give {SHORTEST:g} to {TALLEST:g} metres")
    return metres


def scale_to_height(motion: Motion, metres: float) -> Motion:
    """The motion of the same pictures by someone of the given height.

    Joints, root and radii are scaled alike about the camera: every joint stays on its ray.

    Args:
        motion: in the camera frame, of a joint set as for `estimate_height`.
        metres: the standing height.

    Raises:
        InputError: the height cannot be a person's, or as for `estimate_height`.
    """
    scale = check_height(metres) / estimate_height(motion.joints, motion.skeleton).metres

    def scaled(lengths: np.ndarray) -> np.ndarray:
        return (lengths * scale).astype(lengths.dtype)

    uncertainty = None if motion.uncertainty is None else scaled(motion.uncertainty)
    return replace(motion, joints=scaled(motion.joints), root=scaled(motion.root), uncertainty=uncertainty)


def with_height(motion: Motion, metres: float | None) -> tuple[Motion, Height | None]:
    """A motion in the camera frame at a given height, or as it is with the height that it shows.

    Args:
        motion: of the lifter.
        metres: the standing height; None where it is not known.

    Returns:
        The motion, and its height: None where none was given and none can be told, as the motion is empty or of a
        joint set without some of the body.

    Raises:
        InputError: the height cannot be a person's, or the motion's joint set does not allow to scale to it.
    """
    if metres is None:
        try:
            return motion, estimate_height(motion.joints, motion.skeleton)
        except InputError:
            return motion, None
    given = Height(check_height(metres), 0.0, "given")
    if np.isnan(motion.joints).all():
        return motion, given
    return scale_to_height(motion, metres), given


def height_of(person: int, given: GivenHeights) -> float | None:
    """The height that was given of a person, metres; None where none was."""
    return given.get(person) if isinstance(given, Mapping) else given


def check_heights(given: GivenHeights) -> None:
    """Looks at all heights that were given.

    Raises:
        InputError: one of them cannot be a person's.
    """
    if given is not None:
        for metres in given.values() if isinstance(given, Mapping) else [given]:
            check_height(metres)


def _along_body(joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton) -> float:
    """The way along the body from the ankles to `head_top`, metres; see `estimate_height`."""
    needed = [*_TRUNK, *(f"{side}_{joint}" for side in ("left", "right") for joint in _LEG)]
    lacking = [joint for joint in needed if joint not in skeleton.joints]
    if lacking:
        raise InputError(f"joint set {skeleton.name} has no {', '.join(lacking)}: no height can be told from it")
    points = joints[:, skeleton.indices(needed)]
    points = points[np.isfinite(points).all((1, 2))]
    if len(points) == 0:
        raise InputError("in no frame is the whole body known: no height can be told")
    place = dict(zip(needed, points.swapaxes(0, 1), strict=True))
    place["hips"] = 0.5 * (place["left_hip"] + place["right_hip"])

    def length(start: str, end: str) -> float:
        return float(np.median(np.linalg.norm(place[start] - place[end], axis=-1)))

    legs = sum(length(f"{side}_{a}", f"{side}_{b}") for side in ("left", "right") for a, b in pairwise(_LEG))
    return legs / 2 + length("hips", "pelvis") + sum(length(a, b) for a, b in pairwise(_TRUNK))
