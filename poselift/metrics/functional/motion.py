"""Errors of motion: velocity, acceleration, and the jitter of a prediction by itself.

The time axis is the one before the joints; frames are taken as evenly spaced. A difference counts where every
frame in it does.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import MILLIMETRES, Terms, prepare


def _difference(points: Tensor, order: int) -> Tensor:
    """Differences along the time axis of (..., t, j, 3); no frames are left of a clip that is too short."""
    if points.shape[-3] <= order:
        return points[..., :0, :, :]
    return points.diff(n=order, dim=-3)


def _whole(mask: Tensor, order: int) -> Tensor:
    """Where all of the order + 1 frames of a difference count: (..., t, j) to (..., t - order, j)."""
    if mask.shape[-2] <= order:
        return mask[..., :0, :]
    return mask.unfold(-2, order + 1, 1).all(-1)


def _difference_errors(pred: Tensor, target: Tensor, mask: Tensor | None, order: int) -> Terms:
    pred, target, mask = prepare(pred, target, mask)
    errors = _difference(pred - target, order).norm(dim=-1) * MILLIMETRES
    return Terms(errors, _whole(mask, order))


def velocity_errors(
    pred: Float[Tensor, "*batch t j 3"],
    target: Float[Tensor, "*batch t j 3"],
    mask: Bool[Tensor, "*batch t j"] | None = None,
) -> Terms:
    """The error of each joint's step from frame to frame, in mm per frame; Terms of shape (*batch, t - 1, j)."""
    return _difference_errors(pred, target, mask, 1)


def mpjve(
    pred: Float[Tensor, "*batch t j 3"],
    target: Float[Tensor, "*batch t j 3"],
    mask: Bool[Tensor, "*batch t j"] | None = None,
) -> Float[Tensor, ""]:
    """Mean per-joint velocity error.

    Formula: the mean of ‖(p[t+1] - p[t]) - (q[t+1] - q[t])‖, q being the truth.
    Source: Pavllo et al., "3D human pose estimation in video with temporal convolutions and semi-supervised
        training", CVPR 2019.
    Range: mm per frame, 0 or more, lower is better.
    Unseen: a step counts where both of its frames do; NaN if none does.
    Traps: per frame, as the field reports it, so that numbers of 25 and 50 fps do not compare. A pose that never
        moves scores well where people move little.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.
    """
    return velocity_errors(pred, target, mask).mean()


def acceleration_errors(
    pred: Float[Tensor, "*batch t j 3"],
    target: Float[Tensor, "*batch t j 3"],
    mask: Bool[Tensor, "*batch t j"] | None = None,
) -> Terms:
    """The error of each joint's second difference, in mm per frame²; Terms of shape (*batch, t - 2, j)."""
    return _difference_errors(pred, target, mask, 2)


def acceleration_error(
    pred: Float[Tensor, "*batch t j 3"],
    target: Float[Tensor, "*batch t j 3"],
    mask: Bool[Tensor, "*batch t j"] | None = None,
) -> Float[Tensor, ""]:
    """Mean per-joint acceleration error.

    Formula: the mean of ‖p″ - q″‖, p″[t] = p[t+1] - 2 p[t] + p[t-1], q being the truth.
    Source: Kanazawa et al., "Learning 3D human dynamics from video", CVPR 2019.
    Range: mm per frame², 0 or more, lower is better; times fps² / 1000 it is in m/s².
    Unseen: a difference counts where all three of its frames do; NaN if none does.
    Traps: as for `mpjve`; and frames are taken as evenly spaced.

    Args:
        pred: metres.
        target: metres.
        mask: True where a joint counts; all do if left out.
    """
    return acceleration_errors(pred, target, mask).mean()


def jerks(points: Float[Tensor, "*batch t j 3"], fps: float, mask: Bool[Tensor, "*batch t j"] | None = None) -> Terms:
    """The size of each joint's third derivative, in m/s³; Terms of shape (*batch, t - 3, j).

    Raises:
        ValueError: `fps` is not positive.
    """
    if fps <= 0:
        raise ValueError(f"the frame rate is {fps}; it must be positive")
    points, _, mask = prepare(points, points, mask)
    return Terms(_difference(points, 3).norm(dim=-1) * fps**3, _whole(mask, 3))


def jitter(
    points: Float[Tensor, "*batch t j 3"], fps: float, mask: Bool[Tensor, "*batch t j"] | None = None
) -> Float[Tensor, ""]:
    """Mean jerk of a motion, without a target.

    Formula: the mean of ‖p‴‖, p‴ the third difference times fps³.
    Source: Flash and Hogan, "The coordination of arm movements", J. Neuroscience 1985, for jerk as the measure of
        smoothness.
    Range: m/s³, 0 or more, lower is smoother.
    Unseen: a difference counts where all four of its frames do; NaN if none does.
    Traps: it is 0 for a pose that never moves: read it beside an error. Real movement has jerk, so that less than the
        truth's is too smooth.

    Args:
        points: metres.
        fps: frames per second.
        mask: True where a joint counts; all do if left out.

    Raises:
        ValueError: `fps` is not positive.
    """
    return jerks(points, fps, mask).mean()
