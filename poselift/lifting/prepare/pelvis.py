"""Where the pelvis lies, by the source of the keypoints.

It lies between the hips for detectors, and at the base of the spine in some motion capture. To a lifter that has its
pelvis at the base of the spine, a keypoint between the hips belongs to another body, and moves the arms and legs too.
The lifter's card says where its pelvis lies (`Weights.pelvis`).
"""

import numpy as np
from jaxtyping import Float

from poselift.skeleton import Pelvis, Skeleton

BETWEEN_HIPS = 0.1
"""Largest distance of a pelvis between the hips from their middle, in trunk lengths. CMU's lies 0.2 away."""

_TRUNK = ("left_hip", "right_hip", "left_shoulder", "right_shoulder")


def pelvis_offset(points: Float[np.ndarray, "t j c"], skeleton: Skeleton) -> float:
    """Distance from mid-hips to pelvis, in trunk lengths.

    A trunk is as long as the line from the middle of the hips to the middle of the shoulders.

    Args:
        points: one person's joints in the picture or in space; NaN where unknown.
        skeleton: of `points`.

    Returns:
        The median over the frames; NaN where no frame has all these joints.
    """
    if not {"pelvis", *_TRUNK} <= set(skeleton.joints):
        return np.nan
    left_hip, right_hip, left_shoulder, right_shoulder = (points[:, skeleton.index(joint)] for joint in _TRUNK)
    hips, shoulders = (left_hip + right_hip) / 2, (left_shoulder + right_shoulder) / 2
    offset = np.linalg.norm(points[:, skeleton.index("pelvis")] - hips, axis=-1)
    trunk = np.linalg.norm(shoulders - hips, axis=-1)
    known = np.isfinite(offset) & (trunk > 0)
    return float(np.median(offset[known] / trunk[known])) if known.any() else np.nan


def hide_misread_pelvis(
    pixels: Float[np.ndarray, "t j 2"], scores: Float[np.ndarray, "t j"], skeleton: Skeleton, pelvis: Pelvis | None
) -> Float[np.ndarray, "t j"]:
    """Scores with 0 for a pelvis that the lifter would misread.

    Args:
        pixels: one person's keypoints.
        scores: of the same joints; 0 where a joint was not seen.
        skeleton: of both.
        pelvis: where the lifter's own pelvis lies, as its card says: "spine", "hips", or None if unknown. A keypoint
            between the hips is hidden from a lifter of "spine" only.
    """
    if pelvis != "spine":
        return scores
    seen = np.where(scores[..., None] > 0, pixels, np.nan)
    if not pelvis_offset(seen, skeleton) < BETWEEN_HIPS:
        return scores
    return np.where(np.array(skeleton.joints) == "pelvis", np.zeros_like(scores), scores)
