"""One detection a person: joins what two passes found, and drops what was found twice."""

import numpy as np
from jaxtyping import Bool, Float

_BIG = 0.4
"""Longer side of a person, as a share of the picture's, from which the fine pass cannot be trusted."""
_INSIDE = 0.8
_OVERLAP = 0.5
_SAME_POSE = 0.08
"""Median distance between two poses' joints, as a share of the longer side of the box, below which they are one. In
made scenes (benchmarks/duplicates.py) that does as well as AlphaPose's parametric pose NMS, however high scores are."""


def overlap(a: Float[np.ndarray, "n 4"], b: Float[np.ndarray, "m 4"]) -> Float[np.ndarray, "n m"]:
    """Area that two boxes share, as a share of the smaller one's area."""
    low, high = np.maximum(a[:, None, :2], b[:, :2]), np.minimum(a[:, None, 2:], b[:, 2:])
    shared = np.clip(high - low, 0, None).prod(-1)
    smaller = np.minimum((a[:, 2:] - a[:, :2]).prod(-1)[:, None], (b[:, 2:] - b[:, :2]).prod(-1))
    return shared / np.maximum(smaller, 1e-9)


def join_passes(
    coarse: Float[np.ndarray, "n 4"], fine: Float[np.ndarray, "m 4"], longer_side: int
) -> tuple[Bool[np.ndarray, " n"], Bool[np.ndarray, " m"]]:
    """Which people to keep of a pass over the small picture and one over the larger picture.

    A person who fills much of the picture is larger than what the network was trained on in the fine pass,
    which then finds limbs or halves of them as people of their own: such people are the coarse pass's, and the
    fine pass has no say inside their boxes. Everyone else is the fine pass's, and the coarse pass only adds
    those that the fine pass missed.

    Args:
        coarse: boxes found in the small picture, in pixels of the original picture.
        fine: boxes found in the larger picture, likewise.
        longer_side: the longer side of the original picture.

    Returns:
        Which of `coarse` and which of `fine` to keep.
    """
    big = (coarse[:, 2:] - coarse[:, :2]).max(-1) > _BIG * longer_side
    shared = overlap(coarse, fine)
    keep_fine = ~(big[:, None] & (shared > _INSIDE)).any(0)
    keep_coarse = big | ~((shared > _OVERLAP) & keep_fine).any(1)
    return keep_coarse, keep_fine


def without_duplicates(
    keypoints: Float[np.ndarray, "n j 2"], boxes: Float[np.ndarray, "n 4"], scores: Float[np.ndarray, " n"]
) -> list[int]:
    """Indices of the detections to keep, best score first: of two that show the same pose, the better one.

    Poses are compared and not boxes, because two people who cross have boxes that all but coincide. Only joints that
    both have count, and poses without any are two.
    """
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        size = float((boxes[i, 2:] - boxes[i, :2]).max())
        apart = [np.linalg.norm(keypoints[i] - keypoints[other], axis=-1) for other in kept]
        known = [distances[np.isfinite(distances)] for distances in apart]
        if all(len(distances) == 0 or np.median(distances) > _SAME_POSE * size for distances in known):
            kept.append(int(i))
    return kept
