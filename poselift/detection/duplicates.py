"""One detection per person: joins two passes, and drops duplicates."""

import numpy as np
from jaxtyping import Bool, Float, UInt8

from poselift.detection.outside import hide_outside
from poselift.skeleton import Skeleton
from poselift.structures import Detections

_BIG = 0.4
"""Least longer side of large people, as a share of the picture's; the fine pass fails on them."""
_INSIDE = 0.8
_OVERLAP = 0.5
_MATCH = 0.1
"""Side of the square in which two joints match, as a share of the longer side of the person's box."""


SIGMA_SCORE, SIGMA_DISTANCE, SPATIAL = 0.7, 0.02, 0.25
"""Of the pose NMS, chosen on synthetic scenes (benchmarks/tracking.md), where the paper uses real ones: scale of joint
scores relative to the pose's highest; of squared distances, in those of the longer side of the person's box; and weight
of the distances of joints against the number of matches."""
ALIKE = 0.3125
"""Least similarity of two detections of one person, chosen likewise."""


def overlap(a: Float[np.ndarray, "n 4"], b: Float[np.ndarray, "m 4"]) -> Float[np.ndarray, "n m"]:
    """Common area of two boxes over the area of the smaller one."""
    shared, first, second = _areas(a, b)
    return shared / np.maximum(np.minimum(first, second), 1e-9)


def intersection_over_union(a: Float[np.ndarray, "n 4"], b: Float[np.ndarray, "m 4"]) -> Float[np.ndarray, "n m"]:
    """Common area of two boxes over the area of both."""
    shared, first, second = _areas(a, b)
    return shared / np.maximum(first + second - shared, 1e-9)


def _areas(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shared areas of boxes (n, m), and their own. (n, 1) and (m,)."""
    low, high = np.maximum(a[:, None, :2], b[:, :2]), np.minimum(a[:, None, 2:], b[:, 2:])
    first, second = ((boxes[:, 2:] - boxes[:, :2]).prod(-1) for boxes in (a, b))
    return np.clip(high - low, 0, None).prod(-1), first[:, None], second


def join_passes(
    coarse: Float[np.ndarray, "n 4"], fine: Float[np.ndarray, "m 4"], longer_side: int
) -> tuple[Bool[np.ndarray, " n"], Bool[np.ndarray, " m"]]:
    """Which detections of a coarse and of a fine pass to keep.

    In the fine pass, large people exceed the sizes of the network's training data, and their limbs or halves are
    detected as people. So large people are taken from the coarse pass, and detections of the fine pass inside their
    boxes are dropped. All others are taken from the fine pass; the coarse pass adds those that the fine pass missed.

    Args:
        coarse: boxes of the coarse pass, in pixels of the original picture.
        fine: boxes of the fine pass, likewise.
        longer_side: longer side of the original picture, pixels.

    Returns:
        Whether to keep each of `coarse`, and each of `fine`.
    """
    big = (coarse[:, 2:] - coarse[:, :2]).max(-1) > _BIG * longer_side
    shared = overlap(coarse, fine)
    keep_fine = ~(big[:, None] & (shared > _INSIDE)).any(0)
    keep_coarse = big | ~((shared > _OVERLAP) & keep_fine).any(1)
    return keep_coarse, keep_fine


def pose_similarity(
    keypoints: Float[np.ndarray, "n j 2"], scores: Float[np.ndarray, "n j"], boxes: Float[np.ndarray, "n 4"]
) -> Float[np.ndarray, "n n"]:
    """Similarity of each two poses, by the smaller one's box.

    It is 0 without a common joint.

    The pose distance of RMPE, formulas 9 to 11, which grows with similarity: a soft count of matching joints, plus a
    term for their distances. With k the joints of the row and c their scores, k' and c' those of the column:

        Σ [k' in B(k)] tanh(c / σ₁) tanh(c' / σ₁) + λ Σ exp(-|k - k'|² / σ₂)

    Details that the paper leaves open: the sums are means over the common joints, so one threshold serves all skeletons
    and partly visible people. Scores are relative to the highest of the pose, because detectors differ in their scale.
    Lengths are relative to the longer side of the smaller box: in units of a large person, all joints of a small person
    beside are near. B is a square too; the paper's B, a tenth of the box in width and height, is very narrow for
    people seen from the side.

    Source: Fang et al. 2017, RMPE: Regional Multi-person Pose Estimation, section 3.3,
    https://arxiv.org/abs/1612.00137

    Args:
        keypoints: pixels; NaN for undetected joints.
        scores: of the joints; 0 or less for undetected joints.
        boxes: x0, y0, x1, y1 of the people, pixels.
    """
    sizes = np.maximum((boxes[:, 2:] - boxes[:, :2]).max(-1), 1e-9)
    apart = (keypoints[:, None] - keypoints) / np.minimum(sizes[:, None], sizes)[..., None, None]
    found = np.isfinite(keypoints).all(-1) & (scores > 0)
    sure = np.tanh(scores / np.maximum(scores.max(-1, keepdims=True), 1e-9) / SIGMA_SCORE)
    match = (np.abs(apart) <= _MATCH / 2).all(-1) * sure[:, None] * sure
    near = np.exp(-(apart**2).sum(-1) / SIGMA_DISTANCE)
    both = found[:, None] & found
    similarity: np.ndarray = np.where(both, match + SPATIAL * near, 0).sum(-1) / np.maximum(both.sum(-1), 1)
    return similarity


def pose_nms(
    keypoints: Float[np.ndarray, "n j 2"],
    scores: Float[np.ndarray, "n j"],
    boxes: Float[np.ndarray, "n 4"],
    box_scores: Float[np.ndarray, " n"],
) -> list[int]:
    """Indices of the detections to keep, best first, by parametric pose NMS.

    A detection is dropped if it is similar to a better one. Poses are compared instead of boxes, because boxes of
    two people who cross nearly coincide.

    Source: see `pose_similarity`; this is the paper's formula 8.

    Args:
        keypoints: pixels; NaN for undetected joints.
        scores: of the joints; 0 or less for undetected joints.
        boxes: x0, y0, x1, y1 of the people, pixels.
        box_scores: of the people.
    """
    alike = pose_similarity(keypoints, scores, boxes) >= ALIKE
    kept: list[int] = []
    for i in np.argsort(-box_scores, kind="stable").tolist():
        if not alike[i, kept].any():
            kept.append(i)
    return kept


def keep_each_once(
    picture: UInt8[np.ndarray, "h w 3"],
    poses: Float[np.ndarray, "n j 3"],
    boxes: Float[np.ndarray, "n 4"],
    box_scores: Float[np.ndarray, " n"],
    skeleton: Skeleton,
) -> Detections:
    """The people of a picture, each once, without joints outside of it.

    Args:
        picture: where they were found.
        poses: x, y and score of each joint, pixels.
        boxes: x0, y0, x1, y1 of the people, pixels.
        box_scores: of the people.
        skeleton: of the poses.
    """
    kept = pose_nms(poses[..., :2], poses[..., 2], boxes, box_scores)
    keypoints, scores = hide_outside(poses[kept, :, :2], poses[kept, :, 2].clip(0, 1), picture.shape)
    return Detections(boxes[kept], box_scores[kept], keypoints, scores, skeleton)
