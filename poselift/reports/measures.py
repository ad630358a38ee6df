"""The metrics of a report, in the order of the tables."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from poselift import metrics as M
from poselift.reports.comparison import Comparison
from poselift.skeleton import Skeleton


def _pair(c: Comparison) -> tuple[Any, ...]:
    return c.pred, c.target, c.mask


@dataclass(frozen=True)
class Measure:
    """One column of the tables.

    Attributes:
        title: as papers print it.
        unit: of the values.
        metric: a new metric from its number of elements.
        elements: the names of a skeleton's elements: joints, the joint at an angle, the joint at the end of a bone,
            or limbs.
        inputs: what the metric's `update` takes of a comparison.
        needs_lengths: False where a prediction without a unit of length can be measured too.
        of_pck: whether only the protocol's `pck_joints` count.
    """

    title: str
    unit: str
    metric: Callable[[Skeleton, int], M.ElementMean]
    elements: Callable[[Skeleton], tuple[str, ...]]
    inputs: Callable[[Comparison], tuple[Any, ...]] = _pair
    needs_lengths: bool = True
    of_pck: bool = False

    def of(self, comparison: Comparison) -> M.ElementMean:
        """The metric of one clip, with its elements apart."""
        metric = self.metric(comparison.skeleton, len(self.elements(comparison.skeleton)))
        metric.update(*self.inputs(comparison))
        return metric


def _joints(skeleton: Skeleton) -> tuple[str, ...]:
    return skeleton.joints


def _bones(skeleton: Skeleton) -> tuple[str, ...]:
    return tuple(child for _, child in skeleton.bones)


def _limbs(skeleton: Skeleton) -> tuple[str, ...]:
    return tuple(M.LIMBS)


MEASURES = {
    "mpjpe": Measure("MPJPE", "mm", lambda _, n: M.MPJPE(n), _joints),
    "p_mpjpe": Measure("P-MPJPE", "mm", lambda _, n: M.PMPJPE(n), _joints, needs_lengths=False),
    "n_mpjpe": Measure("N-MPJPE", "mm", lambda _, n: M.NMPJPE(n), _joints, needs_lengths=False),
    "mpjve": Measure("MPJVE", "mm/frame", lambda _, n: M.MPJVE(n), _joints),
    "acceleration": Measure("Acceleration error", "mm/frame²", lambda _, n: M.AccelerationError(n), _joints),
    "pck150": Measure("PCK@150", "%", lambda _, n: M.PCK3D(keep=n), _joints, of_pck=True),
    "auc": Measure("AUC", "%", lambda _, n: M.AUC3D(n), _joints, of_pck=True),
    "pck2d": Measure(f"PCK@{M.PCK2D_ALPHA:g} (2D)", "%", lambda _, n: M.PCK2D(keep=n), _joints, lambda c: c.pixels()),
    "mjae": Measure("MJAE", "deg", M.MJAE, M.angle_names, needs_lengths=False),
    "bone_length": Measure("Bone length error", "mm", M.BoneLengthError, _bones),
    "bone_variation": Measure(
        "Bone length variation", "%", M.BoneLengthVariation, _bones, lambda c: (c.pred, c.mask), needs_lengths=False
    ),
    "jitter": Measure("Jitter", "m/s³", lambda _, n: M.Jitter(n), _joints, lambda c: (c.pred, c.fps, c.mask)),
}
"""The metrics of a table by their keys in `metrics.json`."""

LIMB_MEASURES = {
    "pcp": Measure("PCP@0.5", "%", lambda s, n: M.PCP(s, keep=n), _limbs),
    "pcp_mean": Measure("PCP@0.5 (mean of ends)", "%", lambda s, n: M.PCP(s, strict=False, keep=n), _limbs),
}
"""The metrics of limbs by their keys in `metrics.json`."""

PDJ_THRESHOLDS = tuple(step / 50 for step in range(26))


@dataclass(frozen=True)
class Curve(Measure):
    """A share of joints over a threshold.

    Its metric keeps thresholds and joints apart.

    Attributes:
        x_title: of the threshold.
        x_unit: of the threshold; "" for a part of something.
        thresholds: of the metric.
    """

    x_title: str = "threshold"
    x_unit: str = ""
    thresholds: tuple[float, ...] = ()


CURVES = {
    "pck3d": Curve(
        "PCK",
        "%",
        lambda _, n: M.PCK3DCurve(n),
        _joints,
        of_pck=True,
        x_unit="mm",
        thresholds=M.CURVE_THRESHOLDS_MM,
    ),
    "pdj": Curve(
        "PDJ",
        "%",
        lambda s, n: M.PDJ(s, PDJ_THRESHOLDS, n),
        _joints,
        x_title="part of the torso's diameter",
        thresholds=PDJ_THRESHOLDS,
    ),
}
"""The curves by their keys in `metrics.json`."""
