"""Training batches that all rows of a study share."""

from dataclasses import fields

import torch
from torch import Tensor

from poselift.data.batches import Batch, Batches


class KeptBatches(Batches):
    """Batches that are made once, on the CPU, and stay in memory for the next row of the same seed.

    So rows of one seed train on the same windows, on whatever device.

    Args:
        batches: makes them.

    Attributes:
        device: of the training.
    """

    def __init__(self, batches: Batches) -> None:
        super().__init__(batches.sampler, batches.batch_size, batches.batches, batches.seed)
        self.device = torch.device("cpu")
        self._made: dict[tuple[int, int, int], Batch] = {}

    def make(self, number: int) -> Batch:
        """The batch with this number in the epoch."""
        place = (self.seed, self.epoch, number)  # `MeanPose` asks a copy with another seed
        if place not in self._made:
            self._made[place] = super().make(number)
        return _moved(self._made[place], self.device)


def _moved(batch: Batch, device: torch.device) -> Batch:
    values = {field.name: getattr(batch, field.name) for field in fields(Batch)}
    return Batch(**{name: value.to(device) if isinstance(value, Tensor) else value for name, value in values.items()})
