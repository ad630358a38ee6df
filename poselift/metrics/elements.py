"""The per-element values that metrics average.

There is one per joint, bone, angle or limb of each frame.

A metric is a mean over values of which some do not count: unseen joints, frames without a person. The functions of
this package return `ElementValues`, and the metric classes accumulate them.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

MILLIMETRES = 1000.0
"""In a metre."""


@dataclass(frozen=True)
class ElementValues:
    """Values and a mask of those that count.

    Attributes:
        values: float64; undefined where `counts` is False.
        counts: True where a value counts.

    Example:
        >>> import torch
        >>> from poselift.metrics import ElementValues
        >>> errors = ElementValues(torch.tensor([[1.0, 2.0], [5.0, 9.0]]), torch.tensor([[True, True], [True, False]]))
        >>> errors.mean(0)
        tensor([3., 2.])
    """

    values: Float[Tensor, "*axes"]
    counts: Bool[Tensor, "*axes"]

    def mean(self, dim: int | tuple[int, ...] | None = None) -> Tensor:
        """The mean of the values that count, over some axes.

        It is NaN where none counts.
        """
        axes = tuple(range(self.values.ndim)) if dim is None else dim
        return self.values.where(self.counts, 0.0).sum(axes) / self.counts.sum(axes)


def prepare(pred: Tensor, target: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """A metric's inputs as float64, and the mask.

    They are zero where they do not count.

    A value that does not count may be NaN. A NaN that counts makes the metric NaN.

    Args:
        pred: (*batch, channels).
        target: (*batch, channels).
        mask: (*batch) of bool, True where a point counts. All points count if it is left out.

    Raises:
        ValueError: the shapes differ. Broadcasting them would give a wrong number without an error.
    """
    if pred.shape != target.shape:
        raise ValueError(f"the prediction has shape {tuple(pred.shape)} and the target {tuple(target.shape)}")
    if mask is None:
        mask = torch.ones(pred.shape[:-1], dtype=torch.bool, device=pred.device)
    if mask.shape != pred.shape[:-1]:
        raise ValueError(
            f"the mask has shape {tuple(mask.shape)}; for these points it must be {tuple(pred.shape[:-1])}"
        )
    counts = mask[..., None]
    return pred.double().where(counts, 0.0), target.double().where(counts, 0.0), mask


def percent(correct: Tensor, errors: Tensor) -> Tensor:
    """100 where correct, 0 elsewhere, NaN where the error is NaN.

    A broken prediction is not a miss.
    """
    return (100.0 * correct.to(errors.dtype)).where(~errors.isnan(), torch.nan)
