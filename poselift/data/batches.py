"""Training batches without end, whatever they are made from."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.utils.data import IterableDataset


@dataclass(frozen=True)
class Batch:
    """Windows of 2D keypoints with the 3D that belongs to them, in the joint sets of the lifter.

    Attributes:
        keypoints: pixels, the joints that go in; NaN where not seen.
        scores: 0 to 1; 0 where not seen.
        times: seconds.
        valid: False for frames past the end of the clip.
        K: intrinsics.
        image_size: width and height, pixels.
        joints: the joints that come out; camera frame, metres, relative to the pelvis; NaN where not known.
        root: the pelvis, camera frame, metres; NaN where not known.
        distortion: k1, k2, p1, p2, k3 in OpenCV's order; None where no lens has any.
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
        """The windows of several batches, one after the other."""
        columns = {field.name: [getattr(part, field.name) for part in parts] for field in fields(Batch)}
        if any(distortion is not None for distortion in columns["distortion"]):
            columns["distortion"] = [
                part.K.new_zeros(len(part.K), 5) if part.distortion is None else part.distortion for part in parts
            ]
        else:
            del columns["distortion"]
        return Batch(**{name: torch.cat(values) for name, values in columns.items()})


@runtime_checkable
class BatchSource(Protocol):
    """Where windows are drawn from."""

    @property
    def device(self) -> torch.device:
        """Where batches are made."""

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """Draws `count` windows; the generator lives on the source's device."""


class Batches(IterableDataset[Batch]):
    """The batches of one epoch, the next one made in a thread while the step with this one runs.

    Each batch has its own seed, of the run, the epoch and its number in the epoch over all processes: it can be made
    again by itself, so that a run goes on from any batch, and two processes draw what one would in twice the
    batches.

    Args:
        source: where windows are drawn from.
        batch_size: windows in a batch.
        batches: in an epoch, for each process.
        seed: of the run.
        rank: of the process, where several train together.
        processes: how many those are.

    Attributes:
        epoch: the number of the epoch; set by the data module.
        first: the batch that the next pass begins with; 0 again after that pass has begun.
    """

    def __init__(
        self, source: BatchSource, batch_size: int, batches: int, seed: int, rank: int = 0, processes: int = 1
    ) -> None:
        self.source, self.batch_size, self.batches = source, batch_size, batches
        self.seed, self.rank, self.processes = seed, rank, processes
        self.epoch = 0
        self.first = 0

    def __len__(self) -> int:
        """Batches in the whole epoch, those before `first` too, as Lightning counts them."""
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
        """The batch of that number in the epoch."""
        place = [self.seed, self.epoch, number * self.processes + self.rank]
        seed = int(np.random.SeedSequence(place).generate_state(1, np.uint64)[0] >> np.uint64(1))
        return self.source.sample(self.batch_size, torch.Generator(self.source.device).manual_seed(seed))
