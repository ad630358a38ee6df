"""The error of a path through space, after the usual alignments."""

from typing import Literal

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import apply_similarity, umeyama
from poselift.metrics.functional.position import FEWEST_POINTS
from poselift.metrics.functional.terms import MILLIMETRES, Terms, prepare

Alignment = Literal["none", "first_frame", "rigid", "similarity"]


def trajectory_errors(
    pred: Float[Tensor, "*batch t 3"],
    target: Float[Tensor, "*batch t 3"],
    alignment: Alignment,
    mask: Bool[Tensor, "*batch t"] | None = None,
) -> Terms:
    """The distance between two paths frame by frame, in mm; Terms of shape (*batch, t). See `trajectory_error`."""
    pred, target, mask = prepare(pred, target, mask)
    if alignment == "first_frame":
        first = mask.int().argmax(-1)[..., None, None]
        pred = pred + (target - pred).take_along_dim(first, -2)
    elif alignment in ("rigid", "similarity"):
        pred = apply_similarity(pred, *umeyama(pred, target, mask.double(), with_scale=alignment == "similarity"))
        mask = mask & (mask.sum(-1, keepdim=True) >= FEWEST_POINTS)
    elif alignment != "none":
        raise ValueError(f"there is no alignment {alignment!r}; choose none, first_frame, rigid or similarity")
    return Terms((pred - target).where(mask[..., None], 0.0).norm(dim=-1) * MILLIMETRES, mask)


def trajectory_error(
    pred: Float[Tensor, "*batch t 3"],
    target: Float[Tensor, "*batch t 3"],
    alignment: Alignment,
    mask: Bool[Tensor, "*batch t"] | None = None,
) -> Float[Tensor, ""]:
    """Mean distance between two paths, e.g. of the root joint.

    Formula: the mean of ‖A(p[t]) - q[t]‖, A the alignment of the whole path, q the truth.
    Source: Zhang and Scaramuzza, "A tutorial on quantitative trajectory evaluation for visual(-inertial) odometry",
        IROS 2018, for the alignments.
    Range: mm, 0 or more, lower is better.
    Unseen: frames that do not count are left out, of the alignment too; with "rigid" and "similarity", paths with
        fewer than 3 that count; NaN if none is left.
    Traps: the mean of the distances, as for poses, not their root mean square, as odometry has it. Aligning hides
        what it aligns: "similarity" hides a wrong scale.

    Args:
        pred: metres.
        target: metres.
        alignment: "none"; "first_frame" moves the prediction so that the first frame that counts is right;
            "rigid" turns and moves, "similarity" also scales the whole path.
        mask: True where a frame counts; all do if left out.

    Raises:
        ValueError: there is no such alignment.
    """
    return trajectory_errors(pred, target, alignment, mask).mean()
