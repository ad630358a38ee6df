"""One metric kept apart by group: by action, subject or sequence."""

import warnings
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torchmetrics import Metric
from torchmetrics.wrappers.abstract import WrapperMetric


class PerGroup(WrapperMetric):
    """A metric for each group, and the mean of the groups' means, as tables by action have it.

    The groups are fixed from the start, so that all processes have the same ones.

    Args:
        metric: of one value; each group gets its own copy.
        groups: their names.
    """

    def __init__(self, metric: Metric, groups: Sequence[str]) -> None:
        super().__init__()
        self.groups = tuple(groups)
        self.metrics = nn.ModuleList([metric.clone() for _ in self.groups])

    def _of(self, group: str) -> Metric:
        return cast(Metric, self.metrics[self.groups.index(group)])

    def update(self, group: str, *args: Any, **kwargs: Any) -> None:
        """Adds a batch of one group, as the metric takes it.

        Raises:
            ValueError: there is no such group.
        """
        if group not in self.groups:
            raise ValueError(f"there is no group {group!r}; there are {', '.join(self.groups)}")
        self._of(group).update(*args, **kwargs)

    def compute(self) -> dict[str, Tensor]:
        """The value of each group, NaN where nothing counted, and under "mean" the mean of those that are known."""
        with warnings.catch_warnings():
            # A process need not have seen every group.
            warnings.filterwarnings("ignore", "The ``compute`` method")
            values = {group: self._of(group).compute() for group in self.groups}
        return values | {"mean": torch.stack(list(values.values())).nanmean()}

    def reset(self) -> None:
        """Forgets everything."""
        for group in self.groups:
            self._of(group).reset()
        super().reset()
