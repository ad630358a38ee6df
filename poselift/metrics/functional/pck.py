"""The share of joints that are within a part of the person's size, in percent: PCK, PCKh and PDJ.

They differ in what the size is: the diagonal of the person's box (PCK), the head (PCKh), or the torso from right hip
to left shoulder (PDJ). Sizes are the target's. A pose without a size, NaN or 0, does not count. In 2D predictions and
targets are in pixels of the same picture; in 3D in metres.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import Terms, percent, prepare
from poselift.skeleton import Skeleton

PCKH_THRESHOLD = 0.5
PDJ_THRESHOLD = 0.2


def bbox_diagonal(
    points: Float[Tensor, "*batch j c"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch"]:
    """The diagonal of the upright box around the joints that count, in their unit; NaN where none does."""
    points, _, mask = prepare(points, points, mask)
    seen = mask[..., None]
    low = points.where(seen, torch.inf).amin(-2)
    high = points.where(seen, -torch.inf).amax(-2)
    return (high - low).norm(dim=-1).where(mask.any(-1), torch.nan)


def torso_diameter(
    points: Float[Tensor, "*batch j c"], skeleton: Skeleton, mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch"]:
    """From right hip to left shoulder, in their unit; NaN where one of them does not count.

    Raises:
        ValueError: the skeleton lacks one of the joints.
    """
    return _distance(points, skeleton, "right_hip", "left_shoulder", mask)


def head_length(
    points: Float[Tensor, "*batch j c"], skeleton: Skeleton, mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch"]:
    """From the base of the neck to the top of the head, in their unit; NaN where one of them does not count.

    For data without MPII's head boxes.

    Raises:
        ValueError: the skeleton lacks one of the joints.
    """
    return _distance(points, skeleton, "neck_base", "head_top", mask)


def _distance(points: Tensor, skeleton: Skeleton, first: str, second: str, mask: Tensor | None) -> Tensor:
    points, _, mask = prepare(points, points, mask)
    ends = skeleton.indices([first, second])
    a, b = points[..., ends, :].unbind(-2)
    return (a - b).norm(dim=-1).where(mask[..., ends].all(-1), torch.nan)


def correct_joints(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    size: Float[Tensor, "*batch"],
    threshold: float,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Terms:
    """100 for each joint within `threshold` times the size, else 0; Terms of shape (*batch, j)."""
    pred, target, mask = prepare(pred, target, mask)
    size = size.double()[..., None]
    errors = (pred - target).norm(dim=-1)
    return Terms(percent(errors <= threshold * size, errors), mask & (size > 0))


def pck(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    size: Float[Tensor, "*batch"],
    threshold: float,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, ""]:
    """Percentage of correct keypoints: those within a part of the person's size.

    Formula: 100 times the share of joints that count with ‖p - t‖ <= threshold · size.
    Source: Yang and Ramanan, "Articulated human detection with flexible mixtures of parts", PAMI 2013. Their size is
        the longer side of the box; `bbox_diagonal` and `torso_diameter` are the others in use.
    Range: percent, 0 to 100, higher is better.
    Unseen: joints that do not count, and people without a size, are left out; NaN if nothing is left.
    Traps: the size is the target's. A box around the visible joints of a person who is half hidden is small, and few
        joints are within a part of it.

    Args:
        pred: pixels, or metres in 3D.
        target: likewise.
        size: of each person in the same unit, e.g. `bbox_diagonal(target, mask)`.
        threshold: the part of the size.
        mask: True where a joint counts; all do if left out.
    """
    return correct_joints(pred, target, size, threshold, mask).mean()


def pckh(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    head_size: Float[Tensor, "*batch"],
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold: float = PCKH_THRESHOLD,
) -> Float[Tensor, ""]:
    """PCK by the size of the head.

    Formula: `pck` with the head's size; PCKh@0.5 if the threshold is left out.
    Source: Andriluka et al., "2D human pose estimation: new benchmark and state of the art analysis", CVPR 2014.
    Range: percent, 0 to 100, higher is better.
    Unseen: as for `pck`.
    Traps: MPII's head size is 0.6 times the diagonal of its head box; `head_length` is for data without such boxes,
        and gives another number.

    Args:
        pred: pixels.
        target: pixels.
        head_size: of each person, pixels.
        mask: True where a joint counts; all do if left out.
        threshold: the part of the head's size.
    """
    return pck(pred, target, head_size, threshold, mask)


def pdj(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold: float = PDJ_THRESHOLD,
) -> Float[Tensor, ""]:
    """Percentage of detected joints: PCK by the diameter of the torso, from right hip to left shoulder.

    Formula: 100 times the share of joints that count with ‖p - t‖ <= threshold · ‖t_right_hip - t_left_shoulder‖.
    Source: Sapp and Taskar, "MODEC", CVPR 2013; Toshev and Szegedy, "DeepPose", CVPR 2014.
    Range: percent, 0 to 100, higher is better.
    Unseen: as for `pck`; a person whose right hip or left shoulder does not count has no size.
    Traps: in a picture, the torso of a person seen from the side is nearly a point, and few joints are within a part
        of it. In 3D it is not.

    Args:
        pred: pixels, or metres in 3D.
        target: likewise.
        skeleton: the joint set of both.
        mask: True where a joint counts; all do if left out.
        threshold: the part of the torso.

    Raises:
        ValueError: the skeleton lacks the hip or the shoulder.
    """
    return pck(pred, target, torso_diameter(target, skeleton, mask), threshold, mask)


def pdj_curve(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    thresholds: Sequence[float],
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, " thresholds"]:
    """`pdj` at each of several thresholds.

    Raises:
        ValueError: the skeleton lacks the hip or the shoulder.
    """
    return torch.stack([pdj(pred, target, skeleton, mask, threshold) for threshold in thresholds])
