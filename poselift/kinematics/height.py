"""Standing height: estimated from the body, or given for scaling.

A single camera does not show the size of things: a lifter knows it from the proportions of the body and from usual
heights. So an estimate comes with its spread, and a given height improves the motion.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.unchecked import replace_unchecked
from poselift.kinematics.child_proportions import is_childlike
from poselift.kinematics.whole_body import CHILD_SIZE, SIZE, body_share, change_share
from poselift.skeleton import Skeleton
from poselift.structures import Height, Motion

SHORTEST, TALLEST = 0.5, 2.5
"""Accepted heights, metres: others are mistakes, mostly of the unit."""

STRAIGHT = 0.967
"""Height of `head_top` over the ankles of a standing person, as a share of the length along the body between them:
trunk and neck are never quite straight. Median over the 21 subjects of the CMU corpus's train split with their own
skeleton, of the 98th percentile over the frames of each one."""

ANKLE = 0.051
"""Height of the ankle above the ground, as a share of the same length, measured in the same way."""

CROWN = 0.047
"""Distance from `head_top` to the crown, as a share of the same length. The corpus's `head_top` is the end of a bone in
the head, 55 mm above the ears in the train split. The crown is assumed 13 cm above the ears, a round figure for adults.
Legs of 0.491 of the height (Drillis and Contini 1966) would make the sum of the three shares 1.081 instead of 1.065."""

SPREAD = 0.10
"""Standard deviation of log(true height / estimated height); see benchmarks/robustness.md."""

_LEG = ("hip", "knee", "ankle")
_TRUNK = ("pelvis", "spine", "thorax", "neck_base", "head_top")

GivenHeights = float | Mapping[int, float] | None
"""Known standing heights, metres: one for everybody, or by person's number; None if unknown."""


def estimate_height(joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton) -> Height:
    """Standing height from bone lengths, in any pose.

    Adds up the lengths along the body: shank, thigh, middle of the hips to the pelvis, trunk, neck and head. Each is
    the median over the frames and the mean of both sides.

    Args:
        joints: metres, relative to any point; NaN where unknown.
        skeleton: skeleton of `joints`: Human3.6M-17, or another one with its joints.

    Raises:
        InputError: the skeleton lacks a joint along the body, or no frame has all of them.

    Example:
        >>> from poselift.skeleton import H36M17
        >>> along = {"pelvis": 0.9, "knee": 0.5, "ankle": 0.08, "hip": 0.9, "spine": 1.1, "thorax": 1.4}
        >>> along |= {"neck_base": 1.5, "head_top": 1.65}
        >>> heights = [along.get(name.removeprefix("left_").removeprefix("right_"), 1.4) for name in H36M17.joints]
        >>> joints = np.zeros((1, 17, 3))
        >>> joints[0, :, 1] = heights
        >>> round(estimate_height(joints, H36M17).metres, 2)
        1.67
    """
    metres = (STRAIGHT + ANKLE + CROWN) * _along_body(joints, skeleton)
    return Height(metres, SPREAD * metres)


def check_height(metres: float) -> float:
    """The given height, checked.

    Raises:
        InputError: no person has this height.
    """
    if not SHORTEST <= metres <= TALLEST:
        raise InputError(f"a height of {metres:g} m is not a person's; give {SHORTEST:g} to {TALLEST:g} metres")
    return metres


def enlarge(motion: Motion, scale: float, height: Height | None = None, share: float | None = None) -> Motion:
    """The motion scaled about the camera.

    That changes joints, root, uncertainty and height.

    Args:
        motion: in the camera frame.
        scale: 1 leaves it as it is.
        height: of the result; its own, scaled if estimated, if None.
        share: `body_share` of the result; its own if None.
    """

    def scaled(lengths: np.ndarray) -> np.ndarray:
        return (lengths * scale).astype(lengths.dtype)

    joints = scaled(motion.joints)
    uncertainty, own_share = motion.uncertainty, motion.body_share
    if uncertainty is not None:
        uncertainty = scaled(uncertainty)
        if share is not None:
            uncertainty, own_share = change_share(uncertainty, joints, own_share, share), share
    if height is None and motion.height is not None:
        own = motion.height
        height = replace(own, metres=scale * own.metres) if own.origin == "estimated" else own
    return replace_unchecked(
        motion,
        joints=joints,
        root=scaled(motion.root),
        uncertainty=uncertainty,
        height=height,
        body_share=own_share,
    )


