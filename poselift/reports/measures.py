"""What is measured of a clip: each measure's title, unit and terms, in the order of the tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from poselift.metrics import functional as F
from poselift.metrics.functional import Terms
from poselift.reports.comparison import Comparison
from poselift.skeleton import Skeleton


@dataclass(frozen=True)
class Measure:
    """One column of the tables.

    Attributes:
        title: as papers print it.
        unit: of the values.
        better: which way is up.
        terms: the values of a clip; the last axis has an entry for each of `entries`.
        entries: what the entries are called: joints, the joint that an angle is at, the joint that a bone ends
            in, or limbs.
        needs_lengths: False where a prediction without a unit of length can be measured too.
    """

    title: str
    unit: str
    better: Literal["lower", "higher"]
    terms: Callable[[Comparison], Terms]
    entries: Callable[[Skeleton], tuple[str, ...]]
    needs_lengths: bool = True


def _joints(skeleton: Skeleton) -> tuple[str, ...]:
    return skeleton.joints


def _bones(skeleton: Skeleton) -> tuple[str, ...]:
    return tuple(child for _, child in skeleton.bones)


def _limbs(skeleton: Skeleton) -> tuple[str, ...]:
    return tuple(F.LIMBS)


MEASURES = {
    "mpjpe": Measure("MPJPE", "mm", "lower", lambda c: F.joint_errors(c.pred, c.target, c.mask), _joints),
    "p_mpjpe": Measure(
        "P-MPJPE", "mm", "lower", lambda c: F.aligned_joint_errors(c.pred, c.target, c.mask), _joints, False
    ),
    "n_mpjpe": Measure(
        "N-MPJPE", "mm", "lower", lambda c: F.scaled_joint_errors(c.pred, c.target, c.mask), _joints, False
    ),
    "mpjve": Measure("MPJVE", "mm/frame", "lower", lambda c: F.velocity_errors(c.pred, c.target, c.mask), _joints),
    "acceleration": Measure(
        "Acceleration error", "mm/frame²", "lower", lambda c: F.acceleration_errors(c.pred, c.target, c.mask), _joints
    ),
    "pck150": Measure("PCK@150", "%", "higher", lambda c: F.correct_joints3d(c.pred, c.target, c.mask), _joints),
    "auc": Measure("AUC", "%", "higher", lambda c: F.joint_auc3d(c.pred, c.target, c.mask), _joints),
    "mjae": Measure(
        "MJAE", "deg", "lower", lambda c: F.angle_errors(c.pred, c.target, c.skeleton, c.mask), F.angle_names, False
    ),
    "bone_length": Measure(
        "Bone length error", "mm", "lower", lambda c: F.bone_length_errors(c.pred, c.target, c.skeleton, c.mask), _bones
    ),
    "bone_variation": Measure(
        "Bone length variation",
        "%",
        "lower",
        lambda c: F.bone_length_variations(c.pred, c.skeleton, c.mask),
        _bones,
        False,
    ),
    "jitter": Measure("Jitter", "m/s³", "lower", lambda c: F.jerks(c.pred, c.fps, c.mask), _joints),
}
"""The metrics of a table by the key that `metrics.json` has for them."""

LIMB_MEASURES = {
    "pcp": Measure("PCP@0.5", "%", "higher", lambda c: F.correct_limbs(c.pred, c.target, c.skeleton, c.mask), _limbs),
    "pcp_mean": Measure(
        "PCP@0.5 (mean of ends)",
        "%",
        "higher",
        lambda c: F.correct_limbs(c.pred, c.target, c.skeleton, c.mask, strict=False),
        _limbs,
    ),
}
"""What is measured of limbs."""


@dataclass(frozen=True)
class Curve:
    """A share of joints over a threshold.

    Attributes:
        title: of the curve.
        x_title: of the threshold.
        x_unit: of the threshold; "" for a part of something.
        thresholds: where the share is taken.
        terms: of shape (t, thresholds, j).
    """

    title: str
    x_title: str
    x_unit: str
    thresholds: tuple[float, ...]
    terms: Callable[[Comparison], Terms]


def _pck_curve(c: Comparison) -> Terms:
    return _stack([F.correct_joints3d(c.pred, c.target, c.mask, threshold) for threshold in PCK_THRESHOLDS])


def _pdj_curve(c: Comparison) -> Terms:
    torso = F.torso_diameter(c.target, c.skeleton, c.mask)
    return _stack([F.correct_joints(c.pred, c.target, torso, threshold, c.mask) for threshold in PDJ_THRESHOLDS])


def _stack(terms: Sequence[Terms]) -> Terms:
    return Terms(torch.stack([one.values for one in terms], -2), torch.stack([one.counts for one in terms], -2))


PCK_THRESHOLDS = tuple(float(step) for step in range(0, 151, 5))
PDJ_THRESHOLDS = tuple(step / 50 for step in range(26))

CURVES = {
    "pck3d": Curve("PCK", "threshold", "mm", PCK_THRESHOLDS, _pck_curve),
    "pdj": Curve("PDJ", "part of the torso's diameter", "", PDJ_THRESHOLDS, _pdj_curve),
}
"""Curves by the key that `metrics.json` has for them."""
