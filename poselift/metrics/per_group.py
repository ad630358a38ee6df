"""One metric for each group, for example each action or subject."""

import copy
import math
from typing import Any, Generic, TypeVar

from torch import distributed

from poselift.metrics.mean import ElementMean

M = TypeVar("M", bound=ElementMean)


class PerGroup(Generic[M]):
    """Metrics of one kind by group.

    Attributes:
        metrics: the metric of each group, in the order in which the groups came.

    Example:
        >>> import torch
        >>> from poselift.metrics import MPJPE, PerGroup
        >>> target, errors = torch.zeros(1, 17, 3), PerGroup()
        >>> for subject, offset in (("S9", 0.01), ("S11", 0.03)):
        ...     view = MPJPE()
        ...     view.update(target + torch.tensor([offset, 0.0, 0.0]), target)
        ...     errors.add(subject, view)
        >>> {subject: round(value, 3) for subject, value in errors.means().items()}
        {'S9': 10.0, 'S11': 30.0}
        >>> round(errors.mean(), 3)
        20.0
    """

    def __init__(self) -> None:
        self.metrics: dict[str, M] = {}

    def add(self, group: str, metric: M) -> None:
        """Adds what a metric, for example of one view, has counted."""
        if group in self.metrics:
            self.metrics[group].merge_state(metric)
        else:
            self.metrics[group] = copy.deepcopy(metric)

    def all(self) -> M:
        """One metric of everything in all groups.

        Raises:
            ValueError: there is no group.
        """
        if not self.metrics:
            raise ValueError("there is no group to take a metric of; add one first")
        first, *others = self.metrics.values()
        merged = copy.deepcopy(first)
        for metric in others:
            merged.merge_state(metric)
        return merged

    def means(self) -> dict[str, float]:
        """The mean of each group in which something counts."""
        return {group: float(metric.mean()) for group, metric in self.metrics.items() if metric.count.sum() > 0}

    def mean(self) -> float:
        """The mean of the groups' means; NaN where nothing counts."""
        means = self.means().values()
        return math.fsum(means) / len(means) if means else math.nan

    def gather(self) -> "PerGroup[M]":
        """The groups of all processes, sorted.

        They are the same in every process of a distributed run.
        """
        parts: list[Any] = [self.metrics]
        if distributed.is_initialized():
            parts = [None] * distributed.get_world_size()
            # As objects: the processes may know different groups, and float64 stays on the CPU.
            distributed.all_gather_object(parts, self.metrics)
        everything: PerGroup[M] = PerGroup()
        for group in sorted({group for part in parts for group in part}):
            for part in parts:
                if group in part:
                    everything.add(group, part[group])
        return everything
