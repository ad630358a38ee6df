"""Motion seen by virtual cameras and a simulated detector.

It gives 2D to train on without pictures.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Required, Unpack

import torch

from poselift.core.annotations import Amount, Count, Whole
from poselift.core.errors import InputError
from poselift.data import augment
from poselift.data.augment import Augmentation
from poselift.data.batches import Batch
from poselift.data.cmu import load_corpora
from poselift.data.cmu_bench import CmuBench
from poselift.data.corpus import MotionCorpus
from poselift.data.dataset_skeletons import SkeletonSampler, convert_skeleton
from poselift.data.module import LoaderOptions, MotionData
from poselift.data.noise import DetectorNoise, detect, landmarks
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import View, render_views
from poselift.data.virtual_camera import CameraRange, render_view
from poselift.data.windows import WindowSampler
from poselift.geometry import project
from poselift.skeleton import CMU28, Pelvis, Skeleton, get_skeleton

_TRUNK = ("pelvis", "left_hip", "right_hip", "spine")
"""Joints from which augmentation finds the direction that a body faces."""

_VALIDATION_SEED = 1_000_000
"""Seed of the validation cameras, in every run."""


class VirtualSampler:
    """Draws windows of a corpus, augments and renders them.

    Each window has a random camera and a simulated detector.

    Only the joints of CMU-28 are rendered; joints of CMU-28 that the corpus lacks are NaN in 2D and 3D.

    Args:
        corpus: the motion, on the device of the batches.
        frames: frames per window.
        skeleton_in: the lifter's input skeleton.
        skeleton_out: the lifter's output skeleton.
        skeletons: how often to show each skeleton, by name.
        cameras: range of the random cameras.
        noise: errors of the detector.
        augmentation: strength of the changes to bodies and movements.

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
                    f"virtual cameras need a corpus with {', '.join(_TRUNK)}; {corpus.skeleton.name} has no {joint}"
                )
        corpus = corpus.convert(CMU28)
        self.windows = WindowSampler(corpus, frames)
        self.skeleton_in, self.skeleton_out = skeleton_in, skeleton_out
        self.skeletons = SkeletonSampler(skeletons, skeleton_in)
        self.cameras = cameras or CameraRange()
        self.noise = noise or DetectorNoise()
        self.augmentation = augmentation or Augmentation()
        self.device = corpus.device

    def sample(self, count: int, generator: torch.Generator) -> Batch:
        """`count` random windows, each with its own body, camera and detector."""
        windows = augment.change(self.windows.sample(count, generator), self.augmentation, generator)
        seen = render_view(windows.joints, windows.root, self.cameras, generator)
        pixels = seen.pixels
        if self.noise.offset > 0:
            places = seen.joints + landmarks(seen.joints, self.noise, generator) + seen.root[:, :, None]
            pixels = project(places.flatten(1, 2), seen.K).view_as(pixels)
        keypoints, scores = detect(pixels, windows.times, seen.image_size, self.noise, generator)
        keypoints = convert_skeleton(keypoints, CMU28, self.skeleton_in)
        scores = convert_skeleton(scores[..., None], CMU28, self.skeleton_in, fill=0.0).squeeze(-1)
        keypoints, scores = self.skeletons.hide(keypoints, scores, generator)
        return Batch(
            keypoints=keypoints,
            scores=scores,
            times=windows.times,
            valid=windows.valid,
            K=seen.K,
            image_size=seen.image_size,
            joints=convert_skeleton(seen.joints, CMU28, self.skeleton_out),
            root=seen.root,
        )


class VirtualOptions(LoaderOptions, total=False):
    """Keyword options of every data module of virtual 2D.

    `VirtualData` documents them.
    """

    skeletons: Required[dict[str, Amount]]
    cameras: CameraRange | None
    noise: DetectorNoise | None
    augmentation: Augmentation | None


