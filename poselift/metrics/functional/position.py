"""Errors of joint positions: MPJPE and its aligned forms, that of 2D keypoints, and the error of the root's place.

Nothing is aligned to the root unless the caller does it: `root_relative` both sides first for the field's
protocols. Metres in, millimetres out; pixels for 2D.
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
    """Mean per-joint position error.

    Formula: the mean of ‖p - t‖ over all joints that count.
    Source: Ionescu et al., "Human3.6M", PAMI 2014; its protocol 1 when both sides are root-relative.
    Range: mm, 0 or more, lower is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: nothing is aligned here, so root-relative poses must come in. The root's own zero error is part of the mean
        where the root is one of the joints, as in the field's tables. The mean over actions is not the mean over
        frames.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.
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
    """MPJPE after the similarity transform that fits each pose best (Human3.6M's protocol 2).

    Formula: the mean of ‖s R p + d - t‖, with the s, R and d that make the sum of squares least, det R = 1.
    Source: Umeyama, "Least-squares estimation of transformation parameters", PAMI 1991; Martinez et al., "A simple
        yet effective baseline for 3D human pose estimation", ICCV 2017, for the protocol.
    Range: mm, 0 or more, lower is better.
    Unseen: the alignment is found over the joints that count, and the error is theirs. Poses with fewer than 3 of
        them are left out, as any two points align exactly; NaN if none is left.
    Traps: MMPose aligns over all joints and masks afterwards, which gives another number; `procrustes_align` without
        a mask, then `mpjpe` with it, is that. Without the rule on det R, as in scipy's and torchmetrics's functions,
        a mirrored pose would score 0.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.
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
    """MPJPE after the scaling that fits each pose best (protocol 3).

    Formula: the mean of ‖s p - t‖, s = sum p·t / sum p·p over the pose's joints.
    Source: Rhodin et al., "Unsupervised geometry-aware representation for 3D human pose estimation", ECCV 2018.
    Range: mm, 0 or more, lower is better.
    Unseen: the scale is found over the joints that count, and the error is theirs; NaN if none counts.
    Traps: scaling is about the origin, so give root-relative poses. s minimises the squared error, so that N-MPJPE
        can be above MPJPE. MMPose finds s over all joints and masks afterwards.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.
    """
    return scaled_joint_errors(pred, target, mask).mean()


def mrpe(
    pred: Float[Tensor, "*batch 3"], target: Float[Tensor, "*batch 3"], mask: Bool[Tensor, "*batch"] | None = None
) -> Float[Tensor, ""]:
    """Mean root position error: how far the root joint is from its true place in the camera's frame.

    Formula: the mean of ‖p - t‖ over all roots that count.
    Source: Moon et al., "Camera distance-aware top-down approach for 3D multi-person pose estimation", ICCV 2019.
    Range: mm, 0 or more, lower is better.
    Unseen: roots that do not count are left out; NaN if none counts.
    Traps: nearly all of it is depth, which one camera hardly shows: read it beside the distance of the people.

    Args:
        pred: the root's place, metres.
        target: the root's place, metres.
        mask: True where a root counts; all do if left out.
    """
    return root_errors(pred, target, mask).mean()


def pixel_errors(
    pred: Float[Tensor, "*batch j 2"], target: Float[Tensor, "*batch j 2"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Terms:
    """The distance of each keypoint from where it should be, in pixels; Terms of shape (*batch, j)."""
    pred, target, mask = prepare(pred, target, mask)
    return Terms((pred - target).norm(dim=-1), mask)


def epe(
    pred: Float[Tensor, "*batch j 2"], target: Float[Tensor, "*batch j 2"], mask: Bool[Tensor, "*batch j"] | None = None
) -> Float[Tensor, ""]:
    """End-point error: MPJPE in 2D.

    Formula: the mean of ‖p - t‖ over all keypoints that count.
    Source: Zimmermann and Brox, "Learning to estimate 3D hand pose from single RGB images", ICCV 2017, for the name.
    Range: pixels, 0 or more, lower is better.
    Unseen: keypoints that do not count are left out; NaN if none counts.
    Traps: it grows with the size of the picture and of the person; `pck` does not.

    Args:
        pred: pixels.
        target: pixels.
        mask: True where a keypoint counts; all do if left out.
    """
    return pixel_errors(pred, target, mask).mean()


def root_errors(
    pred: Float[Tensor, "*batch 3"], target: Float[Tensor, "*batch 3"], mask: Bool[Tensor, "*batch"] | None = None
) -> Terms:
    """The distance of each root from where it should be, in mm; Terms of shape (*batch)."""
    pred, target, mask = prepare(pred, target, mask)
    return Terms((pred - target).norm(dim=-1) * MILLIMETRES, mask)
