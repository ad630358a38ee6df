"""One detection a person: joins what two passes found, and drops what was found twice."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

_BIG = 0.4
"""Longer side of a person, as a share of the picture's, from which the fine pass cannot be trusted."""
_INSIDE = 0.8
_OVERLAP = 0.5
_MATCH = 0.1
"""Side of the square in which a joint matches another, as a share of the longer side of the person's box."""


class NMSParameters(NamedTuple):
    """Parameters of the pose NMS, chosen on made scenes (benchmarks/tracking.md), as the paper does on real ones.

    Attributes:
        sigma_score: scale of joint scores relative to the pose's highest.
        sigma_distance: scale of squared distances, in those of the longer side of the person's box.
        spatial: weight of how near joints are beside how many match.
        threshold: likeness from which two poses are one.
    """

    sigma_score: float = 0.7
    sigma_distance: float = 0.02
    spatial: float = 0.25
    threshold: float = 0.3125


PARAMETERS = NMSParameters()


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


def pose_likeness(
    keypoints: Float[np.ndarray, "n j 2"],
    scores: Float[np.ndarray, "n j"],
    boxes: Float[np.ndarray, "n 4"],
    parameters: NMSParameters = PARAMETERS,
) -> Float[np.ndarray, "n n"]:
    """How like each pose (row) is to each other one (column), measured by the row's box: 0 if they share nothing.

    The pose distance of RMPE, formulas 9 to 11, which grows with likeness: a soft count of the joints that match, and
    how near joints are. With k the joints of the row and c their scores, k' and c' those of the column:

        Σ [k' in B(k)] tanh(c / σ₁) tanh(c' / σ₁) + λ Σ exp(-|k - k'|² / σ₂)

    Where the paper says nothing, or leaves it to its parameters: the sums are means over the joints that both poses
    have, so that joint sets of any size, and people who are seen in part, share a threshold. Scores are relative to
    the pose's highest, as detectors differ in how high theirs are. Lengths are shares of the longer side of the box.
    So is B, a square; the paper's B, a tenth of the box in width and height, is a slit for people seen from the side.

    Source: Fang et al. 2017, RMPE: Regional Multi-person Pose Estimation, section 3.3,
    https://arxiv.org/abs/1612.00137

    Args:
        keypoints: pixels; NaN where a joint was not found.
        scores: of the joints; 0 or less where one was not found.
        boxes: around the people, pixels.
        parameters: σ₁, σ₂ and λ.
    """
    sizes = np.maximum((boxes[:, 2:] - boxes[:, :2]).max(-1), 1e-9)
    apart = (keypoints[:, None] - keypoints) / sizes[:, None, None, None]
    found = np.isfinite(keypoints).all(-1) & (scores > 0)
    sure = np.tanh(scores / np.maximum(scores.max(-1, keepdims=True), 1e-9) / parameters.sigma_score)
    match = (np.abs(apart) <= _MATCH / 2).all(-1) * sure[:, None] * sure
    near = np.exp(-(apart**2).sum(-1) / parameters.sigma_distance)
    both = found[:, None] & found
    likeness: np.ndarray = np.where(both, match + parameters.spatial * near, 0).sum(-1) / np.maximum(both.sum(-1), 1)
    return likeness


def pose_nms(
    keypoints: Float[np.ndarray, "n j 2"],
    scores: Float[np.ndarray, "n j"],
    boxes: Float[np.ndarray, "n 4"],
    box_scores: Float[np.ndarray, " n"],
    parameters: NMSParameters = PARAMETERS,
) -> list[int]:
    """Parametric pose NMS: the detections to keep, best first; each one that is like a better one is dropped.

    Poses are compared and not boxes, because two people who cross have boxes that all but coincide.

    Source: see `pose_likeness`; this is the paper's formula 8.

    Args:
        keypoints: pixels; NaN where a joint was not found.
        scores: of the joints; 0 or less where one was not found.
        boxes: around the people, pixels.
        box_scores: of the people.
        parameters: of the likeness, and from which likeness on two poses are one.
    """
    alike = pose_likeness(keypoints, scores, boxes, parameters) >= parameters.threshold
    kept: list[int] = []
    for i in np.argsort(-box_scores, kind="stable").tolist():
        if not alike[i, kept].any():
            kept.append(i)
    return kept
