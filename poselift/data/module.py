"""What a training run reads: a Lightning data module a source."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import pytorch_lightning as pl
from torch.utils.data import DataLoader, Dataset

from poselift.data.batches import Augmentation, Batch, TrainingBatches
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.corpus import MotionCorpus
from poselift.data.joint_sets import JointSetSampler
from poselift.data.noise import DetectorNoise
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import View, film
from poselift.data.virtual_camera import CameraRange
from poselift.data.windows import WindowSampler


class _Views(Dataset[View]):
    """Views as a dataset of torch's."""

    def __init__(self, views: Sequence[View] | CmuBench) -> None:
        self.views = views

    def __len__(self) -> int:
        return len(self.views)

    def __getitem__(self, index: int) -> View:
        return self.views[index]


class MotionData(pl.LightningDataModule, ABC):
    """Virtual 2D of a motion corpus to train on, whole views to validate on.

    Subclasses say where the motion comes from. Everything is made on the corpus's device in the training process
    itself: there are no worker processes.

    Args:
        frames: in a window.
        batch_size: windows in a batch.
        batches: in an epoch.
        joint_sets: how often each joint set is seen, by name.
        cameras: what cameras are drawn from.
        noise: how wrong the detector is.
        augmentation: how much bodies and movements are changed.
        seed: of the draws.
    """

    def __init__(
        self,
        frames: int,
        batch_size: int,
        batches: int,
        joint_sets: dict[str, float],
        cameras: CameraRange | None = None,
        noise: DetectorNoise | None = None,
        augmentation: Augmentation | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.frames, self.batch_size, self.batches, self.seed = frames, batch_size, batches, seed
        self.joint_sets = JointSetSampler(joint_sets)
        self.cameras = cameras or CameraRange()
        self.noise = noise or DetectorNoise()
        self.augmentation = augmentation or Augmentation()
        self._train: TrainingBatches | None = None
        self._val: _Views | None = None

    @abstractmethod
    def training_corpus(self) -> MotionCorpus:
        """The motion to train on."""

    @abstractmethod
    def validation_views(self) -> Sequence[View] | CmuBench:
        """The views to validate on."""

    def setup(self, stage: str) -> None:
        """Reads the corpus, once."""
        if self._train is None:
            device = self.trainer.strategy.root_device if self.trainer is not None else "cpu"
            corpus = self.training_corpus().to(device)
            self._train = TrainingBatches(
                corpus,
                self.batch_size,
                self.batches,
                WindowSampler(corpus, self.frames),
                self.joint_sets,
                self.cameras,
                self.noise,
                self.augmentation,
                self.seed,
                self.trainer.global_rank if self.trainer is not None else 0,
            )
            self._val = _Views(self.validation_views())

    def train_dataloader(self) -> DataLoader[Batch]:
        """Batches of one epoch; asked for anew each epoch (`reload_dataloaders_every_n_epochs=1`)."""
        assert self._train is not None, "setup comes first"
        if self.trainer is not None:
            self._train.set_epoch(self.trainer.current_epoch)
            # The last epoch is as long as the steps that are left, so that it ends in a validation too.
            left = self.trainer.max_steps - self.trainer.global_step
            if self.trainer.max_steps > 0:
                self._train.batches = min(self.batches, max(left, 1) * self.trainer.accumulate_grad_batches)
        return DataLoader(self._train, batch_size=None)

    def val_dataloader(self) -> DataLoader[View]:
        """One view at a time."""
        assert self._val is not None, "setup comes first"
        return DataLoader(self._val, batch_size=None)

    def transfer_batch_to_device(self, batch: Batch | View, device: object, dataloader_idx: int) -> Batch | View:
        """Batches are made on the device; views are small and move when they are lifted."""
        return batch


class CmuData(MotionData):
    """The train split of the CMU corpus; validates on `bench_val.npz`.

    Args:
        corpus: path of `cmu50.npz`.
        bench: path of `bench_val.npz`.
        joints: the joint set that validation sees.
        source: "det" or "gt": which 2D validation sees.
        **common: as for `MotionData`.
    """

    def __init__(
        self, corpus: str | Path, bench: str | Path, joints: str = "h36m17", source: str = "det", **common: object
    ) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        self.corpus, self.bench, self.joints, self.source = corpus, bench, joints, source

    def training_corpus(self) -> MotionCorpus:
        """The train split."""
        return load_cmu(self.corpus, "train")

    def validation_views(self) -> CmuBench:
        """The frozen benchmark."""
        return CmuBench(self.corpus, self.bench, self.joints, self.source)


class SyntheticData(MotionData):
    """Walking stick people of our own making: needs no file.

    Args:
        clips: to train on.
        clip_frames: in each clip.
        **common: as for `MotionData`.
    """

    def __init__(self, clips: int = 64, clip_frames: int = 250, **common: object) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        self.clips, self.clip_frames = clips, clip_frames

    def training_corpus(self) -> MotionCorpus:
        """Made with the seed of the run."""
        return synthetic_corpus(self.clips, self.clip_frames, self.seed)

    def validation_views(self) -> list[View]:
        """Other people, always the same ones."""
        return film(synthetic_corpus(8, self.clip_frames, seed=1_000_000), seed=1_000_000)