def take_height(motion: Motion, metres: float | None) -> Motion:
    """The motion scaled to a given height, or with its estimated height.

    Joints, root and uncertainty are scaled about the camera, so every joint stays on its ray. Then the uncertainty gets
    what the body's size and tilt leave open: most for a child's proportions, nothing for a size that was given.

    Args:
        motion: in the camera frame.
        metres: the standing height; None if unknown.

    Returns:
        The motion with its `height`, which is None if it can neither be taken nor estimated: the motion is empty, or
        the skeleton lacks joints along the body.

    Raises:
        InputError: no person has this height, or the skeleton of the motion lacks joints along the body.
    """
    height, scale, size = None, 1.0, SIZE
    if metres is not None:
        height = Height(check_height(metres), 0.0, "given")
        if not np.isnan(motion.joints).all():
            scale, size = metres / estimate_height(motion.joints, motion.skeleton).metres, 0.0
    else:
        with suppress(InputError):
            height = estimate_height(motion.joints, motion.skeleton)
        if height is not None and is_childlike(motion, height):
            height, size = replace(height, spread=CHILD_SIZE * height.metres), CHILD_SIZE
    return enlarge(motion, scale, height, body_share(size))


def has_given_height(motion: Motion) -> bool:
    """Whether somebody gave the person's height."""
    return motion.height is not None and motion.height.origin == "given"


def height_of(person: int, given: GivenHeights) -> float | None:
    """The given height of a person, metres; None if unknown."""
    return given.get(person) if isinstance(given, Mapping) else given


def check_heights(given: GivenHeights) -> None:
    """Checks all given heights.

    Raises:
        InputError: no person has one of them.
    """
    if given is not None:
        for metres in given.values() if isinstance(given, Mapping) else [given]:
            check_height(metres)


def check_chosen(people: Sequence[int] | None, height: GivenHeights) -> None:
    """Checks the chosen people and their heights, before the long work.

    Raises:
        InputError: nobody has such a number or height, or a height is of somebody who is not chosen.
    """
    check_heights(height)
    for number in [*(people or []), *(height if isinstance(height, Mapping) else [])]:
        if number < 1:
            raise InputError(f"there is no person {number}; people are numbered from 1, in order of appearance")
    if people is not None and isinstance(height, Mapping):
        unchosen = [str(number) for number in height if number not in people]
        if unchosen:
            raise InputError(f"a height is given for person {', '.join(unchosen)}, who is not chosen; choose them too")


def _along_body(joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton) -> float:
    """Length along the body from the ankles to `head_top`, metres."""
    needed = [*_TRUNK, *(f"{side}_{joint}" for side in ("left", "right") for joint in _LEG)]
    lacking = [joint for joint in needed if joint not in skeleton.joints]
    if lacking:
        raise InputError(f"the height of {skeleton.name} cannot be estimated: it has no {', '.join(lacking)}")
    points = joints[:, skeleton.indices(needed)]
    points = points[np.isfinite(points).all((1, 2))]
    if len(points) == 0:
        raise InputError("the height cannot be estimated: no frame has all joints along the body")
    place = dict(zip(needed, points.swapaxes(0, 1), strict=True))
    place["hips"] = 0.5 * (place["left_hip"] + place["right_hip"])

    def length(start: str, end: str) -> float:
        return float(np.median(np.linalg.norm(place[start] - place[end], axis=-1)))

    legs = sum(length(f"{side}_{a}", f"{side}_{b}") for side in ("left", "right") for a, b in pairwise(_LEG))
    return legs / 2 + length("hips", "pelvis") + sum(length(a, b) for a, b in pairwise(_TRUNK))
