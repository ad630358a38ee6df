"""One person's joints from two models, joined.

Their mean, or where they differ the first one's with lower scores. All numbers were measured on two calibrated cameras
(benchmarks/two_models.md). Where the two models agree within 6 % of the body, the mean of both lies nearer to the other
camera's epipolar line than either; some joints of one model are better, so their scores have a factor. Where the two
are farther apart, the first model's joint is nearer, whatever the scores, the lengths of the bones, and what the second
model said before and after. So the joint stays where the first model sees it. What both said before and after decides
how far it counts: fully where it still is where both saw it, and less where it is elsewhere, or where nothing is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.skeleton.skeleton import strip_side

_AGREE, _DIFFER = 0.06, 0.1
"""Distance up to which two joints are joined, and from which on the first one counts alone; as a share of the body."""
_DOUBTED = 0.6
"""Factor of the score of a joint at which the two models differ, and which is not where both saw it before or after."""
_OUTSIDE = 0.25
"""Factor of the score of a joint that the second model sees outside the picture: the first one makes up limbs that the
edge cuts off."""
_HEAVY = {"shoulder": 9.0, "elbow": 0.4, "hip": 0.6, "ankle": 0.0}
"""Factors of the scores of BlazePose heavy in the mean: its shoulders fit best to one place in both cameras, MoveNet's
ankles better than the mean, its elbows a little better (benchmarks/two_models.md)."""
_FULL = {"ankle": 1 / 3}
"""Those of BlazePose full, which the browser has."""
_FOOT_DOUBTED = 0.2
"""Factor of the scores of heel and toe where the two models see the ankle at different places."""
_FOOT = {"heel": 0.7, "big_toe": 0.8}
"""Factor of the second model's score, so that joints of equal scores are equally far off."""
SIDE_GROUPS = (("eye", "ear"), ("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle", "heel", "big_toe"))
"""Joints whose sides a model confuses together."""
_SIDES = np.array(COCO_WHOLEBODY23.flip_indices)
_ROWS = [
    np.array(COCO_WHOLEBODY23.indices([f"{side}_{joint}" for joint in group for side in ("left", "right")]))
    for group in SIDE_GROUPS
]
_BODY = len(COCO17)
_FEET = np.array([row for row in range(_BODY, len(COCO_WHOLEBODY23)) if "small" not in COCO_WHOLEBODY23.joints[row]])
_ANKLES = np.array([COCO17.index(f"{COCO_WHOLEBODY23.joints[row].partition('_')[0]}_ankle") for row in _FEET.tolist()])
HEAVY_FACTORS, FULL_FACTORS = (
    np.array([factors.get(strip_side(joint), 1.0) for joint in COCO17.joints]) for factors in (_HEAVY, _FULL)
)
"""Of the second model's scores in the mean, by joint of COCO-17."""
_HIPS = COCO17.indices(["left_hip", "right_hip"])
_FOOT_FACTORS = np.array([_FOOT[COCO_WHOLEBODY23.joints[row].partition("_")[2]] for row in _FEET.tolist()])


@dataclass(frozen=True)
class ModelDifference:
    """How two models' joints of one person differ.

    It is of one frame, in the order of COCO-WholeBody's body and feet.

    Attributes:
        offsets: what is added to the first model's joints, pixels; for heels and toes, to its ankles. NaN where the
            second model does not help.
        score_factors: of the first model's scores; for heels and toes, the scores themselves.
        first: the first model's joints, from its hips, in bodies.
        agreed: those of them that the second model sees at the same place; NaN elsewhere.
    """

    offsets: Float[np.ndarray, "23 2"]
    score_factors: Float[np.ndarray, " 23"]
    first: Float[np.ndarray, "17 2"]
    agreed: Float[np.ndarray, "17 2"]

    def towards(self, other: "ModelDifference", share: float) -> "ModelDifference":
        """The difference at a time between this one and another.

        Where only one of them has a value, that value counts.

        Args:
            other: the later one.
            share: of the time to it, 0 to 1.
        """
        offsets = self.offsets + share * (other.offsets - self.offsets)
        known = np.where(np.isfinite(self.offsets), self.offsets, other.offsets)
        # A foot that one of the two detections does not show has no score there.
        is_body = np.arange(len(COCO_WHOLEBODY23)) < _BODY
        own, their = (
            np.where(np.isfinite(each.offsets[:, 0]) | is_body, each.score_factors, np.nan) for each in (self, other)
        )
        score_factors = own + share * (their - own)
        filled = np.where(np.isfinite(own), own, their)
        return replace(
            self,
            offsets=np.where(np.isfinite(offsets), offsets, known),
            score_factors=np.nan_to_num(np.where(np.isfinite(score_factors), score_factors, filled)),
        )

    def decide(self, others: Sequence[tuple[float, "ModelDifference"]]) -> "ModelDifference":
        """The difference, with scores by the ones before and after.

        They change for joints at which the models differ.

        Args:
            others: seconds from this difference to another one, negative for one before, and that one.
        """
        nearest = sorted(others, key=lambda other: abs(other[0]))
        expected, weights = np.zeros((_BODY, 2)), np.zeros((_BODY, 1))
        for side in (-1, 1):
            found = np.zeros((_BODY, 1), bool)
            for seconds, other in nearest:
                if seconds * side <= 0:
                    continue
                new = np.isfinite(other.agreed).all(-1, keepdims=True) & ~found
                found |= new
                expected += np.where(new, other.agreed / abs(seconds), 0)
                weights += new / abs(seconds)
        with np.errstate(invalid="ignore"):
            away = np.linalg.norm(self.first - expected / weights, axis=-1)
        fits = np.nan_to_num(np.clip((_DIFFER - away) / (_DIFFER - _AGREE), 0, 1))
        fits *= np.isfinite(self.offsets[:_BODY, 0])
        score_factors = self.score_factors.copy()
        score_factors[:_BODY] += (1 - score_factors[:_BODY]) * fits
        return replace(self, score_factors=score_factors)


