"""Where the pelvis is: detectors have it between the hips, some motion capture where the spine begins."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from poselift.skeleton import Skeleton

_BETWEEN = 0.1
"""Lengths of the trunk from the middle of the hips within which a pelvis is between them; the CMU corpus has it 0.2 off
(benchmarks/robustness.md)."""

_TRUNK = ("left_hip", "right_hip", "left_shoulder", "right_shoulder")


def pelvis_off(points: Float[np.ndarray, "t j c"], skeleton: Skeleton) -> float:
    """How far the pelvis is from the middle of the hips, in lengths of the trunk from there to the shoulders' middle.

    Args:
        points: of one person, in the picture or in space; NaN where not known.
        skeleton: their joint set.

    Returns:
        The median over the frames; NaN where no frame has all of these joints.
    """
    if "pelvis" not in skeleton.joints or not set(_TRUNK) <= set(skeleton.joints):
        return np.nan
    left_hip, right_hip, left_shoulder, right_shoulder = (points[:, skeleton.index(joint)] for joint in _TRUNK)
    hips, shoulders = (left_hip + right_hip) / 2, (left_shoulder + right_shoulder) / 2
    off = np.linalg.norm(points[:, skeleton.index("pelvis")] - hips, axis=-1)
    trunk = np.linalg.norm(shoulders - hips, axis=-1)
    known = np.isfinite(off) & (trunk > 0)
    return float(np.median(off[known] / trunk[known])) if known.any() else np.nan


def _between_hips(pixels: Float[np.ndarray, "t j 2"], scores: Float[np.ndarray, "t j"], skeleton: Skeleton) -> bool:
    """Whether the keypoint of the pelvis is between those of the hips; not where that cannot be told."""
    return pelvis_off(np.where(scores[..., None] > 0, pixels, np.nan), skeleton) < _BETWEEN


def without_strange_pelvis(
    pixels: Float[np.ndarray, "t j 2"],
    scores: Float[np.ndarray, "t j"],
    skeleton: Skeleton,
    lift: Callable[[Float[np.ndarray, "t j"]], Float[np.ndarray, "n k 3"]],
    skeleton_own: Skeleton,
) -> Float[np.ndarray, "t j"]:
    """The scores, 0 for a pelvis between the hips where the lifter's own is elsewhere.

    To such a lifter it is a keypoint of another body, and moves arms and legs too.

    Args:
        pixels: of one person.
        scores: of the same joints; 0 where not seen.
        skeleton: their joint set.
        lift: gives what the lifter gives of some frames where the scores are these, in which the pelvis is hidden. It
            is only called where the keypoint is between the hips.
        skeleton_own: the joint set of that.
    """
    if not _between_hips(pixels, scores, skeleton):
        return scores
    hidden = np.where(np.array(skeleton.joints) == "pelvis", np.zeros_like(scores), scores)
    return hidden if pelvis_off(lift(hidden), skeleton_own) > _BETWEEN else scores
