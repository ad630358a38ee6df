"""What every lifter has in common: 2D keypoints in any joint set known by name in, 3D joints out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.geometry.products import transform
from poselift.models.encoding import CONTEXT_CHANNELS, Encoded
from poselift.nn.attention import Attention
from poselift.skeleton import get_skeleton

_USUAL_STEP = 1 / 30
"""Seconds between frames that count as one, so that the channel for it is near 1."""


@dataclass(frozen=True)
class Estimate:
    """What a lifter says of a batch of windows.

    Attributes:
        joints: relative to the root joint, metres, in the camera's frame.
        uncertainty: of the ball around each joint that is meant to hold the true one in 9 of 10 cases, metres; 0 for the
            root joint, which is the origin. None where the lifter does not tell.
    """

    joints: Float[Tensor, "b t j 3"]
    uncertainty: Float[Tensor, "b t j"] | None = None


class Lifter(nn.Module, ABC):
    """Base of the models: `forward(encoded)` gives (b, t, joints out, 3).

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out; its first joint is the root.
        **config: the other arguments that build the model, as plain data.

    Attributes:
        config: all of them; what is saved with the weights.
        teacher_forced: True where `forward` also takes the true joints in training.
    """

    teacher_forced: ClassVar[bool] = False

    def __init__(self, skeleton_in: str, skeleton_out: str, **config: Any) -> None:
        super().__init__()
        self.config: dict[str, Any] = {"skeleton_in": skeleton_in, "skeleton_out": skeleton_out, **config}
        self.skeleton_in, self.skeleton_out = get_skeleton(skeleton_in), get_skeleton(skeleton_out)

    @abstractmethod
    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """Lifts a batch of windows.

        Args:
            encoded: of any number of frames, joints in the order of `skeleton_in`.

        Returns:
            Joints relative to the root joint, metres, in the camera's frame.
        """

    def estimate(self, encoded: Encoded) -> Estimate:
        """The joints, and how far off they may be where the lifter tells; the argument of `forward`."""
        return Estimate(self(encoded))

    def penalty(self) -> Float[Tensor, ""] | None:
        """What training adds to its loss for the attention mechanisms; None for nothing."""
        mechanisms = (module for module in self.modules() if isinstance(module, Attention))
        parts = [part for mechanism in mechanisms if (part := mechanism.penalty()) is not None]
        return torch.stack(parts).sum() if parts else None

    def to_camera(self, flat: Float[Tensor, "b t c"], encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """Joints as the network gives them, side by side, relative to the root and in the camera's frame."""
        joints = flat.view(*flat.shape[:2], -1, 3).to(encoded.rotation.dtype)
        return transform(encoded.rotation.mT[:, None], joints - joints[:, :, :1])

    def from_camera(self, joints: Float[Tensor, "b t j_out 3"], encoded: Encoded) -> Float[Tensor, "b t c"]:
        """What the network would have to give for these joints; 0 for those that are not known."""
        known = joints.isfinite().all(-1, keepdim=True)
        return transform(encoded.rotation[:, None], torch.where(known, joints, 0.0)).flatten(2)


class FrameFeatures(nn.Module):
    """One vector a frame: a linear layer over all that is known of it.

    That is, for each joint its place (0 where it was not seen), its score and whether it was seen; what `encode`
    took out of the window; and the time since the frame before, in thirtieths of a second.

    Args:
        joints: that go in.
        dim: width of the vector.
    """

    def __init__(self, joints: int, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(4 * joints + CONTEXT_CHANNELS + 1, dim)

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t dim"]:
        """The vectors; those of padding are made of zeros."""
        seen = encoded.mask[..., None].to(encoded.coordinates.dtype)
        joints = torch.cat((encoded.coordinates * seen, encoded.scores[..., None] * seen, seen), -1).flatten(2)
        steps = encoded.times.diff(dim=1, prepend=encoded.times[:, :1])[..., None] / _USUAL_STEP
        context = encoded.context[:, None].expand(-1, joints.shape[1], -1)
        valid = encoded.valid[..., None].to(joints.dtype)
        return self.linear(torch.cat((joints, context, steps), -1) * valid)
