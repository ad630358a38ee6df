"""What all lifters share: 2D keypoints in, 3D joints out.

Both are in skeletons known by name.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.geometry.products import transform
from poselift.models.encoding import CONTEXT_CHANNELS, Encoded
from poselift.models.model_config import ModelConfig
from poselift.nn.attention import Attention
from poselift.skeleton import Skeleton, get_skeleton

JOINT_CHANNELS = 4
"""Numbers in `joint_channels` of a joint."""
_USUAL_STEP = 1 / 30
"""Seconds from frame to frame that the time channel counts as 1."""


@dataclass(frozen=True)
class Estimate:
    """The output of a lifter for a batch of windows.

    Attributes:
        joints: relative to the root joint, metres, in the camera frame.
        uncertainty: radius of the ball that holds the joint in 90 % of cases, metres; 0 for the root joint. None if
            the lifter gives none.
    """

    joints: Float[Tensor, "b t j 3"]
    uncertainty: Float[Tensor, "b t j"] | None = None


class Lifter(nn.Module, ABC):
    """Base of the models: `forward(encoded)` returns joints (b, t, j_out, 3).

    Args:
        config: what builds the model; saved with the weights.

    Attributes:
        config: as given.
        skeleton_in: the input skeleton.
        skeleton_out: the output skeleton; its first joint is the root.
        temporal_stride: frames in a token.
        gives_uncertainty: `estimate` returns the uncertainty too.
        teacher_forced: `forward` also takes the true joints in training.

    Raises:
        InputError: a skeleton is unknown.
    """

    config: ModelConfig
    skeleton_in: Skeleton
    skeleton_out: Skeleton
    temporal_stride: int = 1
    gives_uncertainty: bool = False
    teacher_forced: ClassVar[bool] = False

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.skeleton_in, self.skeleton_out = get_skeleton(config.skeleton_in), get_skeleton(config.skeleton_out)

    @abstractmethod
    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows.

        Args:
            encoded: any number of frames, joints in the order of `skeleton_in`.

        Returns:
            Joints relative to the root joint, metres, in the camera frame.
        """

    def estimate(self, encoded: Encoded) -> Estimate:
        """The joints, with uncertainty if the lifter `gives_uncertainty`.

        It takes what `forward` takes.
        """
        return Estimate(self(encoded))

    def penalty(self) -> Float[Tensor, ""] | None:
        """The attention mechanisms' term of the training loss, or None."""
        mechanisms = (module for module in self.modules() if isinstance(module, Attention))
        parts = [part for mechanism in mechanisms if (part := mechanism.penalty()) is not None]
        return torch.stack(parts).sum() if parts else None

    def to_camera(self, flat: Float[Tensor, "b t c"], encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The output as joints relative to the root, camera frame."""
        joints = flat.view(*flat.shape[:2], -1, 3).to(encoded.rotation.dtype)  # (b, t, 3 * j_out) -> (b, t, j_out, 3)
        return transform(encoded.rotation.mT[:, None], joints - joints[:, :, :1])

    def from_camera(self, joints: Float[Tensor, "b t j_out 3"], encoded: Encoded) -> Float[Tensor, "b t c"]:
        """The inverse of `to_camera`; unknown joints become 0."""
        known = joints.isfinite().all(-1, keepdim=True)
        return transform(encoded.rotation[:, None], torch.where(known, joints, 0.0)).flatten(2)


def joint_channels(encoded: Encoded) -> Float[Tensor, "b t j 4"]:
    """Each joint's coordinates, score, and whether it was seen.

    Unseen joints have 0.
    """
    seen = encoded.mask[..., None].to(encoded.coordinates.dtype)
    return torch.cat((encoded.coordinates * seen, encoded.scores[..., None] * seen, seen), -1)


class FrameFeatures(nn.Module):
    """A linear layer from a frame's joints to one vector.

    Its input is the `joint_channels`, then the context of `encode`, then the time since the previous frame, in
    thirtieths of a second.

    Args:
        joints: number of input joints.
        dim: width of the vector.
    """

    def __init__(self, joints: int, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(JOINT_CHANNELS * joints + CONTEXT_CHANNELS + 1, dim)

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t dim"]:
        """The vectors of all frames; the input of padding is 0."""
        joints = joint_channels(encoded).flatten(2)  # (b, t, j, 4) -> (b, t, 4 * j)
        steps = encoded.times.diff(dim=1, prepend=encoded.times[:, :1])[..., None] / _USUAL_STEP
        context = encoded.context[:, None].expand(-1, joints.shape[1], -1)
        valid = encoded.valid[..., None].to(joints.dtype)
        return self.linear(torch.cat((joints, context, steps), -1) * valid)


def needed_mask(mask: Bool[Tensor, "b n"]) -> Bool[Tensor, "b n"] | None:
    """The mask of tokens; on the CPU None if all are present.

    Attention is faster without a mask.

    A compiled or exported graph must not depend on values, and a GPU would wait for them.
    """
    if mask.is_cpu and not torch.compiler.is_compiling() and bool(mask.all()):
        return None
    return mask
