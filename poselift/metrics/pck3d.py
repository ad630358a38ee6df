"""PCK in 3D: joints within a distance of their true positions.

As in MPI-INF-3DHP's evaluation script (Mehta et al., "Monocular 3D human pose estimation in the wild using improved
CNN supervision", 3DV 2017): a joint is correct if its error is less than the threshold, and the AUC is the mean of
the PCK at 0, 5, ..., 150 mm. At 0 mm no joint is correct, so a perfect prediction has an AUC of 96.77.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.elements import ElementValues, percent
from poselift.metrics.mean import PairMetric
from poselift.metrics.position import joint_errors

PCK_THRESHOLD_MM = 150.0
"""Of Mehta et al. (3DV 2017): about half of a head."""
CURVE_THRESHOLDS_MM = tuple(float(step) for step in range(0, 151, 5))


def correct_joints(
    pred: Float[Tensor, "*batch j 3"],
    target: Float[Tensor, "*batch j 3"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold_mm: float = PCK_THRESHOLD_MM,
) -> ElementValues:
    """100 for each joint within the threshold, else 0; (*batch, j)."""
    errors = joint_errors(pred, target, mask)
    return ElementValues(percent(errors.values < threshold_mm, errors.values), errors.counts)


def correct_joints_by_threshold(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> ElementValues:
    """`correct_joints` at each of `CURVE_THRESHOLDS_MM`; (*batch, thresholds, j)."""
    errors = joint_errors(pred, target, mask)
    values = errors.values[..., None, :]
    correct = percent(values < values.new_tensor(CURVE_THRESHOLDS_MM)[:, None], values)
    return ElementValues(correct, errors.counts[..., None, :].expand(correct.shape))


def joint_areas(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> ElementValues:
    """The percentage of `CURVE_THRESHOLDS_MM` that each joint is within; (*batch, j)."""
    curve = correct_joints_by_threshold(pred, target, mask)
    return ElementValues(curve.values.mean(-2), curve.counts[..., 0, :])


class PCK3D(PairMetric):
    """Percentage of joints within a threshold of their true positions.

    Formula: 100 times the share of joints that count with ‖p - t‖ < threshold.
    Source: Mehta et al., "Monocular 3D human pose estimation in the wild using improved CNN supervision", 3DV 2017.
    Range: percent, 0 to 100, higher is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: the root of root-relative poses is always correct and raises the value where it counts; the official 14
        joints leave it out.

    Args:
        threshold_mm: millimetres.
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import PCK3D
        >>> target = torch.zeros(1, 2, 3)
        >>> pred = torch.tensor([[[0.149, 0.0, 0.0], [0.151, 0.0, 0.0]]])
        >>> metric = PCK3D()
        >>> metric.update(pred, target)
        >>> float(metric.compute())
        50.0
    """

    higher_is_better = True
    element_values = staticmethod(correct_joints)

    def __init__(self, threshold_mm: float = PCK_THRESHOLD_MM, keep: int | tuple[int, ...] = ()) -> None:
        super().__init__(keep, threshold_mm=threshold_mm)


class PCK3DCurve(PairMetric):
    """`PCK3D` at the thresholds 0, 5, ..., 150 mm, each kept apart.

    Formula: as for `PCK3D`.
    Source: as for `PCK3D`.
    Range: percent, 0 to 100, higher is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: as for `PCK3D`.

    Args:
        joints: the number of joints, to keep them apart too.

    Example:
        >>> import torch
        >>> from poselift.metrics import PCK3DCurve
        >>> target = torch.zeros(1, 2, 3)
        >>> pred = torch.tensor([[[0.012, 0.0, 0.0], [0.151, 0.0, 0.0]]])
        >>> metric = PCK3DCurve(joints=2)
        >>> metric.update(pred, target)
        >>> metric.mean(1)[:4]  # both joints, at 0, 5, 10 and 15 mm
        tensor([ 0.,  0.,  0., 50.], dtype=torch.float64)
    """

    higher_is_better = True
    element_values = staticmethod(correct_joints_by_threshold)

    def __init__(self, joints: int) -> None:
        super().__init__((len(CURVE_THRESHOLDS_MM), joints))


class AUC3D(PairMetric):
    """Area under the curve of `PCK3D` from 0 to 150 mm.

    Formula: the mean of `PCK3D` at 0, 5, ..., 150 mm.
    Source: as for `PCK3D`; the thresholds are those of the test set's script.
    Range: percent, 0 to 96.77, higher is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: it has 31 thresholds. No joint is within the first, 0 mm; without it the value would be larger.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import AUC3D
        >>> target = torch.zeros(1, 17, 3)
        >>> metric = AUC3D()
        >>> metric.update(target, target)
        >>> round(float(metric.compute()), 2)
        96.77
    """

    higher_is_better = True
    element_values = staticmethod(joint_areas)
