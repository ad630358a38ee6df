"""Bone lengths: their error, and how much they vary in time, which those of a person do not.

Bones are in the order of `Skeleton.bones`. A bone counts where both its ends do.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import bone_lengths
from poselift.metrics.functional.terms import MILLIMETRES, Terms, prepare
from poselift.skeleton import Skeleton


def _seen_bones(mask: Tensor, skeleton: Skeleton) -> Tensor:
    parents, children = zip(*skeleton.bone_indices, strict=True)
    return mask[..., parents] & mask[..., children]


def bone_length_errors(
    pred: Float[Tensor, "*batch j 3"],
    target: Float[Tensor, "*batch j 3"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Terms:
    """The absolute error of each bone's length, in mm; Terms of shape (*batch, bones)."""
    pred, target, mask = prepare(pred, target, mask)
    parents = skeleton.parent_indices
    errors = (bone_lengths(pred, parents) - bone_lengths(target, parents)).abs() * MILLIMETRES
    return Terms(errors, _seen_bones(mask, skeleton))


def bone_length_error(
    pred: Float[Tensor, "*batch j 3"],
    target: Float[Tensor, "*batch j 3"],
    skeleton: Skeleton,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, ""]:
    """Mean absolute error of bone lengths.

    Formula: the mean of | ‖p_child - p_parent‖ - ‖t_child - t_parent‖ |, over all bones of all poses.
    Source: Sun et al., "Compositional human pose regression", ICCV 2017, for bones as what is compared.
    Range: mm, 0 or more, lower is better.
    Unseen: a bone counts where both its ends do; NaN if none does.
    Traps: directions do not matter to it: a pose with every limb turned wrong can score 0.

    Args:
        pred: metres.
        target: metres.
        skeleton: the joint set of both.
        mask: True where a joint counts; all do if left out.
    """
    return bone_length_errors(pred, target, skeleton, mask).mean()


def bone_length_variations(
    points: Float[Tensor, "*batch t j 3"], skeleton: Skeleton, mask: Bool[Tensor, "*batch t j"] | None = None
) -> Terms:
    """How much each bone's length varies over a clip, in percent of its mean; Terms of shape (*batch, bones).

    The coefficient of variation: the standard deviation (of the frames themselves, dividing by their number)
    over the mean. A bone that is seen in fewer than two frames, or has no length, does not count.
    """
    points, _, mask = prepare(points, points, mask)
    seen = _seen_bones(mask, skeleton)
    lengths = bone_lengths(points, skeleton.parent_indices).where(seen, 0.0)
    frames = seen.sum(-2)
    mean = lengths.sum(-2) / frames.clamp(min=1)
    variance = (lengths - mean[..., None, :]).square().where(seen, 0.0).sum(-2) / frames.clamp(min=1)
    # Not `mean > 0`: a mean of NaN counts, and shows.
    counts = (frames >= 2) & (mean != 0)
    return Terms(100.0 * variance.sqrt() / mean.where(counts, 1.0), counts)


def bone_length_variation(
    points: Float[Tensor, "*batch t j 3"], skeleton: Skeleton, mask: Bool[Tensor, "*batch t j"] | None = None
) -> Float[Tensor, ""]:
    """How much bone lengths vary over a clip, which those of a person do not.

    Formula: the mean over bones and clips of sigma / mu of the bone's length over the clip's frames, in percent;
        sigma divides by the number of frames.
    Source: the coefficient of variation; the symmetry and constancy of bones as a measure of plausibility is usual
        since Pavllo et al., CVPR 2019 (their bone-length loss).
    Range: percent, 0 or more, lower is better.
    Unseen: a bone's frames count where both its ends do; one with fewer than two such frames, or without length, is
        left out; NaN if none is left.
    Traps: it needs no target, and is 0 for a pose that never moves. Each clip weighs the same, however long.

    Args:
        points: metres.
        skeleton: the joint set.
        mask: True where a joint counts; all do if left out.
    """
    return bone_length_variations(points, skeleton, mask).mean()