class VirtualData(MotionData):
    """Virtual 2D of a motion corpus to train on.

    Subclasses provide the corpus.

    Args:
        skeletons: how often to show each skeleton, by name.
        cameras: range of the random cameras.
        noise: errors of the detector.
        augmentation: strength of the changes to bodies and movements.
        **common: as for `MotionData`.
    """

    def __init__(
        self,
        skeletons: dict[str, float],
        cameras: CameraRange | None = None,
        noise: DetectorNoise | None = None,
        augmentation: Augmentation | None = None,
        **common: Unpack[LoaderOptions],
    ) -> None:
        super().__init__(**common)
        self.skeletons = skeletons
        self.cameras, self.noise, self.augmentation = cameras, noise, augmentation

    @abstractmethod
    def training_corpus(self) -> MotionCorpus:
        """The motion to train on."""

    def training_sampler(self, device: torch.device) -> VirtualSampler:
        """A sampler of the corpus under virtual cameras."""
        return VirtualSampler(
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
    """The CMU corpus's train split, and files like it.

    The files have its layout.

    Args:
        corpus: path of `cmu50.npz`, or a list of paths, the first of them `cmu50.npz`.
        bench: path of `bench_val.npz`, to validate on; None validates on the corpus's val split, with one fixed
            camera for each clip.
        skeleton: name of the skeleton that the bench shows; only with a bench.
        keypoints: 2D of the bench: "det" or "gt"; only with a bench.
        anatomical: moves joints of CMU's people to where anatomy has them; the bench keeps them where they are.
        **common: as for `VirtualData`.
    """

    pelvis: Pelvis | None = "spine"

    def __init__(
        self,
        corpus: str | Path | Sequence[str | Path],
        bench: str | Path | None = None,
        skeleton: str = "h36m17",
        keypoints: Literal["det", "gt"] = "det",
        anatomical: bool = True,
        **common: Unpack[VirtualOptions],
    ) -> None:
        super().__init__(**common)
        self.files = [corpus] if isinstance(corpus, str | Path) else list(corpus)
        if not self.files:
            raise InputError("data.corpus names no file; give cmu50.npz, or a list that begins with it")
        get_skeleton(skeleton)
        if bench is None and (skeleton, keypoints) != ("h36m17", "det"):
            raise InputError(
                "data.skeleton and data.keypoints are those of data.bench, which is null; give it too, or leave both "
                "out"
            )
        self.bench, self.skeleton, self.keypoints, self.anatomical = bench, skeleton, keypoints, anatomical

    def training_corpus(self) -> MotionCorpus:
        """The train split."""
        return load_corpora(self.files, "train", self.anatomical)

    def validation_views(self) -> CmuBench | list[View]:
        """The frozen benchmark, or the val split."""
        if self.bench is None:
            return render_views(load_corpora(self.files, "val", self.anatomical), seed=_VALIDATION_SEED)
        return CmuBench(self.files[0], self.bench, self.skeleton, self.keypoints)


class CorpusData(VirtualData):
    """A dataset's motion under virtual cameras.

    It serves training and validation.

    Args:
        root: the dataset's folder.
        corpus: the dataset's loader, called with `root` and with `train` or `val`.
        train: the loader's arguments for training.
        val: the loader's arguments for validation.
        pelvis: place of the dataset's pelvis.
        **common: as for `VirtualData`.
    """

    def __init__(
        self,
        root: str | Path,
        corpus: Callable[..., MotionCorpus],
        train: Mapping[str, Any],
        val: Mapping[str, Any],
        pelvis: Pelvis,
        **common: Unpack[VirtualOptions],
    ) -> None:
        super().__init__(**common)
        self.root, self.corpus, self.train, self.val, self.pelvis = root, corpus, train, val, pelvis

    def training_corpus(self) -> MotionCorpus:
        """The motion to train on."""
        return self.corpus(root=self.root, **self.train)

    def validation_views(self) -> list[View]:
        """The motion to validate on, with one fixed camera for each clip."""
        return render_views(self.corpus(root=self.root, **self.val), seed=_VALIDATION_SEED)


class SyntheticData(VirtualData):
    """Walking stick figures, made by code: needs no file.

    Args:
        clips: number of clips to train on.
        clip_frames: frames per clip.
        people_seed: seed of the figures. It is not the seed of the run, so that runs that differ in theirs train on the
            same people.
        **common: as for `VirtualData`.
    """

    pelvis: Pelvis | None = "hips"

    def __init__(
        self, clips: Count = 64, clip_frames: Count = 250, people_seed: Whole = 0, **common: Unpack[VirtualOptions]
    ) -> None:
        super().__init__(**common)
        self.clips, self.clip_frames, self.people_seed = clips, clip_frames, people_seed

    def training_corpus(self) -> MotionCorpus:
        """The same motion in every run with one `people_seed`."""
        return synthetic_corpus(self.clips, self.clip_frames, self.people_seed)

    def validation_views(self) -> list[View]:
        """Other figures, the same in every run."""
        return render_views(synthetic_corpus(8, self.clip_frames, seed=_VALIDATION_SEED), seed=_VALIDATION_SEED)
