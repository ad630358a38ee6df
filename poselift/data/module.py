"""What a training run reads, as a Lightning data module."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, Dataset

from poselift.core.errors import InputError
from poselift.data.batches import Batch, Batches, BatchSource
from poselift.data.cmu_bench import CmuBench
from poselift.data.views import View
from poselift.skeleton import Skeleton, get_skeleton


class _Views(Dataset[View]):
    """The views that one process validates on, in the joint sets of the lifter: every n-th, from its rank on."""

    def __init__(
        self, views: Sequence[View] | CmuBench, skeleton_in: Skeleton, skeleton_out: Skeleton, rank: int, processes: int
    ) -> None:
        if len(views) < processes:
            raise InputError(f"{len(views)} views to validate on cannot be shared by {processes} processes")
        self.views, self.indices = views, range(rank, len(views), processes)
        self.skeleton_in, self.skeleton_out = skeleton_in, skeleton_out

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> View:
        return self.views[self.indices[index]].converted(self.skeleton_in, self.skeleton_out)


class MotionData(pl.LightningDataModule, ABC):
    """Windows to train on, whole views to validate on.

    Subclasses say where both come from. Everything is made on the source's device in the training process itself:
    there are no worker processes.

    Args:
        frames: in a window.
        skeleton_in: name of the joint set that the lifter sees.
        skeleton_out: name of the joint set that it gives.
        batch_size: windows in a batch.
        batches: in an epoch.
        seed: of the draws.

    Raises:
        InputError: a joint set is not known, or one of the numbers but the seed is less than 1.

    Attributes:
        training: once set up; to go on inside an epoch, set their `first`.
    """

    training: Batches

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
        for name, number in {"frames": frames, "data.batch_size": batch_size, "data.batches": batches}.items():
            if number < 1:
                raise InputError(f"{name}={number} must be 1 or more")
        self.frames, self.batch_size, self.batches, self.seed = frames, batch_size, batches, seed
        self.skeleton_in, self.skeleton_out = get_skeleton(skeleton_in), get_skeleton(skeleton_out)
        self._val: _Views | None = None

    @abstractmethod
    def training_source(self, device: torch.device) -> BatchSource:
        """What to train on, read onto the device."""

    @abstractmethod
    def validation_views(self) -> Sequence[View] | CmuBench:
        """The views to validate on."""

    def setup(self, stage: str) -> None:
        """Reads the data, once."""
        if self._val is None:
            trainer = self.trainer
            rank, processes = (0, 1) if trainer is None else (trainer.global_rank, trainer.world_size)
            device = torch.device("cpu") if trainer is None else trainer.strategy.root_device
            source = self.training_source(device)
            self.training = Batches(source, self.batch_size, self.batches, self.seed, rank, processes)
            self._val = _Views(self.validation_views(), self.skeleton_in, self.skeleton_out, rank, processes)

    def train_dataloader(self) -> DataLoader[Batch]:
        """Batches of one epoch; asked for anew each epoch (`reload_dataloaders_every_n_epochs=1`)."""
        if self.trainer is not None:
            self.training.epoch = self.trainer.current_epoch
            # The last epoch is as long as the steps that are left, so that it ends in a validation too.
            left = self.trainer.max_steps - self.trainer.global_step
            if self.trainer.max_steps > 0:
                rest = self.training.first + max(left, 1) * self.trainer.accumulate_grad_batches
                self.training.batches = min(self.batches, rest)
        return DataLoader(self.training, batch_size=None)

    def val_dataloader(self) -> DataLoader[View]:
        """One view at a time; several processes share the views out among them."""
        assert self._val is not None, "setup comes first"
        return DataLoader(self._val, batch_size=None)

    def transfer_batch_to_device(self, batch: Batch | View, device: object, dataloader_idx: int) -> Batch | View:
        """Batches are made on the device; views are small and move when they are lifted."""
        return batch
