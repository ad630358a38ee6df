"""The share of limbs that are found, in percent (PCP)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import Terms, percent, prepare
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
"""The limbs that are judged, by the joints at their ends."""

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
    starts, ends = (skeleton.indices([ends[end] for ends in LIMBS.values()]) for end in (0, 1))
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
    """Percentage of correct parts: limbs whose ends are within a part of the limb's own length.

    Formula: 100 times the share of limbs that count with e_start <= threshold · length and e_end <= threshold ·
        length (strict, both ends), or else with (e_start + e_end) / 2 <= threshold · length (the mean of the ends); e
        is the distance of an end from its true place, the length is the true limb's.
    Source: Ferrari et al., "Progressive search space reduction for human pose estimation", CVPR 2008. Strict is as
        they wrote it, the mean of the ends as their published code measured.
    Range: percent, 0 to 100, higher is better.
    Unseen: a limb counts where both its ends do; NaN if none does.
    Traps: papers often do not say which form they use, and the mean of the ends is never lower than strict. Short
        limbs, or foreshortened ones in a picture, are judged hardest.

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
