"""Whether a body has a child's proportions: a large head.

A picture does not show the size of things, and lifters learn from adults, so they take children for adults. The head
grows early: at ten years it has 94 % of an adult's breadth on 79 % of the height (Snyder et al. 1977, Anthropometry of
infants, children, and youths to age 18 for product safety design). The lifted body keeps a part of this difference.
"""

import numpy as np

from poselift.structures import Height, Motion

LARGE_HEAD = 1.07
"""Size of the head beside the body, relative to an adult's, from which on a body is a child's; chosen on six children
and 24 adults under virtual cameras (docs/uncertainty.md)."""

_HEAD = {("left_ear", "right_ear"): 0.0901, ("nose", "neck_base"): 0.0785}
"""Lengths of the lifted head, as shares of the estimated height of adults: medians over those 24."""

_FACE = ("nose", "left_ear", "right_ear")


def head_size(motion: Motion, height: Height | None) -> float:
    """Size of the head beside the body, relative to an adult's.

    Args:
        motion: with all joints of the lifter.
        height: of the motion.

    Returns:
        1 for adults on average; NaN if no keypoint shows the face, or the height or a joint of the head is unknown.
    """
    joints = motion.skeleton.joints
    named = {joint for pair in _HEAD for joint in pair}
    if height is None or not named <= set(joints) or not _shows_face(motion):
        return float("nan")
    ratios = []
    for pair, usual in _HEAD.items():
        start, end = (motion.joints[:, joints.index(joint)] for joint in pair)
        lengths = np.linalg.norm(start - end, axis=-1)
        if not np.isfinite(lengths).any():
            return float("nan")
        ratios.append(float(np.nanmedian(lengths)) / (usual * height.metres))
    return sum(ratios) / len(ratios)


def is_childlike(motion: Motion, height: Height | None) -> bool:
    """Whether the body has a child's proportions and nobody gave its height.

    Args:
        motion: with all joints of the lifter.
        height: of the motion.
    """
    unknown = height is not None and height.origin == "estimated"
    return unknown and head_size(motion, height) > LARGE_HEAD


def _shows_face(motion: Motion) -> bool:
    """Whether keypoints show a joint of the face."""
    keypoints = motion.keypoints
    columns = [column for column, joint in enumerate(keypoints.skeleton.joints) if joint in _FACE]
    return bool(keypoints.used(motion.threshold)[:, columns].any())
