"""Training batches, made ahead of the training step."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.random import SeedSequence
from torch import Tensor
from torch.utils.data import IterableDataset


@dataclass(frozen=True)
class Batch:
    """Windows of 2D keypoints and their 3D joints, in the lifter's skeletons.

    Attributes:
        keypoints: pixels, in the input skeleton; NaN where not seen.
        scores: 0 to 1; 0 where not seen.
        times: seconds.
        valid: False for frames past the end of the clip.
        K: intrinsics.
        image_size: width and height, pixels.
        joints: in the output skeleton, camera frame, metres, relative to the pelvis; NaN where unknown.
        root: pelvis in the camera frame, metres; NaN where unknown.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None if no lens has any.
    """

    keypoints: Float[Tensor, "b t j 2"]
    scores: Float[Tensor, "b t j"]
    times: Float[Tensor, "b t"]
    valid: Bool[Tensor, "b t"]
    K: Float[Tensor, "b 3 3"]
    image_size: Float[Tensor, "b 2"]
    joints: Float[Tensor, "b t k 3"]
    root: Float[Tensor, "b t 3"]
    distortion: Float[Tensor, "b 5"] | None = None

    @staticmethod
    def concatenate(parts: Sequence["Batch"]) -> "Batch":
        """One batch with the windows of several, in order."""
        columns = {field.name: [getattr(part, field.name) for part in parts] for field in fields(Batch)}
        if any(distortion is not None for distortion in columns["distortion"]):
            columns["distortion"] = [
                part.K.new_zeros(len(part.K), 5) if part.distortion is None else part.distortion for part in parts
            ]
        else:
            del columns["distortion"]
        return Batch(**{name: torch.cat(values) for name, values in columns.items()})


@runtime_checkable
class BatchSampler(Protocol):
    """Draws windows at random."""

    @property
    def device(self) -> torch.device:
        """The device of the batches."""

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """`count` random windows; the generator is on the sampler's device."""


class Batches(IterableDataset[Batch]):
    """The batches of one epoch.

    A thread makes the next one during the training step.

    Each batch has its own seed, from the seed of the run, the epoch, and its number in the epoch over all processes.
    So a run can resume at any batch, and two processes together draw what one process draws in twice the batches.

    Args:
        sampler: draws the windows.
        batch_size: windows per batch.
        batches: batches per epoch and process.
        seed: seed of the run.
        rank: rank of this process among those that train together.
        processes: number of processes that train together.

    Attributes:
        epoch: number of the epoch; the data module sets it.
        first: number of the first batch of the next pass; 0 again once that pass has started.
    """

    def __init__(
        self, sampler: BatchSampler, batch_size: int, batches: int, seed: int, rank: int = 0, processes: int = 1
    ) -> None:
        self.sampler, self.batch_size, self.batches = sampler, batch_size, batches
        self.seed, self.rank, self.processes = seed, rank, processes
        self.epoch = 0
        self.first = 0

    def __len__(self) -> int:
        """Batches in the whole epoch, including those before `first`, as Lightning counts."""
        return self.batches

    def __iter__(self) -> Iterator[Batch]:
        numbers = range(self.first, self.batches)
        self.first = 0
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="batches") as thread:
            ahead = [thread.submit(self.make, number) for number in numbers[:1]]
            for number in numbers:
                batch = ahead.pop().result()
                if number + 1 < self.batches:
                    ahead.append(thread.submit(self.make, number + 1))
                yield batch

    def make(self, number: int) -> Batch:
        """The batch with this number in the epoch."""
        place = [self.seed, self.epoch, number * self.processes + self.rank]
        seed = int(SeedSequence(place).generate_state(1, np.uint64)[0] >> np.uint64(1))
        return self.sampler.sample(self.batch_size, torch.Generator(self.sampler.device).manual_seed(seed))
