"""Errors of motion: velocity, acceleration, and the jitter of a prediction.

The time axis comes before the joints, with evenly spaced frames. Differences stay within a batch, so a batch holds
whole clips, (*batch, t, j, 3). A difference counts where all its frames do.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.elements import MILLIMETRES, ElementValues, prepare
from poselift.metrics.mean import ElementMean, PairMetric


def _difference(points: Tensor, order: int) -> Tensor:
    """Differences along the time axis of (..., t, j, 3).

    Empty for a clip that is too short.
    """
    if points.shape[-3] <= order:
        return points[..., :0, :, :]
    return points.diff(n=order, dim=-3)


def _whole(mask: Tensor, order: int) -> Tensor:
    """Where all order + 1 frames of a difference count.

    (..., t, j) to (..., t - order, j).
    """
    if mask.shape[-2] <= order:
        return mask[..., :0, :]
    return mask.unfold(-2, order + 1, 1).all(-1)


def _difference_errors(pred: Tensor, target: Tensor, mask: Tensor | None, order: int) -> ElementValues:
    pred, target, mask = prepare(pred, target, mask)
    errors = _difference(pred - target, order).norm(dim=-1) * MILLIMETRES
    return ElementValues(errors, _whole(mask, order))


def velocity_errors(
    pred: Float[Tensor, "*batch t j 3"],
    target: Float[Tensor, "*batch t j 3"],
    mask: Bool[Tensor, "*batch t j"] | None = None,
) -> ElementValues:
    """The error of each joint's step to the next frame, mm.

    (*batch, t - 1, j).
    """
    return _difference_errors(pred, target, mask, 1)


def acceleration_errors(
    pred: Float[Tensor, "*batch t j 3"],
    target: Float[Tensor, "*batch t j 3"],
    mask: Bool[Tensor, "*batch t j"] | None = None,
) -> ElementValues:
    """The error of each joint's second difference, mm per frame².

    (*batch, t - 2, j).
    """
    return _difference_errors(pred, target, mask, 2)


def jerks(
    points: Float[Tensor, "*batch t j 3"], fps: float, mask: Bool[Tensor, "*batch t j"] | None = None
) -> ElementValues:
    """The size of each joint's third derivative, m/s³.

    (*batch, t - 3, j).

    Raises:
        ValueError: `fps` is not positive.
    """
    if fps <= 0:
        raise ValueError(f"the frame rate is {fps}; it must be positive")
    points, _, mask = prepare(points, points, mask)
    return ElementValues(_difference(points, 3).norm(dim=-1) * fps**3, _whole(mask, 3))


class MPJVE(PairMetric):
    """Mean per-joint velocity error.

    Formula: the mean of ‖(p[t+1] - p[t]) - (q[t+1] - q[t])‖, q being the truth.
    Source: Pavllo et al., "3D human pose estimation in video with temporal convolutions and semi-supervised
        training", CVPR 2019.
    Range: mm per frame, 0 or more, lower is better.
    Unseen: a step counts where both its frames do; NaN if none does.
    Traps: it is per frame, as the field reports it: values at 25 and 50 fps do not compare. A pose that never moves
        scores well where people move little.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import MPJVE
        >>> target = torch.zeros(1, 3, 17, 3)
        >>> pred = target.clone()
        >>> pred[:, 2] = torch.tensor([0.002, 0.0, 0.0])
        >>> metric = MPJVE()
        >>> metric.update(pred, target)
        >>> round(float(metric.compute()), 3)
        1.0
    """

    higher_is_better = False
    element_values = staticmethod(velocity_errors)


class AccelerationError(PairMetric):
    """Mean per-joint acceleration error.

    Formula: the mean of ‖p″ - q″‖, p″[t] = p[t+1] - 2 p[t] + p[t-1], q being the truth.
    Source: Kanazawa et al., "Learning 3D human dynamics from video", CVPR 2019.
    Range: mm per frame², 0 or more, lower is better; times fps² / 1000 it is in m/s².
    Unseen: a difference counts where all three of its frames do; NaN if none does.
    Traps: as for `MPJVE`.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import AccelerationError
        >>> target = torch.zeros(1, 3, 17, 3)
        >>> pred = target.clone()
        >>> pred[:, 2] = torch.tensor([0.002, 0.0, 0.0])
        >>> metric = AccelerationError()
        >>> metric.update(pred, target)
        >>> round(float(metric.compute()), 3)
        2.0
    """

    higher_is_better = False
    element_values = staticmethod(acceleration_errors)


class Jitter(ElementMean):
    """Mean jerk of a motion; it needs no target.

    Formula: the mean of ‖p‴‖, p‴ the third difference times fps³.
    Source: Flash and Hogan, "The coordination of arm movements", J. Neuroscience 1985, for jerk as the measure of
        smoothness.
    Range: m/s³, 0 or more, lower is smoother.
    Unseen: a difference counts where all four of its frames do; NaN if none does.
    Traps: it is 0 for a pose that never moves: read it beside an error. Real movement has jerk; less than the truth's
        is too smooth.

    Args:
        keep: the number of joints, to keep their means apart.

    Example:
        >>> import torch
        >>> from poselift.metrics import Jitter
        >>> metric = Jitter()
        >>> metric.update(torch.arange(8.0).pow(3)[:, None, None].expand(8, 17, 3) / 1000, fps=10.0)
        >>> round(float(metric.compute()), 3)  # 3! / 1000 · 10³ · √3
        10.392
    """

    higher_is_better = False
    element_values = staticmethod(jerks)

    def update(
        self, points: Float[Tensor, "*batch t j 3"], fps: float, mask: Bool[Tensor, "*batch t j"] | None = None
    ) -> None:
        """Adds clips.

        Args:
            points: metres.
            fps: frames per second.
            mask: True where a joint counts; all joints count if it is left out.
        """
        self.add(points, fps, mask=mask)
