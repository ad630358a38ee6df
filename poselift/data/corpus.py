"""A motion corpus, held as tensors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from poselift.core.errors import InputError
from poselift.data.dataset_skeletons import convert_skeleton
from poselift.skeleton import Skeleton


@dataclass(frozen=True)
class MotionCorpus:
    """Clips of 3D motion, end to end.

    They share one skeleton and one frame rate.

    Attributes:
        joints: metres, relative to the pelvis (the skeleton's first joint), Y up; NaN where unknown.
        root: pelvis in the world, metres, Y up.
        clip_start: clip c is frames clip_start[c] to clip_start[c + 1].
        names: names of the clips.
        subjects: the person of each clip.
        fps: frames per second.
        skeleton: skeleton of `joints`.
    """

    joints: Float[Tensor, "t j 3"]
    root: Float[Tensor, "t 3"]
    clip_start: Int[Tensor, " c1"]
    names: tuple[str, ...]
    subjects: tuple[str, ...]
    fps: float
    skeleton: Skeleton

    @classmethod
    def from_world(
        cls,
        clips: Mapping[str, Float[Tensor, "t j 3"]],
        subjects: tuple[str, ...],
        fps: float,
        skeleton: Skeleton,
    ) -> "MotionCorpus":
        """The corpus of clips whose joints are given in the world.

        Args:
            clips: for each name the joints in the world, metres, Y up; the first joint is the pelvis.
            subjects: the person of each clip.
            fps: frames per second.
            skeleton: skeleton of the clips.
        """
        points = torch.cat(list(clips.values()))
        return cls(
            joints=points - points[:, :1],
            root=points[:, 0],
            clip_start=torch.tensor([0, *map(len, clips.values())]).cumsum(0),
            names=tuple(clips),
            subjects=subjects,
            fps=fps,
            skeleton=skeleton,
        )

    @classmethod
    def join(cls, corpora: Sequence["MotionCorpus"]) -> "MotionCorpus":
        """The clips of several corpora with one skeleton, end to end.

        Raises:
            InputError: their frame rates differ.
        """
        first = corpora[0]
        for corpus in corpora:
            if corpus.fps != first.fps:
                raise InputError(
                    f"{corpus.names[0]} has {corpus.fps:g} frames a second, {first.names[0]} {first.fps:g}; "
                    "train on files of one frame rate"
                )
        lengths = torch.cat([corpus.clip_start.diff() for corpus in corpora])
        return replace(
            first,
            joints=torch.cat([corpus.joints for corpus in corpora]),
            root=torch.cat([corpus.root for corpus in corpora]),
            clip_start=torch.nn.functional.pad(lengths.cumsum(0), (1, 0)),
            names=tuple(name for corpus in corpora for name in corpus.names),
            subjects=tuple(subject for corpus in corpora for subject in corpus.subjects),
        )

    @property
    def device(self) -> torch.device:
        """The device of the tensors."""
        return self.joints.device

    def to(self, device: torch.device | str) -> "MotionCorpus":
        """The corpus on another device."""
        return replace(
            self, joints=self.joints.to(device), root=self.root.to(device), clip_start=self.clip_start.to(device)
        )

    def convert(self, skeleton: Skeleton) -> "MotionCorpus":
        """The corpus in another skeleton, by joint name.

        Joints that it lacks are NaN.
        """
        return replace(self, joints=convert_skeleton(self.joints, self.skeleton, skeleton), skeleton=skeleton)

    def clip(self, index: int) -> tuple[Float[Tensor, "t j 3"], Float[Tensor, "t 3"]]:
        """Joints and root of one clip."""
        frames = slice(int(self.clip_start[index]), int(self.clip_start[index + 1]))
        return self.joints[frames], self.root[frames]
