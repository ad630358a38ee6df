"""The base of the streaming metrics: sums and counts in float64, added up over batches and over processes."""

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torchmetrics import Metric

from poselift.metrics.functional import Terms


class MeanOfTerms(Metric):
    """The mean of all terms it was given, whatever the batches; NaN where nothing counted.

    A subclass names the function of `poselift.metrics.functional` that makes its terms, and has an `update` that
    calls `add`.

    Args:
        entries: the length of the terms' last axis (joints, bones, angles, limbs) to keep its means apart; one
            mean over everything if left out.
        settings: passed on to the function.
    """

    full_state_update = False
    terms: ClassVar[Callable[..., Terms]]

    def __init__(self, entries: int | None = None, **settings: Any) -> None:
        super().__init__()
        self.settings = settings
        # MetricCollection takes metrics for one and the same whose states have the same names and, after the
        # first batch, the same values, e.g. PCK and AUC when nothing is right yet. So the names differ.
        named = [f"{name}={getattr(value, 'name', value)}" for name, value in settings.items()]
        what = " ".join([type(self).__name__, *named]).replace(".", "_")
        self.total_name, self.count_name = f"total of {what}", f"count of {what}"
        shape = () if entries is None else (entries,)
        for name in (self.total_name, self.count_name):
            self.add_state(name, torch.zeros(shape, dtype=torch.float64), dist_reduce_fx="sum")

    @property
    def count(self) -> Tensor:
        """How many values counted so far."""
        return getattr(self, self.count_name)

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Makes the terms of a batch and adds them to the sums."""
        terms = type(self).terms(*args, **kwargs, **self.settings)
        total, count = terms.values.where(terms.counts, 0.0), terms.counts.double()
        entries = self.count.shape
        if entries and terms.values.shape[-1:] != entries:
            raise ValueError(f"{type(self).__name__} keeps {entries[0]} entries, but got {terms.values.shape[-1]}")
        axes = tuple(range(total.ndim - len(entries)))
        for name, values in ((self.total_name, total), (self.count_name, count)):
            setattr(self, name, getattr(self, name) + (values.sum(axes) if axes else values))

    def compute(self) -> Tensor:
        """The mean so far, float64."""
        return getattr(self, self.total_name) / self.count


class PoseMetric(MeanOfTerms):
    """A metric of poses, or of whatever else is compared point by point with a target."""

    def update(
        self,
        pred: Float[Tensor, "*batch c"],
        target: Float[Tensor, "*batch c"],
        mask: Bool[Tensor, "*batch"] | None = None,
    ) -> None:
        """Adds a batch.

        Args:
            pred: as the metric's function takes it.
            target: likewise.
            mask: True where a point counts; all do if left out.
        """
        self.add(pred, target, mask=mask)
