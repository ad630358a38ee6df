"""PCP: limbs whose ends are within part of their length."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.elements import ElementValues, percent, prepare
from poselift.metrics.mean import PairMetric
from poselift.skeleton import Skeleton

LIMBS = {
    f"{side}_{limb}": (f"{side}_{start}", f"{side}_{end}")
    for side in ("left", "right")
    for limb, start, end in (
        ("upper_arm", "shoulder", "elbow"),
        ("lower_arm", "elbow", "wrist"),
        ("upper_leg", "hip", "knee"),
        ("lower_leg", "knee", "ankle"),
    )
}
"""The limbs that PCP looks at, by the joints at their ends."""

PCP_THRESHOLD = 0.5
"""Share of a limb's length by which its joints may be wrong."""


def correct_limbs(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
    strict: bool = True,
) -> ElementValues:
    """100 for each correct limb, else 0.

    (*batch, limbs) in the order of `LIMBS`.

    A limb counts where both its ends do.

    Raises:
        ValueError: the skeleton lacks a limb.
    """
    pred, target, mask = prepare(pred, target, mask)
    starts, ends = (skeleton.indices([ends[end] for ends in LIMBS.values()]) for end in (0, 1))
    errors = (pred - target).norm(dim=-1)
    both = torch.stack((errors[..., starts], errors[..., ends]), -1)
    error = both.amax(-1) if strict else both.mean(-1)
    length = (target[..., starts, :] - target[..., ends, :]).norm(dim=-1)
    return ElementValues(percent(error <= PCP_THRESHOLD * length, error), mask[..., starts] & mask[..., ends])


class PCP(PairMetric):
    """Percentage of correct parts.

    Limbs whose ends are within half the limb's own length.

    Formula: 100 times the share of limbs that count with e_start <= length / 2 and e_end <= length / 2 (strict), or
        else with (e_start + e_end) / 2 <= length / 2. e is the distance of an end from its true position, length that
        of the true limb.
    Source: Ferrari et al., "Progressive search space reduction for human pose estimation", CVPR 2008. They describe
        the strict form; their published code uses the mean of the ends.
    Range: percent, 0 to 100, higher is better.
    Unseen: a limb counts where both its ends do; NaN if none does.
    Traps: papers often do not say which form they use. The mean of the ends is never lower than strict. Limbs that
        are short, or foreshortened in a picture, have the smallest thresholds.

    Args:
        skeleton: of the poses, which are in 2D or 3D, in any unit.
        strict: whether both ends must be within the threshold, or else their mean.
        keep: the number of limbs, to keep their means apart.

    Raises:
        ValueError: in `update`, if the skeleton lacks a limb.

    Example:
        >>> import torch
        >>> from poselift.metrics import PCP
        >>> from poselift.skeleton import H36M17
        >>> target = torch.arange(17.0)[:, None].expand(17, 3)
        >>> metric = PCP(H36M17)
        >>> metric.update(target, target)
        >>> float(metric.compute())
        100.0
    """

    higher_is_better = True
    element_values = staticmethod(correct_limbs)

    def __init__(self, skeleton: Skeleton, strict: bool = True, keep: int | tuple[int, ...] = ()) -> None:
        super().__init__(keep, skeleton=skeleton, strict=strict)
