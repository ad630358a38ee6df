"""The base class of all metrics: a mean of per-element values.

The mean is over any number of batches and processes.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torchmetrics import Metric

from poselift.metrics.elements import ElementValues


class ElementMean(Metric):
    """The mean of all per-element values so far; NaN while none counts.

    Its sum and count are float64. `merge_state` adds those of another metric with the same settings.

    A subclass names its function as `element_values`, and its `update` calls `add`.

    Args:
        keep: the sizes of the last axes of the values that keep their own means, for example the number of joints.
            Without it there is one mean over everything.
        settings: passed on to the function.
    """

    full_state_update = False
    element_values: ClassVar[Callable[..., ElementValues]]

    def __init__(self, keep: int | tuple[int, ...] = (), **settings: Any) -> None:
        super().__init__()
        self.keep, self.settings = (keep,) if isinstance(keep, int) else keep, settings
        # MetricCollection treats metrics as duplicates if the names and first values of their states are equal, as
        # those of PCK and AUC are while no joint is correct. Names with the settings prevent that.
        named = [f"{name}={getattr(value, 'name', value)}" for name, value in settings.items()]
        what = " ".join([type(self).__name__, *named]).replace(".", "_")
        self._total_name, self._count_name = f"total of {what}", f"count of {what}"
        for name in (self._total_name, self._count_name):
            self.add_state(name, torch.zeros(self.keep, dtype=torch.float64), dist_reduce_fx="sum")

    @property
    def total(self) -> Float[Tensor, "*keep"]:
        """The sum of the values that counted so far."""
        total: Tensor = getattr(self, self._total_name)
        return total

    @property
    def count(self) -> Float[Tensor, "*keep"]:
        """The number of values that counted so far."""
        count: Tensor = getattr(self, self._count_name)
        return count

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Computes the values of a batch and adds them.

        Raises:
            ValueError: their last axes do not have the sizes `keep`.
        """
        batch = type(self).element_values(*args, **kwargs, **self.settings)
        axes = tuple(range(batch.values.ndim - len(self.keep)))
        if batch.values.shape[len(axes) :] != self.keep:
            raise ValueError(f"{type(self).__name__} keeps {self.keep} elements, but got {tuple(batch.values.shape)}")
        values, counts = batch.values.where(batch.counts, 0.0), batch.counts.double()
        setattr(self, self._total_name, self.total + (values.sum(axes) if axes else values).to(self.total.device))
        setattr(self, self._count_name, self.count + (counts.sum(axes) if axes else counts).to(self.count.device))

    def compute(self) -> Float[Tensor, "*keep"]:
        """The mean of each kept element so far.

        In a distributed run over all processes.
        """
        return self.means

    @property
    def means(self) -> Float[Tensor, "*keep"]:
        """The mean of each kept element so far, of this process alone."""
        return self.total / self.count

    def mean(self, axis: int | None = None) -> Float[Tensor, "*rest"]:
        """The mean over the kept axes, of this process alone."""
        axes = tuple(range(len(self.keep))) if axis is None else (axis,)
        return self.total.sum(axes) / self.count.sum(axes) if axes else self.means


class PairMetric(ElementMean):
    """A metric that compares predicted points with true ones."""

    def update(
        self,
        pred: Float[Tensor, "*batch c"],
        target: Float[Tensor, "*batch c"],
        mask: Bool[Tensor, "*batch"] | None = None,
    ) -> None:
        """Adds a batch.

        Args:
            pred: in the unit and shape that the metric's function takes.
            target: of the same shape.
            mask: True where a point counts; all points count if it is left out.
        """
        self.add(pred, target, mask=mask)
