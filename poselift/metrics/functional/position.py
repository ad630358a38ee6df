"""Errors of joint positions: MPJPE and its aligned forms, and the error of the root's place.

Nothing is aligned to the root unless the caller does it: `root_relative` both sides first for the field's
protocols. Metres in, millimetres out.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.geometry import apply_similarity, umeyama
from poselift.metrics.functional.terms import MILLIMETRES, Terms, prepare

FEWEST_POINTS = 3
"""Any two points align exactly by rotation and scale, so that an error of fewer says nothing."""


def root_relative(points: Float[Tensor, "*batch j 3"], root_index: int = 0) -> Float[Tensor, "*batch j 3"]:
    """Points relative to one of them."""
    return points - points[..., root_index, None, :]


def joint_errors(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Terms:
    """The distance of each joint from where it should be, in mm.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.

    Returns:
        Terms of shape (*batch, j).
    """
    pred, target, mask = prepare(pred, target, mask)
    return Terms((pred - target).norm(dim=-1) * MILLIMETRES, mask)


def mpjpe(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, ""]:
    """Mean per-joint position error in mm, over all joints that count; NaN if none does.

    Human3.6M's protocol 1 when both sides are root-relative (Ionescu et al., "Human3.6M", PAMI 2014).
    """
    return joint_errors(pred, target, mask).mean()


def procrustes_align(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch j 3"]:
    """Each predicted pose moved, turned and scaled to fit its target best over the joints that count; float64."""
    _, _, counts = prepare(pred, target, mask)
    pred = pred.double()
    return apply_similarity(pred, *umeyama(pred, target.double(), counts.double()))


def aligned_joint_errors(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Terms:
    """The distance of each joint after `procrustes_align`, in mm; poses with fewer than 3 joints do not count."""
    # Prepared first: an unseen NaN times the scale would reach the gradient of the others.
    pred, target, mask = prepare(pred, target, mask)
    enough = mask.sum(-1, keepdim=True) >= FEWEST_POINTS
    return joint_errors(procrustes_align(pred, target, mask), target, mask & enough)


def p_mpjpe(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, ""]:
    """MPJPE in mm after a similarity transform of each pose (Human3.6M's protocol 2); NaN if nothing counts.

    The rule for unseen joints: the alignment is found over the joints that count, and the error is theirs.
    MMPose aligns over all joints and masks afterwards, which gives another number; `procrustes_align` without a
    mask, then `mpjpe` with it, is that. A mirrored pose is not aligned by mirroring it. Poses with fewer than
    3 joints that count are left out, as any two points align exactly.
    """
    return aligned_joint_errors(pred, target, mask).mean()


def scale_align(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, "*batch j 3"]:
    """Each predicted pose scaled about the origin to fit its target best over the joints that count; float64."""
    seen_pred, seen_target, _ = prepare(pred, target, mask)
    size = seen_pred.square().sum((-2, -1), keepdim=True)
    scale = (seen_pred * seen_target).sum((-2, -1), keepdim=True) / size.where(size != 0, 1.0)
    # A pose that is all at the origin has no scale to set.
    return pred.double() * scale.where(size != 0, 1.0)


def scaled_joint_errors(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Terms:
    """The distance of each joint after `scale_align`, in mm."""
    pred, target, mask = prepare(pred, target, mask)
    return joint_errors(scale_align(pred, target, mask), target, mask)


def n_mpjpe(
    pred: Float[Tensor, "*batch j 3"], target: Float[Tensor, "*batch j 3"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, ""]:
    """MPJPE in mm after scaling each pose (protocol 3); NaN if nothing counts.

    Scaling is about the origin, so give root-relative poses (Rhodin et al., "Unsupervised geometry-aware
    representation for 3D human pose estimation", ECCV 2018).
    """
    return scaled_joint_errors(pred, target, mask).mean()


def mrpe(
    pred: Float[Tensor, "*batch 3"], target: Float[Tensor, "*batch 3"], mask: Bool[Tensor, "*batch"] | None = None
) -> Float[Tensor, ""]:
    """Mean root position error in mm: how far the root joint is from its true place in the camera's frame.

    Moon et al., "Camera distance-aware top-down approach for 3D multi-person pose estimation", ICCV 2019.

    Args:
        pred: the root's place, metres.
        target: the root's place, metres.
        mask: True where a root counts; all do if left out.
    """
    return root_errors(pred, target, mask).mean()


def root_errors(
    pred: Float[Tensor, "*batch 3"], target: Float[Tensor, "*batch 3"], mask: Bool[Tensor, "*batch"] | None = None
) -> Terms:
    """The distance of each root from where it should be, in mm; Terms of shape (*batch)."""
    pred, target, mask = prepare(pred, target, mask)
    return Terms((pred - target).norm(dim=-1) * MILLIMETRES, mask)
