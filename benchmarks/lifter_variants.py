"""Variants of the lifter that `benchmarks/lifter_search.py` holds against it; benchmarks/lifter_log.md has the figures.

Each changes one thing. They are trained with `model._target_=benchmarks.lifter_variants.NAME`.
"""

import math
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.models import SpatioTemporalLifter
from poselift.models.encoding import Encoded
from poselift.nn.attention.scaled_dot import ScaledDotAttention
from poselift.nn.positions import RotaryTime
from poselift.skeleton import Skeleton

_LIMBS = ("right_leg", "left_leg", "trunk", "left_arm", "right_arm")


class BoneOutput(SpatioTemporalLifter):
    """Gives each bone's vector; joints are the sums along the tree."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self.head = nn.Sequential(self.head, _AlongTree(self.skeleton_out.parent_indices))


class _AlongTree(nn.Module):
    """Joints from the vectors of the bones that end at them."""

    path: Tensor

    def __init__(self, parents: tuple[int, ...]) -> None:
        super().__init__()
        path = torch.zeros(len(parents), len(parents))
        for joint in range(len(parents)):
            above = joint
            while above >= 0:
                path[joint, above] = 1
                above = parents[above]
        self.register_buffer("path", path, persistent=False)

    def forward(self, bones: Float[Tensor, "b t c"]) -> Float[Tensor, "b t c"]:
        """Sums along the tree, in float32 under autocast too."""
        bones = bones.float().unflatten(-1, (-1, 3))
        return (self.path[..., None] * bones[..., None, :, :]).sum(-2).flatten(-2)


class LimbDecoder(SpatioTemporalLifter):
    """A small network for each limb and the trunk in the place of one for all joints."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        dim = self.head[0].in_features
        limbs = [_limb(joint) for joint in self.skeleton_out.joints]
        places = [[k for k, limb in enumerate(limbs) if limb == name] for name in _LIMBS]
        self.head = _Limbs(dim, 2 * dim // len(_LIMBS), places)


def _limb(joint: str) -> str:
    side, _, part = joint.partition("_")
    if part in ("hip", "knee", "ankle", "big_toe", "heel"):
        return f"{side}_leg"
    return f"{side}_arm" if part in ("shoulder", "elbow", "wrist", "hand") else "trunk"


class _Limbs(nn.Module):
    order: Tensor

    def __init__(self, dim: int, hidden: int, places: list[list[int]]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(
            nn.Sequential(nn.Linear(dim, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, 3 * len(own)))
            for own in places
        )
        self.register_buffer("order", torch.tensor([k for own in places for k in own]).argsort(), persistent=False)

    def forward(self, frames: Float[Tensor, "b t d"]) -> Float[Tensor, "b t c"]:
        joints = torch.cat([part(frames) for part in self.parts], -1).unflatten(-1, (-1, 3))
        return joints[..., self.order, :].flatten(-2)


class GraphBias(SpatioTemporalLifter):
    """Attention over joints adds a learned number for each pair of joints and head (Graphormer's, by pair)."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        joints = len(self.skeleton_in)
        self._bias(torch.arange(joints * joints).view(joints, joints))

    def _bias(self, kinds: Int[Tensor, "j j"]) -> None:
        """Gives each block over joints a number for each kind of pair and head."""
        for block in self.joint_blocks:
            block.attention = _Biased(block.attention.dim, block.attention.heads, kinds)
        self.ordered_joints = True


class KinematicBias(GraphBias):
    """The number is that of how many bones are between the two (Graphormer's own: Ying et al. 2021, 3.1.2)."""

    def __init__(self, **config: Any) -> None:
        SpatioTemporalLifter.__init__(self, **config)
        self._bias(bones_between(self.skeleton_in))


def bones_between(skeleton: Skeleton) -> Int[Tensor, "j j"]:
    """How many bones one goes over from joint to joint."""
    above = [{joint} for joint in range(len(skeleton))]
    for joint in skeleton.topological_order[1:]:
        above[joint] |= above[skeleton.parent_indices[joint]]
    # What is above the one or the other, not above both, is on the way.
    return torch.tensor([[len(one ^ other) for other in above] for one in above])


class _Biased(ScaledDotAttention):
    kinds: Tensor

    def __init__(self, dim: int, heads: int, kinds: Int[Tensor, "j j"]) -> None:
        super().__init__(dim, heads)
        self.register_buffer("kinds", kinds, persistent=False)
        self.bias = nn.Parameter(torch.zeros(heads, int(kinds.max()) + 1))

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        return super().scores(q, k) + self.bias[:, self.kinds]

    def forward(
        self, tokens: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"] | None = None, *rest: None
    ) -> Float[Tensor, "b n d"]:
        weights, v = self.weights_and_values(tokens, mask, None, None, None)
        return self.merge(weights.to(v.dtype) @ v)


class Mixed(SpatioTemporalLifter):
    """Joints attend to those of all frames at once, in the place of those of their own."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self.joint_blocks = nn.ModuleList(_AllFrames(block) for block in self.joint_blocks)
        self.all_rotary = RotaryTime(self.config["joint_dim"] // self.config["joint_heads"])

    def _frames(self, encoded: Encoded) -> Float[Tensor, "b t d"]:
        for block in self.joint_blocks:
            block.rotation = self.all_rotary(encoded.times)
        return super()._frames(encoded)


class _AllFrames(nn.Module):
    """A block that is given the joints of each frame, and sees those of the window."""

    rotation: Float[Tensor, "b t r 2"]

    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.block = block

    def forward(self, joints: Float[Tensor, "bt j d"], mask: Bool[Tensor, "bt j"]) -> Float[Tensor, "bt j d"]:
        """Attends over a window's joints."""
        b, t = self.rotation.shape[:2]
        every = joints.view(b, -1, joints.shape[-1])
        rotation = self.rotation.repeat_interleave(joints.shape[1], 1)
        return self.block(every, mask.view(b, -1), rotation).view(b * t, *joints.shape[1:])


class MeansIn(SpatioTemporalLifter):
    """A time token is the mean of its frames, in the place of a layer that reads all of them."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        dim, frame_dim = self.token_in.out_features, self.head_norm.normalized_shape[0]
        self.token_in = nn.Sequential(_Mean(self.temporal_stride), nn.Linear(frame_dim, dim))


class _Mean(nn.Module):
    def __init__(self, frames: int) -> None:
        super().__init__()
        self.frames = frames

    def forward(self, tokens: Float[Tensor, "b n c"]) -> Float[Tensor, "b n c_frame"]:
        return tokens.unflatten(-1, (self.frames, -1)).mean(-2)


class Frequencies(SpatioTemporalLifter):
    """A time token is the first half of the cosine transform of its frames (as PoseFormerV2, Zhao et al. 2023)."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        dim, frame_dim = self.token_in.out_features, self.head_norm.normalized_shape[0]
        self.token_in = nn.Sequential(
            _Cosines(self.temporal_stride), nn.Linear(self.temporal_stride // 2 * frame_dim, dim)
        )


class _Cosines(nn.Module):
    basis: Tensor

    def __init__(self, frames: int) -> None:
        super().__init__()
        n, k = torch.arange(frames), torch.arange(frames // 2)
        basis = torch.cos(math.pi / frames * (n + 0.5) * k[:, None]) * (2 / frames) ** 0.5
        self.register_buffer("basis", basis, persistent=False)

    def forward(self, tokens: Float[Tensor, "b n c"]) -> Float[Tensor, "b n c_low"]:
        frames = tokens.unflatten(-1, (self.basis.shape[1], -1))
        return (self.basis.to(frames.dtype) @ frames).flatten(-2)


class NoContext(SpatioTemporalLifter):
    """Is not told where the camera looks, how large the person is in its picture, and how long its lens is."""

    def forward(self, encoded: Encoded, with_uncertainty: bool = False) -> Any:
        """Lifts a batch of windows."""
        return super().forward(replace(encoded, context=torch.zeros_like(encoded.context)), with_uncertainty)
