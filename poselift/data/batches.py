"""Training batches without end, made on the corpus's device."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.utils.data import IterableDataset

from poselift.data import augment
from poselift.data.corpus import MotionCorpus
from poselift.data.joint_sets import JointSetSampler
from poselift.data.noise import DetectorNoise, detect
from poselift.data.virtual_camera import CameraRange, shoot
from poselift.data.windows import WindowSampler


@dataclass(frozen=True)
class Batch:
    """Windows of 2D keypoints with the 3D that they came from.

    Attributes:
        keypoints: pixels, the 28 joints of the CMU corpus; NaN where not seen.
        scores: 0 to 1; 0 where not seen.
        times: seconds.
        valid: False for frames past the end of the clip.
        K: intrinsics.
        image_size: width and height, pixels.
        joints: camera frame, metres, relative to the pelvis; NaN where not known.
        root: the pelvis, camera frame, metres.
    """

    keypoints: Float[Tensor, "b t 28 2"]
    scores: Float[Tensor, "b t 28"]
    times: Float[Tensor, "b t"]
    valid: Bool[Tensor, "b t"]
    K: Float[Tensor, "b 3 3"]
    image_size: Float[Tensor, "b 2"]
    joints: Float[Tensor, "b t 28 3"]
    root: Float[Tensor, "b t 3"]


@dataclass(frozen=True)
class Augmentation:
    """How much the corpus's bodies and movements are changed.

    Attributes:
        mirror: share of windows mirrored.
        recombine: share of windows that get another window's upper body.
        bend: share of windows with a turn added at the main joints.
        size: standard deviation of the log of the body's size.
        tilt: share of windows turned off the upright.
        tilt_spread: standard deviation of the angle, degrees.
    """

    mirror: float = 0.5
    recombine: float = 0.25
    bend: float = 0.3
    size: float = 0.08
    tilt: float = 0.25
    tilt_spread: float = 30.0


class TrainingBatches(IterableDataset[Batch]):
    """Batches of one epoch; the epoch's number seeds them, so that each epoch is new and can be made again.

    Args:
        corpus: the motion, on the device where batches are to be made.
        batch_size: windows in a batch.
        batches: in an epoch.
        windows: draws the windows; from `corpus`.
        joint_sets: draws which joints are seen.
        cameras: what cameras are drawn from.
        noise: how wrong the detector is.
        augmentation: how much bodies and movements are changed.
        seed: of the run.
        rank: of the process, where several train together.
    """

    def __init__(
        self,
        corpus: MotionCorpus,
        batch_size: int,
        batches: int,
        windows: WindowSampler,
        joint_sets: JointSetSampler,
        cameras: CameraRange,
        noise: DetectorNoise,
        augmentation: Augmentation,
        seed: int,
        rank: int = 0,
    ) -> None:
        self.corpus, self.batch_size, self.batches = corpus, batch_size, batches
        self.windows, self.joint_sets = windows, joint_sets
        self.cameras, self.noise, self.augmentation = cameras, noise, augmentation
        self.seed, self.rank, self.epoch = seed, rank, 0

    def set_epoch(self, epoch: int) -> None:
        """Called by the data module before each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.batches

    def __iter__(self) -> Iterator[Batch]:
        generator = torch.Generator(self.corpus.device)
        # A large odd stride keeps the seeds of runs, epochs and ranks apart.
        generator.manual_seed((self.seed * 1_000_003 + self.epoch) * 1_000_003 + self.rank)
        for _ in range(self.batches):
            yield self.make(generator)

    def make(self, generator: torch.Generator) -> Batch:
        """One batch."""
        change = self.augmentation
        windows = self.windows.sample(self.batch_size, generator)
        windows = augment.recombine(windows, change.recombine, generator)
        windows = augment.bend(windows, change.bend, generator)
        windows = augment.change_proportions(windows, change.size, generator)
        windows = augment.mirror(windows, change.mirror, generator)
        windows = augment.tilt(windows, change.tilt, torch.pi / 180 * change.tilt_spread, generator)
        shot = shoot(windows.joints, windows.root, self.cameras, generator)
        keypoints, scores = detect(shot.pixels, windows.times, shot.image_size, self.noise, generator)
        seen = self.joint_sets.sample(self.batch_size, generator)[:, None]
        return Batch(
            keypoints=torch.where(seen[..., None], keypoints, torch.nan),
            scores=torch.where(seen, scores, 0.0),
            times=windows.times,
            valid=windows.valid,
            K=shot.K,
            image_size=shot.image_size,
            joints=shot.joints,
            root=shot.root,
        )
