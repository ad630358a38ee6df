"""The data of a training run, as a Lightning data module."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Required, TypedDict

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, Dataset

from poselift.core.annotations import Count, Whole
from poselift.core.errors import InputError
from poselift.data.batches import Batch, Batches, BatchSampler
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.skeleton import Pelvis, Skeleton, get_skeleton


class _Views(Dataset[View]):
    """The views that one process validates on.

    They have the lifter's skeletons. Each process takes every n-th view, starting at its rank.
    """

    def __init__(
        self, views: Sequence[View] | CmuBench, skeleton_in: Skeleton, skeleton_out: Skeleton, rank: int, processes: int
    ) -> None:
        if len(views) < processes:
            raise InputError(
                f"{len(views)} views to validate on are too few for {processes} processes; set a lower trainer.devices="
            )
        self.views, self.indices = views, range(rank, len(views), processes)
        self.skeleton_in, self.skeleton_out = skeleton_in, skeleton_out

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> View:
        return self.views[self.indices[index]].convert(self.skeleton_in, self.skeleton_out)


class LoaderOptions(TypedDict, total=False):
    """Options that every data module takes by keyword.

    `MotionData` documents them and has their defaults.
    """

    frames: Required[Count]
    skeleton_in: str
    skeleton_out: str
    batch_size: Count
    batches: Count
    seed: Whole


class MotionData(pl.LightningDataModule, ABC):
    """Windows to train on, whole views to validate on.

    Subclasses provide both. The training process makes all batches on its own device; there are no worker processes.

    Args:
        frames: frames per window.
        skeleton_in: name of the lifter's input skeleton.
        skeleton_out: name of the lifter's output skeleton.
        batch_size: windows per batch.
        batches: batches per epoch.
        seed: random seed of the windows.

    Raises:
        InputError: a skeleton is unknown.

    Attributes:
        training: the batches, after `setup`; set `training.first` to resume inside an epoch.
        pelvis: place of the pelvis in the 3D to train on; None without 3D, or where the datasets of a mix disagree.
    """

    training: Batches
    pelvis: Pelvis | None = None

    def __init__(
        self,
        frames: int,
        skeleton_in: str = "cmu28",
        skeleton_out: str = "h36m17",
        batch_size: int = 96,
        batches: int = 1000,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.frames, self.batch_size, self.batches, self.seed = frames, batch_size, batches, seed
        self.skeleton_in, self.skeleton_out = get_skeleton(skeleton_in), get_skeleton(skeleton_out)
        self._val: _Views | None = None

    @abstractmethod
    def training_sampler(self, device: torch.device) -> BatchSampler:
        """A sampler of the training windows, on the device."""

    @abstractmethod
    def validation_views(self) -> Sequence[View] | CmuBench:
        """The views to validate on."""

    def setup(self, stage: str) -> None:
        """Reads the data once."""
        if self._val is None:
            trainer = self.trainer
            rank, processes = (0, 1) if trainer is None else (trainer.global_rank, trainer.world_size)
            device = torch.device("cpu") if trainer is None else trainer.strategy.root_device
            sampler = self.training_sampler(device)
            self.training = Batches(sampler, self.batch_size, self.batches, self.seed, rank, processes)
            self._val = _Views(self.validation_views(), self.skeleton_in, self.skeleton_out, rank, processes)

    def train_dataloader(self) -> DataLoader[Batch]:
        """The batches of the current epoch; Lightning calls this each epoch (`reload_dataloaders_every_n_epochs=1`)."""
        if self.trainer is not None:
            self.training.epoch = self.trainer.current_epoch
            # The last epoch ends with the last step, so that a validation follows it too.
            left = self.trainer.max_steps - self.trainer.global_step
            if self.trainer.max_steps > 0:
                rest = self.training.first + max(left, 1) * self.trainer.accumulate_grad_batches
                self.training.batches = min(self.batches, rest)
        return DataLoader(self.training, batch_size=None)

    def val_dataloader(self) -> DataLoader[View]:
        """One view at a time; several processes share the views."""
        assert self._val is not None, "call setup first"
        return DataLoader(self._val, batch_size=None)

    def transfer_batch_to_device(self, batch: Batch | View, device: object, dataloader_idx: int) -> Batch | View:
        """The batch as it is.

        Batches are already on the device, and views move there when they are lifted.
        """
        return batch
