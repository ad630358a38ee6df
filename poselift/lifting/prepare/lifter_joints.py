"""The lifter's own input joints, of a detector's."""

import numpy as np
from jaxtyping import Float

from poselift.lifting.prepare.pelvis import hide_misread_pelvis
from poselift.skeleton import Pelvis, Skeleton, convert
from poselift.structures import Keypoints2D

_RARELY = 0.05
"""Least share of frames in which a joint must be seen for its bone's length to be measured."""


def select_lifter_joints(
    keypoints: Keypoints2D, skeleton: Skeleton, threshold: float, pelvis: Pelvis | None
) -> tuple[Float[np.ndarray, "t j 2"], Float[np.ndarray, "t j"]]:
    """Pixels and scores of the lifter's joints; NaN and 0 for those that the detector lacks.

    Args:
        keypoints: of one person, in any skeleton. No joint is derived from others.
        skeleton: the lifter's input joints.
        threshold: keypoints with a lower score are not used.
        pelvis: where the lifter's pelvis lies (`poselift.lifting.prepare.pelvis`).
    """
    used = keypoints.used(threshold)
    values = np.concatenate((keypoints.keypoints, keypoints.scores[..., None]), -1)
    found = convert(values, keypoints.skeleton, skeleton, used)
    known = found.mask & ~found.derived
    pixels = np.where(known[..., None], found.values[..., :2], np.nan).astype(np.float32)
    scores = np.where(known, found.values[..., 2], 0.0).astype(np.float32)
    return pixels, hide_misread_pelvis(pixels, scores, skeleton, pelvis)


def rarely_seen_joints(scores: Float[np.ndarray, "t j"], skeleton_in: Skeleton, skeleton_out: Skeleton) -> list[str]:
    """Joints that are hardly ever seen, of those that go in and come out."""
    both = [name for name in skeleton_out.joints if name in skeleton_in.joints]
    if not len(scores):
        return []
    shares = (scores[:, skeleton_in.indices(both)] > 0).mean(0)
    return [name for name, share in zip(both, shares, strict=True) if share < _RARELY]
