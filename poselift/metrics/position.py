"""Errors of joint positions: MPJPE and its aligned forms.

Nothing here makes poses root-relative. For the field's protocols, subtract the root on both sides first.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import apply_similarity, umeyama
from poselift.metrics.elements import MILLIMETRES, ElementValues, prepare
from poselift.metrics.mean import PairMetric

FEWEST_POINTS = 3
"""Poses with fewer joints do not count after an alignment: any two points align exactly."""


def joint_errors(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> ElementValues:
    """The distance of each joint from its true position, mm; (*batch, j).

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all joints count if it is left out.

    Example:
        >>> import torch
        >>> from poselift.metrics import joint_errors
        >>> target = torch.zeros(1, 17, 3)
        >>> round(float(joint_errors(target + torch.tensor([0.003, 0.004, 0.0]), target).mean()), 3)
        5.0
    """
    pred, target, mask = prepare(pred, target, mask)
    return ElementValues((pred - target).norm(dim=-1) * MILLIMETRES, mask)


def procrustes_align(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch j 3"]:
    """Each pose after the similarity transform that fits best; float64.

    The fit uses the joints that count.
    """
    _, _, counts = prepare(pred, target, mask)
    pred = pred.double()
    return apply_similarity(pred, *umeyama(pred, target.double(), counts.double()))


def aligned_joint_errors(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> ElementValues:
    """The distance of each joint after `procrustes_align`, mm; (*batch, j).

    Poses with fewer than 3 joints that count do not count.
    """
    # Prepared first: an unseen NaN times the scale would reach the gradient of the others.
    pred, target, mask = prepare(pred, target, mask)
    enough = mask.sum(-1, keepdim=True) >= FEWEST_POINTS
    return joint_errors(procrustes_align(pred, target, mask), target, mask & enough)


def scale_align(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch j 3"]:
    """Each pose after the best scaling about the origin; float64.

    The fit uses the joints that count. A pose with all joints at the origin stays as it is.
    """
    seen_pred, seen_target, _ = prepare(pred, target, mask)
    size = seen_pred.square().sum((-2, -1), keepdim=True)
    scale = (seen_pred * seen_target).sum((-2, -1), keepdim=True) / size.where(size != 0, 1.0)
    return pred.double() * scale.where(size != 0, 1.0)


def scaled_joint_errors(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> ElementValues:
    """The distance of each joint after `scale_align`, mm; (*batch, j)."""
    pred, target, mask = prepare(pred, target, mask)
    return joint_errors(scale_align(pred, target, mask), target, mask)


class MPJPE(PairMetric):
    """Mean per-joint position error.

    Formula: the mean of ‖p - t‖ over all joints that count.
    Source: Ionescu et al., "Human3.6M", PAMI 2014. It is their protocol 1 if both sides are root-relative.
    Range: mm, 0 or more, lower is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: poses must come in root-relative. Where the root is one of the joints, its zero error is part of the mean,
        as in the field's tables. The mean over actions is not the mean over frames.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import MPJPE
        >>> target = torch.zeros(1, 17, 3)
        >>> metric = MPJPE()
        >>> metric.update(target + torch.tensor([0.03, 0.04, 0.0]), target)
        >>> metric.update(target, target)
        >>> round(float(metric.compute()), 3)
        25.0
    """

    higher_is_better = False
    element_values = staticmethod(joint_errors)


class PMPJPE(PairMetric):
    """P-MPJPE: MPJPE after the best similarity transform of each pose.

    Protocol 2 of Human3.6M.

    Formula: the mean of ‖s R p + d - t‖, with the s, R and d that minimise the sum of squares, det R = 1.
    Source: Umeyama, "Least-squares estimation of transformation parameters", PAMI 1991; Martinez et al., "A simple
        yet effective baseline for 3D human pose estimation", ICCV 2017, for the protocol.
    Range: mm, 0 or more, lower is better.
    Unseen: the fit and the error use the joints that count. Poses with fewer than 3 of them are left out; NaN if no
        pose is left.
    Traps: MMPose aligns over all joints and masks afterwards, which gives another number: that of
        `procrustes_align` without a mask, then `joint_errors` with it. Without the rule on det R, as in scipy and
        torchmetrics, a mirrored pose would score 0.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import PMPJPE
        >>> target = torch.randn(1, 17, 3, generator=torch.Generator().manual_seed(0))
        >>> metric = PMPJPE()
        >>> metric.update(2 * target + 1, target)
        >>> float(metric.compute()) < 1e-3
        True
    """

    higher_is_better = False
    element_values = staticmethod(aligned_joint_errors)


class NMPJPE(PairMetric):
    """N-MPJPE: MPJPE after the scaling that fits each pose best (protocol 3).

    Formula: the mean of ‖s p - t‖, s = sum p·t / sum p·p over the pose's joints.
    Source: Rhodin et al., "Unsupervised geometry-aware representation for 3D human pose estimation", ECCV 2018.
    Range: mm, 0 or more, lower is better.
    Unseen: the scale and the error use the joints that count; NaN if none counts.
    Traps: scaling is about the origin, so poses must come in root-relative. s minimises the squared error, so N-MPJPE
        can exceed MPJPE. MMPose computes s over all joints and masks afterwards.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import NMPJPE
        >>> target = torch.randn(1, 17, 3, generator=torch.Generator().manual_seed(0))
        >>> metric = NMPJPE()
        >>> metric.update(2 * target, target)
        >>> float(metric.compute()) < 1e-3
        True
    """

    higher_is_better = False
    element_values = staticmethod(scaled_joint_errors)
