"""A motion corpus held as tensors, whatever it was read from."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from poselift.data.skeletons import shared_joints, spread
from poselift.skeleton import Skeleton


@dataclass(frozen=True)
class MotionCorpus:
    """Clips of 3D motion of one joint set and one frame rate, end to end.

    Attributes:
        joints: metres, relative to the pelvis (the skeleton's first joint), Y up; NaN where not known.
        root: the pelvis in the world, metres, Y up.
        clip_start: clip c is frames clip_start[c] to clip_start[c + 1].
        names: of the clips.
        subjects: of the clips.
        fps: frames per second.
        skeleton: the joint set of `joints`.
    """

    joints: Float[Tensor, "t j 3"]
    root: Float[Tensor, "t 3"]
    clip_start: Int[Tensor, " c1"]
    names: tuple[str, ...]
    subjects: tuple[str, ...]
    fps: float
    skeleton: Skeleton

    @property
    def device(self) -> torch.device:
        """Where the tensors live."""
        return self.joints.device

    def to(self, device: torch.device | str) -> "MotionCorpus":
        """The corpus on another device."""
        return replace(
            self, joints=self.joints.to(device), root=self.root.to(device), clip_start=self.clip_start.to(device)
        )

    def converted(self, skeleton: Skeleton) -> "MotionCorpus":
        """The corpus in another joint set, by joint name; a joint that it does not truly have is NaN."""
        if skeleton == self.skeleton:
            return self
        source, places = shared_joints(self.skeleton, skeleton)
        joints = spread(self.joints[:, source], places, len(skeleton), torch.nan)
        return replace(self, joints=joints, skeleton=skeleton)

    def clip(self, index: int) -> tuple[Float[Tensor, "t j 3"], Float[Tensor, "t 3"]]:
        """Joints and root of one clip."""
        frames = slice(int(self.clip_start[index]), int(self.clip_start[index + 1]))
        return self.joints[frames], self.root[frames]
