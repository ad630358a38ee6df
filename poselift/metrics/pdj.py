"""The share of joints within a part of the torso's diameter (PDJ)."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.elements import ElementValues, percent, prepare
from poselift.metrics.mean import PairMetric
from poselift.skeleton import Skeleton


def torso_diameter(
    points: Float[Tensor, "*batch j c"], skeleton: Skeleton, mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch"]:
    """The distance from right hip to left shoulder.

    NaN where one of them does not count.

    Raises:
        ValueError: the skeleton lacks the hip or the shoulder.
    """
    points, _, mask = prepare(points, points, mask)
    ends = skeleton.indices(["right_hip", "left_shoulder"])
    hip, shoulder = points[..., ends, :].unbind(-2)
    return (hip - shoulder).norm(dim=-1).where(mask[..., ends].all(-1), torch.nan)


def detected_joints(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    thresholds: Sequence[float],
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> ElementValues:
    """100 for each detected joint, else 0.

    Its distance is below a threshold times the torso's diameter. (*batch, thresholds, j).

    Poses whose torso is not known, or has no length, do not count.

    Args:
        pred: in 2D or 3D, in any unit.
        target: in the same unit.
        skeleton: of both.
        thresholds: parts of the target's torso.
        mask: True where a joint counts; all joints count if it is left out.

    Raises:
        ValueError: the skeleton lacks the hip or the shoulder.
    """
    pred, target, mask = prepare(pred, target, mask)
    size = torso_diameter(target, skeleton, mask)[..., None, None]
    errors = (pred - target).norm(dim=-1)[..., None, :]
    detected = percent(errors <= errors.new_tensor(thresholds)[:, None] * size, errors)
    return ElementValues(detected, (mask[..., None, :] & (size > 0)).expand(detected.shape))


class PDJ(PairMetric):
    """Percentage of detected joints at several thresholds, each kept apart.

    Formula: 100 times the share of joints that count with ‖p - t‖ <= threshold · ‖t_right_hip - t_left_shoulder‖.
    Source: Sapp and Taskar, "MODEC", CVPR 2013; Toshev and Szegedy, "DeepPose", CVPR 2014.
    Range: percent, 0 to 100, higher is better.
    Unseen: joints that do not count are left out, and so are poses whose right hip or left shoulder does not count;
        NaN if nothing is left.
    Traps: in a picture, the torso of a person seen from the side is nearly a point, and few joints are within a part
        of it. In 3D it is not.

    Args:
        skeleton: of the poses.
        thresholds: parts of the torso's diameter.
        joints: the number of joints, to keep them apart too.

    Example:
        >>> import torch
        >>> from poselift.metrics import PDJ
        >>> from poselift.skeleton import H36M17
        >>> target = torch.zeros(1, 17, 3)
        >>> target[:, H36M17.index("left_shoulder"), 1] = 0.5
        >>> metric = PDJ(H36M17, (0.1, 0.2), joints=17)
        >>> metric.update(target + torch.tensor([0.08, 0.0, 0.0]), target)
        >>> metric.mean(1)
        tensor([  0., 100.], dtype=torch.float64)
    """

    higher_is_better = True
    element_values = staticmethod(detected_joints)

    def __init__(self, skeleton: Skeleton, thresholds: Sequence[float], joints: int) -> None:
        super().__init__((len(thresholds), joints), skeleton=skeleton, thresholds=tuple(thresholds))