def compare(
    first: Float[np.ndarray, "17 2"],
    first_scores: Float[np.ndarray, " 17"],
    second: Float[np.ndarray, "23 2"],
    second_scores: Float[np.ndarray, " 23"],
    factors: Float[np.ndarray, " 17"] = HEAVY_FACTORS,
) -> ModelDifference:
    """What one crop detection of the second model changes.

    Only this one counts; see `ModelDifference.decide` for those around it. Its left and right are exchanged in a
    limb where that brings it nearer to the first model's.

    Args:
        first: joints of COCO-17, pixels; NaN for joints that were not seen.
        first_scores: of these joints.
        second: joints of COCO-WholeBody's body and feet, pixels; NaN for joints outside the picture, or for everything.
        second_scores: of these joints.
        factors: of them in the mean; those of the second model.
    """
    unknown = np.full((len(COCO_WHOLEBODY23), 2), np.nan)
    nothing = ModelDifference(unknown, np.append(np.ones(_BODY), np.zeros(6)), unknown[:_BODY], unknown[:_BODY])
    seen = np.isfinite(first).all(-1)
    if not seen.any() or not np.isfinite(second).any():
        return nothing
    size = max(1.0, float(np.ptp(first[seen], axis=0).max()))
    order = same_sides(first, first_scores, second)
    second, second_scores = second[order], second_scores[order]
    apart = np.linalg.norm(second[:_BODY] - first, axis=-1) / size
    agreed = np.clip((_DIFFER - apart) / (_DIFFER - _AGREE), 0, 1)  # NaN where one of them sees nothing
    weights = factors * second_scores[:_BODY]
    shares = agreed * weights / np.maximum(weights + first_scores, 1e-9)
    offsets, score_factors = nothing.offsets.copy(), nothing.score_factors.copy()
    offsets[:_BODY] = shares[:, None] * (second[:_BODY] - first)
    doubted = _DOUBTED + (1 - _DOUBTED) * np.nan_to_num(agreed, nan=1.0)
    score_factors[:_BODY] = np.where(np.isfinite(second[:_BODY, 0]), doubted, _OUTSIDE)
    offsets[_FEET] = second[_FEET] - first[_ANKLES]
    known = np.isfinite(offsets[_FEET]).all(-1)
    surely = _FOOT_DOUBTED + (1 - _FOOT_DOUBTED) * np.nan_to_num(agreed[_ANKLES])
    score_factors[_FEET] = np.where(known, _FOOT_FACTORS * surely * second_scores[_FEET], 0)
    hips = first[_HIPS][seen[_HIPS]]
    own = (first - hips.mean(0)) / size if len(hips) else nothing.first
    return ModelDifference(offsets, score_factors, own, np.where((apart < _AGREE)[:, None], own, np.nan))


def join(
    first: Float[np.ndarray, "17 2"], first_scores: Float[np.ndarray, " 17"], difference: ModelDifference | None
) -> tuple[Float[np.ndarray, "23 2"], Float[np.ndarray, " 23"]]:
    """The joints of both models, pixels, and their scores.

    Args:
        first: joints of COCO-17, pixels; NaN for joints that were not seen.
        first_scores: of these joints.
        difference: of this frame, or of frames before and after; None if the second model has not looked.
    """
    keypoints, scores = np.full((len(COCO_WHOLEBODY23), 2), np.nan), np.zeros(len(COCO_WHOLEBODY23))
    keypoints[:_BODY], scores[:_BODY] = first, first_scores
    if difference is None:
        return keypoints, scores
    keypoints[:_BODY] += np.nan_to_num(difference.offsets[:_BODY])
    scores[:_BODY] *= difference.score_factors[:_BODY]
    keypoints[_FEET] = first[_ANKLES] + difference.offsets[_FEET]
    # A foot is never surer than its ankle, which may be another person's.
    surest = np.minimum(difference.score_factors[_FEET], scores[_ANKLES])
    scores[_FEET] = np.where(np.isfinite(keypoints[_FEET]).all(-1), surest, 0)
    keypoints[scores <= 0] = np.nan
    return keypoints, scores


def same_sides(
    first: Float[np.ndarray, "17 2"], first_scores: Float[np.ndarray, " 17"], second: Float[np.ndarray, "23 2"]
) -> Int[np.ndarray, " 23"]:
    """The second model's joints in the order of the first's sides."""
    order = np.arange(len(COCO_WHOLEBODY23))
    for rows in _ROWS:
        body = rows[rows < _BODY]
        own, exchanged = (_distances(first[body], second[each]) for each in (body, _SIDES[body]))
        both: Bool[np.ndarray, " n"] = np.isfinite(own) & np.isfinite(exchanged)
        if first_scores[body][both] @ (own - exchanged)[both] > 0:
            order[rows] = _SIDES[rows]
    return order


def _distances(one: Float[np.ndarray, "n 2"], other: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, " n"]:
    distances: np.ndarray = np.linalg.norm(one - other, axis=-1)
    return distances
