"""The spatio-temporal Transformer that lifts 2D keypoints to 3D."""

from collections.abc import Mapping
from typing import Any, Literal, overload

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.models.base import Estimate, Lifter
from poselift.models.encoding import CONTEXT_CHANNELS, Encoded, pad_time
from poselift.nn.attention import attention_spec, build_attention
from poselift.nn.blocks import EncoderBlock, FeedForward
from poselift.nn.initialisation import initialise_
from poselift.nn.positions import LearnedPosition, RotaryTime, SinusoidalTime
from poselift.nn.upsampling import UPSAMPLING, interpolated
from poselift.skeleton import CMU28, H36M17

_JOINT_CHANNELS = 5  # place in the window (2), place among the frame's joints (2), score


POSITIONS = ("rotary", "sinusoidal", "learned")
"""How time tokens know their place: `RotaryTime`, `SinusoidalTime` and `LearnedPosition` of `poselift.nn`."""


class SpatioTemporalLifter(Lifter):
    """Attention over the joints of each frame, then over time; all frames of the window come out at once.

    1. Each joint is a token; a few blocks let the joints of one frame attend to each other, and in the larger sizes
       each joint to itself in other frames, by turns.
    2. A frame's joint tokens become one frame token; `temporal_stride` frames in a row become one time token. At video
       rates neighbouring frames say nearly the same, so attention over time runs at a fraction of the cost.
    3. Time tokens attend to each other, by time in seconds.
    4. Each time token is spread over its frames again and joined with what each frame itself had.
    5. A few narrow blocks over time, frame by frame, smooth what the wide ones gave.

    Any joint set whose joints are known by name goes in: joints that are not there are masked.

    Args:
        skeleton_in: name of the joint set that goes in. The shipped weights know the 28 joints of "cmu28".
        skeleton_out: name of the joint set that comes out; its first joint is the root.
        joint_dim: width of a joint token.
        joint_depth: blocks over the joints of a frame.
        joint_heads: heads of those.
        joint_time: each of them is followed by one in which every joint attends to itself over time.
        frame_dim: width of a frame token.
        dim: width of a time token.
        depth: blocks over time.
        heads: heads of those.
        temporal_stride: frames in a time token.
        frame_depth: blocks over time at the rate of the frames, after those of the time tokens.
        temporal_upsampling: one of `poselift.nn.upsampling.UPSAMPLING`.
        uncertainty: also say how far off each joint may be.
        dropout: share of each residual branch over time tokens dropped in training.
        drop_path: share of windows in which the last block over time tokens is left out in training; falls to none
            towards the first (stochastic depth).
        attention: mechanism over time, by name or a mapping of its name and options
            (`poselift.nn.attention.build_attention`).
        joint_attention: mechanism over the joints of a frame.
        causal: a time token sees itself and those before it alone; not with temporal_upsampling="interpolate". (`encode` turns and
            scales a window by all of its frames: for a live picture, let the window end with the present.)
        positions: one of `POSITIONS`. An attention that no rotation can enter has sinusoidal ones in place of
            rotary ones.
        norm: where the blocks over time have their norms, one of `poselift.nn.blocks.NORMS`.
        init: "default", PyTorch's; or "t_fixup", which goes with norm="none".

    Raises:
        InputError: there is no such mechanism or choice, it refuses its options, it is built for other tokens, or two
            of the choices do not go together.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        joint_dim: int = 32,
        joint_depth: int = 1,
        joint_heads: int = 2,
        joint_time: bool = False,
        frame_dim: int = 192,
        dim: int = 256,
        depth: int = 5,
        heads: int = 8,
        temporal_stride: int = 4,
        frame_depth: int = 0,
        temporal_upsampling: str = "layer",
        uncertainty: bool = False,
        dropout: float = 0.0,
        drop_path: float = 0.0,
        attention: Mapping[str, Any] | str = "scaled_dot",
        joint_attention: Mapping[str, Any] | str = "scaled_dot",
        causal: bool = False,
        positions: str = "rotary",
        norm: str = "pre",
        init: str = "default",
    ) -> None:
        super().__init__(
            skeleton_in,
            skeleton_out,
            joint_dim=joint_dim,
            joint_depth=joint_depth,
            joint_heads=joint_heads,
            joint_time=joint_time,
            frame_dim=frame_dim,
            dim=dim,
            depth=depth,
            heads=heads,
            temporal_stride=temporal_stride,
            frame_depth=frame_depth,
            temporal_upsampling=temporal_upsampling,
            uncertainty=uncertainty,
            dropout=float(dropout),  # an override may say 0
            drop_path=float(drop_path),
            attention=attention_spec(attention),
            joint_attention=attention_spec(joint_attention),
            causal=causal,
            positions=positions,
            norm=norm,
            init=init,
        )
        if positions not in POSITIONS:
            raise InputError(f"positions={positions} is not known; choose {', '.join(POSITIONS)}")
        if temporal_upsampling not in UPSAMPLING:
            raise InputError(f"temporal_upsampling={temporal_upsampling} is not known; choose {', '.join(UPSAMPLING)}")
        if causal and temporal_upsampling == "interpolate":
            raise InputError(
                "temporal_upsampling=interpolate looks at the next time token; with causal=true, set temporal_upsampling=layer"
            )
        self.temporal_stride = temporal_stride
        n_in, n_out = len(self.skeleton_in), len(self.skeleton_out)

        self.joint_in = nn.Linear(_JOINT_CHANNELS, joint_dim)
        self.joint_name = nn.Parameter(torch.randn(n_in, joint_dim) * 0.5)
        joint_layers = build_attention(joint_attention, joint_dim, joint_heads, joint_depth)
        if any(layer.length not in (None, n_in) for layer in joint_layers):
            raise InputError(f"joint_attention is built for another number of joints than the {n_in} of {skeleton_in}")
        if not all(layer.over_joints for layer in joint_layers):
            name = attention_spec(joint_attention)["name"]
            raise InputError(f"joint_attention={name} is for tokens that follow each other in time; choose another")
        self.joint_blocks = nn.ModuleList(
            EncoderBlock(joint_dim, attention=layer, feed_forward=FeedForward(joint_dim, 2 * joint_dim))
            for layer in joint_layers
        )
        self.joint_rotary = RotaryTime(joint_dim // joint_heads) if joint_time and joint_depth else None
        self.joint_time_blocks = nn.ModuleList(
            EncoderBlock(joint_dim, attention=layer, feed_forward=FeedForward(joint_dim, 2 * joint_dim))
            for layer in build_attention("scaled_dot", joint_dim, joint_heads, joint_depth * joint_time, causal=causal)
        )
        self.ordered_joints = any(layer.knows_order for layer in joint_layers)
        self.joint_norm = nn.LayerNorm(joint_dim)
        self.frame_in = nn.Linear(n_in * joint_dim, frame_dim)
        self.frame_mask = nn.Linear(n_in, frame_dim, bias=False)
        self.frame_channels = nn.Linear(n_in * _JOINT_CHANNELS, frame_dim, bias=False)
        self.context_in = nn.Sequential(
            nn.Linear(CONTEXT_CHANNELS, frame_dim), nn.GELU(approximate="tanh"), nn.Linear(frame_dim, frame_dim)
        )
        self.offset_in = nn.Linear(1, frame_dim, bias=False)

        self.token_in = nn.Linear(temporal_stride * frame_dim, dim)
        time_layers = build_attention(attention, dim, heads, depth, causal=causal)
        if any(layer.length is not None for layer in time_layers):
            raise InputError("attention over time must take any number of tokens; give this one to joint_attention")
        takes_rotation = all(layer.takes_rotation for layer in time_layers)
        self.rotary = RotaryTime(dim // heads) if positions == "rotary" and takes_rotation else None
        self.time_code: nn.Module | None = None
        if self.rotary is None:
            self.time_code = LearnedPosition(dim) if positions == "learned" else SinusoidalTime(dim)
        self.time_blocks = nn.ModuleList(
            EncoderBlock(
                dim,
                attention=layer,
                feed_forward=FeedForward(dim, 4 * dim),
                dropout=dropout,
                drop_path=drop_path * number / depth,
                norm=norm,
            )
            for number, layer in enumerate(time_layers, 1)
        )
        # After pre-norm blocks nothing else holds the tokens' size.
        self.time_norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()
        initialise_(init, norm, encoder=self.time_blocks, embeddings=[self.token_in])

        self.token_out = (
            nn.Linear(dim, frame_dim)
            if temporal_upsampling == "interpolate"
            else nn.Linear(dim, temporal_stride * frame_dim)
        )
        frame_heads = max(frame_dim // 32, 1)
        self.frame_rotary = RotaryTime(frame_dim // frame_heads) if frame_depth else None
        self.frame_blocks = nn.ModuleList(
            EncoderBlock(frame_dim, attention=layer, feed_forward=FeedForward(frame_dim, 4 * frame_dim))
            for layer in build_attention("scaled_dot", frame_dim, frame_heads, frame_depth, causal=causal)
        )
        self.head_norm = nn.LayerNorm(frame_dim)
        self.head = _head(frame_dim, 3 * n_out)
        self.uncertainty_head = _head(frame_dim, n_out) if uncertainty else None

    @overload
    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]: ...
    @overload
    def forward(self, encoded: Encoded, with_uncertainty: Literal[True]) -> Estimate: ...
    def forward(self, encoded: Encoded, with_uncertainty: bool = False) -> Float[Tensor, "b t j_out 3"] | Estimate:
        """Lifts a batch of windows; also says how far off the joints may be where `with_uncertainty` is set."""
        t = encoded.times.shape[1]
        encoded = pad_time(encoded, -t % self.temporal_stride)
        frames = self._frames(encoded)  # (b, t, frame_dim)
        b, padded, d = frames.shape
        n = padded // self.temporal_stride

        # (b, t) -> (b, n, temporal_stride): the time of a token is the mean of its frames'.
        times, valid = encoded.times.view(b, n, self.temporal_stride), encoded.valid.view(b, n, self.temporal_stride)
        token_times = (times * valid).sum(-1) / valid.sum(-1).clamp(min=1)
        offsets = torch.where(valid, times - token_times[..., None], 0.0)
        frames = frames + self.offset_in(offsets.view(b, padded, 1))

        tokens = self.token_in(frames.view(b, n, self.temporal_stride * d))
        if self.time_code is not None:  # then the tokens themselves say when they are, from the window's mean on
            middle = (times * valid).sum((1, 2)) / valid.sum((1, 2)).clamp(min=1)
            # The mean would tell of frames to come.
            origin = token_times[:, 0] if self.config["causal"] else middle
            tokens = tokens + self.time_code(token_times - origin[:, None])
        rotation = None if self.rotary is None else self.rotary(token_times)
        for block in self.time_blocks:
            tokens = block(tokens, valid.any(-1), rotation)

        spread = self.token_out(self.time_norm(tokens))
        if self.config["temporal_upsampling"] == "interpolate":
            spread = interpolated(spread, valid.any(-1), self.temporal_stride)
        frames = frames + spread.reshape(b, padded, d)
        if self.frame_rotary is not None:
            rotation = self.frame_rotary(encoded.times)
            for block in self.frame_blocks:
                frames = block(frames, encoded.valid, rotation)
        frames = self.head_norm(frames)[:, :t]
        joints = self.to_camera(self.head(frames), encoded)
        if not with_uncertainty:
            return joints
        return Estimate(joints, None if self.uncertainty_head is None else _uncertainty(self.uncertainty_head(frames)))

    def estimate(self, encoded: Encoded) -> Estimate:
        """The joints, and how far off they may be where the lifter was built with `uncertainty`."""
        return self(encoded, True)

    def _frames(self, encoded: Encoded) -> Float[Tensor, "b t d"]:
        """One token a frame, from attention over its joints."""
        b, t, _ = encoded.mask.shape
        # Joints that no frame of the batch has are left out: the result is the same, and costs less; unless the
        # attention knows joints by their place.
        some = encoded.mask.flatten(0, 1).any(0)
        present = (torch.ones_like(some) if self.ordered_joints else some).nonzero().squeeze(-1)
        mask = encoded.mask[:, :, present]
        weights = mask[..., None].to(encoded.coordinates.dtype)
        coordinates = encoded.coordinates[:, :, present]
        middle = (coordinates * weights).sum(2, keepdim=True) / weights.sum(2, keepdim=True).clamp(min=1)
        channels = torch.cat((coordinates, coordinates - middle, encoded.scores[:, :, present, None]), -1) * weights
        joints = self.joint_in(channels) + self.joint_name[present]
        j, d = joints.shape[2:]
        told = weights
        if self.joint_rotary is not None:
            rotation = self.joint_rotary(encoded.times).repeat_interleave(j, 0)
            over_time = mask.transpose(1, 2).flatten(0, 1)
            # A joint that some frames lack is filled from the others: from those before alone, where that is asked.
            known = mask.cumsum(1) > 0 if self.config["causal"] else mask.any(1, keepdim=True)
            told = (known & encoded.valid[..., None])[..., None].to(weights.dtype)
        for number, block in enumerate(self.joint_blocks):
            joints = block(joints.reshape(b * t, j, d), mask.flatten(0, 1)).view(b, t, j, d)
            if self.joint_rotary is not None:
                joints = joints.transpose(1, 2).reshape(b * j, t, d)
                joints = self.joint_time_blocks[number](joints, over_time, rotation).view(b, j, t, d).transpose(1, 2)
        joints = self.joint_norm(joints) * told
        # The channels go past the joint blocks too: their norms keep directions, and lengths matter here.
        frames = self._linear(self.frame_in, joints, present) + self._linear(self.frame_channels, channels, present)
        frames = frames + self.frame_mask(encoded.mask.to(frames.dtype))
        return frames + self.context_in(encoded.context)[:, None]

    def _linear(
        self, layer: nn.Linear, joints: Float[Tensor, "b t p c"], present: Int[Tensor, " p"]
    ) -> Float[Tensor, "b t d"]:
        """A layer over all joints' channels side by side, where only some joints are present."""
        # (d, joints * channels) -> (d, present * channels)
        weight = layer.weight.view(layer.out_features, len(self.skeleton_in), -1)[:, present].flatten(1)
        return F.linear(joints.flatten(2), weight, layer.bias)


def _head(dim: int, channels: int) -> nn.Sequential:
    """From a frame's token to what comes out."""
    return nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(approximate="tanh"), nn.Linear(2 * dim, channels))


def _uncertainty(logarithm: Float[Tensor, "b t j"]) -> Float[Tensor, "b t j"]:
    """Radii from what the network gives, their logarithm over 5 cm; 0 for the root joint."""
    uncertainty = 0.05 * logarithm.float().exp()
    return torch.cat((torch.zeros_like(uncertainty[..., :1]), uncertainty[..., 1:]), -1)
