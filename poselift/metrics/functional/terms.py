"""What a metric averages, before it is averaged.

Every metric of this package is a mean over values of which some do not count: joints that were not seen,
frames without a person. Its function returns these `Terms`; `mean()` makes the number, over everything or over
some axes (per joint, per frame), and the streaming classes add up sums and counts.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

MILLIMETRES = 1000.0
"""In a metre."""


@dataclass(frozen=True)
class Terms:
    """Values, and which of them count.

    Attributes:
        values: float64; what stands where `counts` is False means nothing.
        counts: True where a value counts.
    """

    values: Float[Tensor, "*axes"]
    counts: Bool[Tensor, "*axes"]

    def mean(self, dim: int | tuple[int, ...] | None = None) -> Tensor:
        """The mean of the values that count, over all axes or some; NaN where none does."""
        axes = tuple(range(self.values.ndim)) if dim is None else dim
        if axes == ():
            return self.values.where(self.counts, torch.nan)
        return self.values.where(self.counts, 0.0).sum(axes) / self.counts.sum(axes)

    def mean_per_entry(self) -> Tensor:
        """The mean over all axes but the last: per joint, bone, angle or limb."""
        return self.mean(tuple(range(self.values.ndim - 1)))


def prepare(pred: Tensor, target: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Brings a metric's inputs to float64, with zeros where they do not count, and a mask where there is none.

    A value that does not count may be NaN; one that counts and is NaN makes the metric NaN.

    Args:
        pred: (*batch, channels).
        target: (*batch, channels).
        mask: (*batch) of bool, True where a point counts.

    Raises:
        ValueError: the shapes do not fit. Broadcasting them would give a number, and a wrong one.
    """
    if pred.shape != target.shape:
        raise ValueError(f"the prediction is of shape {tuple(pred.shape)} but the target of {tuple(target.shape)}")
    if mask is None:
        mask = torch.ones(pred.shape[:-1], dtype=torch.bool, device=pred.device)
    if mask.shape != pred.shape[:-1]:
        raise ValueError(
            f"the mask is of shape {tuple(mask.shape)}; for these points it must be {tuple(pred.shape[:-1])}"
        )
    counts = mask[..., None]
    return pred.double().where(counts, 0.0), target.double().where(counts, 0.0), mask


def percent(correct: Tensor, errors: Tensor) -> Tensor:
    """100 where correct, else 0; NaN where the error is, as a prediction that is no number is a fault, not a miss."""
    return (100.0 * correct.to(errors.dtype)).where(~errors.isnan(), torch.nan)
