"""Several datasets at once, each with its weight.

Each is masked to its own joints.
"""

from collections.abc import Mapping, Sequence
from typing import Unpack

import torch

from poselift.core.errors import InputError
from poselift.data.batches import Batch, BatchSampler
from poselift.data.cmu_bench import CmuBench
from poselift.data.module import LoaderOptions, MotionData
from poselift.data.views import View


class MixedSampler:
    """Draws batches whose windows come from several datasets.

    Args:
        samplers: one for each dataset, all on one device and for one lifter.
        weights: relative share of the windows for each sampler.
    """

    def __init__(self, samplers: Sequence[BatchSampler], weights: Sequence[float | int]) -> None:
        self.samplers, self.device = samplers, samplers[0].device
        self._weights = torch.tensor(weights, dtype=torch.float32, device=self.device)

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """`count` windows, grouped by dataset; the dataset of each window is random."""
        chosen = torch.multinomial(self._weights, count, replacement=True, generator=generator)
        counts = chosen.bincount(minlength=len(self.samplers)).tolist()
        return Batch.concatenate(
            [sampler.sample(own, generator) for sampler, own in zip(self.samplers, counts, strict=True) if own]
        )


class MixedData(MotionData):
    """Several data modules as one.

    Args:
        datasets: data modules by name. The mix alone sets the batch size and the batches of an epoch.
        validate: name of the dataset to validate on.
        weights: relative share of the windows by name; equal by default. A dataset of weight 0 is never read for
            training.
        **common: as for `MotionData`.

    Raises:
        InputError: there is no dataset or no positive weight, or a name is unknown.
    """

    def __init__(
        self,
        datasets: Mapping[str, MotionData],
        validate: str,
        weights: Mapping[str, float | int] | None = None,
        **common: Unpack[LoaderOptions],
    ) -> None:
        super().__init__(**common)
        if not datasets:
            raise InputError(
                "the mix has no datasets; add each as +data@data.datasets.NAME=NAME, e.g. NAME cmu or h36m"
            )
        weights = dict.fromkeys(datasets, 1.0) if weights is None else weights
        for name in [*weights, validate]:
            if name not in datasets:
                raise InputError(f"the mix has no dataset called {name!r}; it has {', '.join(datasets)}")
        if min(weights.values()) < 0 or max(weights.values()) == 0:
            raise InputError(f"data.weights={dict(weights)} must not be negative, and not all 0")
        self.datasets, self.validate = datasets, validate
        self.weights = {name: weight for name, weight in weights.items() if weight > 0}
        pelvises = {datasets[name].pelvis for name in self.weights} - {None}
        self.pelvis = pelvises.pop() if len(pelvises) == 1 else None

    def training_sampler(self, device: torch.device) -> MixedSampler:
        """A sampler of the datasets with a positive weight."""
        samplers = [self.datasets[name].training_sampler(device) for name in self.weights]
        return MixedSampler(samplers, list(self.weights.values()))

    def validation_views(self) -> Sequence[View] | CmuBench:
        """The views of the dataset to validate on."""
        return self.datasets[self.validate].validation_views()
