"""The share of limbs that are found, in percent (PCP)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import Terms, percent, prepare
from poselift.skeleton import Skeleton

LIMBS = tuple(
    (f"{side}_{start}", f"{side}_{end}")
    for side in ("left", "right")
    for start, end in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
)
"""Upper arms, lower arms, upper legs and lower legs, by the joints at their ends."""

PCP_THRESHOLD = 0.5


def correct_limbs(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold: float = PCP_THRESHOLD,
    strict: bool = True,
) -> Terms:
    """100 for each limb that is found, else 0; Terms of shape (*batch, limbs) in the order of `LIMBS`.

    A limb counts where both its ends do.

    Raises:
        ValueError: the skeleton lacks a limb.
    """
    pred, target, mask = prepare(pred, target, mask)
    starts, ends = (skeleton.indices([limb[end] for limb in LIMBS]) for end in (0, 1))
    errors = (pred - target).norm(dim=-1)
    both = torch.stack((errors[..., starts], errors[..., ends]), -1)
    error = both.amax(-1) if strict else both.mean(-1)
    length = (target[..., starts, :] - target[..., ends, :]).norm(dim=-1)
    return Terms(percent(error <= threshold * length, error), mask[..., starts] & mask[..., ends])


def pcp(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
    threshold: float = PCP_THRESHOLD,
    strict: bool = True,
) -> Float[Tensor, ""]:
    """Percentage of correct parts: limbs whose ends are within a part of the limb's own length; NaN if none counts.

    Ferrari et al., "Progressive search space reduction for human pose estimation", CVPR 2008. Strict, as they
    wrote it, each end must be within; otherwise the mean of both is what must be, as their published code
    measured. Short limbs, or foreshortened ones in 2D, are judged hardest.

    Args:
        pred: in 2D or 3D, in any unit.
        target: likewise.
        skeleton: the joint set of both.
        mask: True where a joint counts; all do if left out.
        threshold: the part of the limb's length.
        strict: both ends, or else the mean of both.

    Raises:
        ValueError: the skeleton lacks a limb.
    """
    return correct_limbs(pred, target, skeleton, mask, threshold, strict).mean()
