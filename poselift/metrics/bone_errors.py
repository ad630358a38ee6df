"""Bone lengths: their error, and their variation over a clip.

Bones are in the order of `Skeleton.bones`. A bone counts where both its ends do.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import bone_lengths
from poselift.metrics.elements import MILLIMETRES, ElementValues, prepare
from poselift.metrics.mean import ElementMean, PairMetric
from poselift.skeleton import Skeleton


def _lengths(points: Tensor, skeleton: Skeleton) -> Tensor:
    lengths = bone_lengths(points, skeleton.parent_indices)
    return lengths[..., [child for _, child in skeleton.bone_indices]]


def _seen_bones(mask: Tensor, skeleton: Skeleton) -> Tensor:
    parents, children = zip(*skeleton.bone_indices, strict=True)
    return mask[..., parents] & mask[..., children]


def bone_length_errors(
    pred: Float[Tensor, "*batch j 3"],
    target: Float[Tensor, "*batch j 3"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> ElementValues:
    """The absolute error of each bone's length, mm; (*batch, bones)."""
    pred, target, mask = prepare(pred, target, mask)
    errors = (_lengths(pred, skeleton) - _lengths(target, skeleton)).abs() * MILLIMETRES
    return ElementValues(errors, _seen_bones(mask, skeleton))


def bone_length_variations(
    points: Float[Tensor, "*batch t j 3"], skeleton: Skeleton, mask: Bool[Tensor, "*batch t j"] | None = None
) -> ElementValues:
    """The coefficient of variation of each bone's length, percent.

    The variation is over a clip; (*batch, bones).

    It is the standard deviation over the mean; the variance divides by the number of frames. A bone that is seen in
    fewer than two frames, or has no length, does not count.
    """
    points, _, mask = prepare(points, points, mask)
    seen = _seen_bones(mask, skeleton)
    lengths = _lengths(points, skeleton).where(seen, 0.0)
    frames = seen.sum(-2)
    mean = lengths.sum(-2) / frames.clamp(min=1)
    variance = (lengths - mean[..., None, :]).square().where(seen, 0.0).sum(-2) / frames.clamp(min=1)
    # Not `mean > 0`: a mean of NaN must count, to make the metric NaN.
    counts = (frames >= 2) & (mean != 0)
    return ElementValues(100.0 * variance.sqrt() / mean.where(counts, 1.0), counts)


class BoneLengthError(PairMetric):
    """Mean absolute error of bone lengths.

    Formula: the mean of | ‖p_child - p_parent‖ - ‖t_child - t_parent‖ |, over all bones of all poses.
    Source: Sun et al., "Compositional human pose regression", ICCV 2017, for the comparison of bones.
    Range: mm, 0 or more, lower is better.
    Unseen: a bone counts where both its ends do; NaN if none does.
    Traps: it ignores directions: a pose with every limb turned wrong can score 0.

    Args:
        skeleton: of the poses.
        keep: the number of bones, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import BoneLengthError
        >>> from poselift.skeleton import H36M17
        >>> target = torch.zeros(1, 17, 3)
        >>> target[:, H36M17.index("head_top"), 1] = -0.2
        >>> metric = BoneLengthError(H36M17)
        >>> metric.update(1.16 * target, target)
        >>> round(float(metric.compute()), 3)  # 32 mm on one of 16 bones
        2.0
    """

    higher_is_better = False
    element_values = staticmethod(bone_length_errors)

    def __init__(self, skeleton: Skeleton, keep: int | tuple[int, ...] = ()) -> None:
        super().__init__(keep, skeleton=skeleton)


class BoneLengthVariation(ElementMean):
    """Mean coefficient of variation of bone lengths over each clip.

    It needs no target.

    Formula: the mean over bones and clips of sigma / mu of the bone's length over the clip's frames, in percent;
        sigma² divides by the number of frames.
    Source: the coefficient of variation. Symmetric and constant bones are a usual measure of plausibility since
        Pavllo et al., CVPR 2019 (their bone-length loss).
    Range: percent, 0 or more, lower is better.
    Unseen: a frame of a bone counts where both its ends do. A bone with fewer than two such frames, or without
        length, is left out; NaN if none is left.
    Traps: it is 0 for a pose that never moves. Each clip weighs the same, however long.

    Args:
        skeleton: of the poses.
        keep: the number of bones, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import BoneLengthVariation
        >>> from poselift.skeleton import H36M17
        >>> pose = torch.randn(17, 3, generator=torch.Generator().manual_seed(0))
        >>> metric = BoneLengthVariation(H36M17)
        >>> metric.update(torch.stack((pose, 3 * pose)))
        >>> round(float(metric.compute()), 3)
        50.0
    """

    higher_is_better = False
    element_values = staticmethod(bone_length_variations)

    def __init__(self, skeleton: Skeleton, keep: int | tuple[int, ...] = ()) -> None:
        super().__init__(keep, skeleton=skeleton)

    def update(self, points: Float[Tensor, "*batch t j 3"], mask: Bool[Tensor, "*batch t j"] | None = None) -> None:
        """Adds clips.

        Args:
            points: metres.
            mask: True where a joint counts; all joints count if it is left out.
        """
        self.add(points, mask=mask)
