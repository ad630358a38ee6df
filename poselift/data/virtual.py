"""Motion of a corpus as virtual cameras and a detector would see it: 2D to train on without any picture."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from poselift.core.errors import InputError
from poselift.data import augment
from poselift.data.augment import Augmentation
from poselift.data.batches import Batch
from poselift.data.cmu import load_cmu
from poselift.data.cmu_bench import CmuBench
from poselift.data.corpus import MotionCorpus
from poselift.data.module import MotionData
from poselift.data.noise import DetectorNoise, detect
from poselift.data.skeletons import SkeletonSampler, shared_joints, spread
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import View, film
from poselift.data.virtual_camera import CameraRange, shoot
from poselift.data.windows import WindowSampler
from poselift.skeleton import CMU28, Skeleton

_TRUNK = ("pelvis", "left_hip", "right_hip", "spine")
"""Joints that augmentation needs to know which way a body faces."""

_VALIDATION_SEED = 1_000_000
"""Of the cameras to validate under, whatever the seed of the run."""


class VirtualSource:
    """Windows of a corpus: the body and the movement changed, then seen by a camera and a detector.

    Of the corpus's joints those of CMU-28 are filmed; what it lacks of them is neither seen nor known.

    Args:
        corpus: the motion, on the device where batches are to be made.
        frames: in a window.
        skeleton_in: the joints that the lifter sees.
        skeleton_out: the joints that it gives.
        skeletons: how often each joint set is seen, by name.
        cameras: what cameras are drawn from.
        noise: how wrong the detector is.
        augmentation: how much bodies and movements are changed.

    Raises:
        InputError: the corpus lacks a joint that augmentation needs.
    """

    def __init__(
        self,
        corpus: MotionCorpus,
        frames: int,
        skeleton_in: Skeleton,
        skeleton_out: Skeleton,
        skeletons: dict[str, float],
        cameras: CameraRange | None = None,
        noise: DetectorNoise | None = None,
        augmentation: Augmentation | None = None,
    ) -> None:
        for joint in _TRUNK:
            if joint not in corpus.skeleton.joints:
                raise InputError(
                    f"a corpus to be filmed needs {', '.join(_TRUNK)}; {corpus.skeleton.name} has no {joint}"
                )
        corpus = corpus.converted(CMU28)
        self.windows = WindowSampler(corpus, frames)
        self.skeleton_in, self.skeleton_out = skeleton_in, skeleton_out
        self.skeletons = SkeletonSampler(skeletons, skeleton_in)
        self.cameras = cameras or CameraRange()
        self.noise = noise or DetectorNoise()
        self.augmentation = augmentation or Augmentation()
        self.device = corpus.device

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """Draws windows, each with its own body, camera and detector."""
        windows = augment.change(self.windows.sample(count, generator), self.augmentation, generator)
        shot = shoot(windows.joints, windows.root, self.cameras, generator)
        keypoints, scores = detect(shot.pixels, windows.times, shot.image_size, self.noise, generator)
        source, places = shared_joints(CMU28, self.skeleton_in)
        keypoints = spread(keypoints[:, :, source], places, len(self.skeleton_in), torch.nan)
        scores = spread(scores[:, :, source, None], places, len(self.skeleton_in), 0.0).squeeze(-1)
        keypoints, scores = self.skeletons.hide(keypoints, scores, generator)
        source, places = shared_joints(CMU28, self.skeleton_out)
        return Batch(
            keypoints=keypoints,
            scores=scores,
            times=windows.times,
            valid=windows.valid,
            K=shot.K,
            image_size=shot.image_size,
            joints=spread(shot.joints[:, :, source], places, len(self.skeleton_out), torch.nan),
            root=shot.root,
        )


class VirtualData(MotionData):
    """Virtual 2D of a motion corpus to train on. Subclasses say which corpus.

    Args:
        skeletons: how often each joint set is seen, by name.
        cameras: what cameras are drawn from.
        noise: how wrong the detector is.
        augmentation: how much bodies and movements are changed.
        **common: as for `MotionData`.
    """

    def __init__(
        self,
        skeletons: dict[str, float],
        cameras: CameraRange | None = None,
        noise: DetectorNoise | None = None,
        augmentation: Augmentation | None = None,
        **common: object,
    ) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        self.skeletons = skeletons
        self.cameras, self.noise, self.augmentation = cameras, noise, augmentation

    @abstractmethod
    def training_corpus(self) -> MotionCorpus:
        """The motion to train on."""

    def training_source(self, device: torch.device) -> VirtualSource:
        """The corpus under virtual cameras."""
        return VirtualSource(
            self.training_corpus().to(device),
            self.frames,
            self.skeleton_in,
            self.skeleton_out,
            self.skeletons,
            self.cameras,
            self.noise,
            self.augmentation,
        )


class CmuData(VirtualData):
    """The train split of the CMU corpus.

    Args:
        corpus: path of `cmu50.npz`.
        bench: path of `bench_val.npz`, to validate on; if left out, that is the corpus's val split, each clip seen by
            one camera, always the same.
        joints: the joint set that validation on a bench sees.
        source: "det" or "gt": which 2D validation on a bench sees.
        **common: as for `VirtualData`.
    """

    def __init__(
        self,
        corpus: str | Path,
        bench: str | Path | None = None,
        joints: str = "h36m17",
        source: str = "det",
        **common: object,
    ) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        self.corpus, self.bench, self.joints, self.source = corpus, bench, joints, source

    def training_corpus(self) -> MotionCorpus:
        """The train split."""
        return load_cmu(self.corpus, "train")

    def validation_views(self) -> CmuBench | list[View]:
        """The frozen benchmark, or the val split."""
        if self.bench is None:
            return film(load_cmu(self.corpus, "val"), seed=_VALIDATION_SEED)
        return CmuBench(self.corpus, self.bench, self.joints, self.source)


class CorpusData(VirtualData):
    """The motion of a dataset under virtual cameras, to train and to validate on.

    Args:
        root: the dataset's folder.
        corpus: the dataset's loader; called with `root` and the arguments in `train` or `val`.
        train: what to train on, as the loader's arguments.
        val: what to validate on.
        **common: as for `VirtualData`.
    """

    def __init__(
        self,
        root: str | Path,
        corpus: Callable[..., MotionCorpus],
        train: Mapping[str, Any],
        val: Mapping[str, Any],
        **common: object,
    ) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        self.root, self.corpus, self.train, self.val = root, corpus, train, val

    def training_corpus(self) -> MotionCorpus:
        """The motion to train on."""
        return self.corpus(root=self.root, **self.train)

    def validation_views(self) -> list[View]:
        """The motion to validate on, each clip seen by one camera, always the same."""
        return film(self.corpus(root=self.root, **self.val), seed=_VALIDATION_SEED)


class SyntheticData(VirtualData):
    """Walking stick people of our own making: needs no file.

    Args:
        clips: to train on.
        clip_frames: in each clip.
        **common: as for `VirtualData`.
    """

    def __init__(self, clips: int = 64, clip_frames: int = 250, **common: object) -> None:
        super().__init__(**common)  # type: ignore[arg-type]
        self.clips, self.clip_frames = clips, clip_frames

    def training_corpus(self) -> MotionCorpus:
        """Made with the seed of the run."""
        return synthetic_corpus(self.clips, self.clip_frames, self.seed)

    def validation_views(self) -> list[View]:
        """Other people, always the same ones."""
        return film(synthetic_corpus(8, self.clip_frames, seed=_VALIDATION_SEED), seed=_VALIDATION_SEED)
