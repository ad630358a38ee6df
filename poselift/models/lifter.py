"""The spatio-temporal Transformer that lifts 2D keypoints to 3D.

One file, because it reads from top to bottom like the figure of docs/how_it_works.md.
"""

from dataclasses import dataclass
from typing import Literal, overload

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from poselift.core.annotations import Share
from poselift.core.errors import InputError
from poselift.models.base import Estimate, Lifter, needed_mask
from poselift.models.encoding import CONTEXT_CHANNELS, Encoded, pad_time
from poselift.models.model_config import AttentionSpec, Depth, ModelConfig, Size
from poselift.nn.attention import ATTENTION, attention_spec, build_attention, takes_rotation
from poselift.nn.blocks import EncoderBlock, FeedForward
from poselift.nn.initialisation import initialise_
from poselift.nn.positions import LearnedPosition, RotaryTime, SinusoidalTime
from poselift.nn.upsampling import UPSAMPLING, interpolate_frames

_JOINT_CHANNELS = 5  # coordinates in the window (2), coordinates from the middle of the frame's joints (2), score


@dataclass(frozen=True, kw_only=True)
class LifterConfig(ModelConfig):
    """What builds a `SpatioTemporalLifter`.

    Attributes:
        joint_dim: width of a joint token.
        joint_depth: number of blocks over the joints of a frame.
        joint_heads: heads of these blocks.
        joint_time: each of these blocks is followed by one in which every joint attends to itself over time.
        frame_dim: width of a frame token.
        dim: width of a time token.
        depth: number of blocks over time tokens.
        heads: heads of these blocks.
        temporal_stride: frames in a time token.
        frame_depth: number of blocks over frame tokens, after those over time tokens.
        temporal_upsampling: from time tokens to frames, one of `poselift.nn.upsampling.UPSAMPLING`.
        uncertainty: also estimate the uncertainty of each joint.
        dropout: share of each residual branch over time tokens dropped in training.
        drop_path: share of windows that skip the last block over time tokens in training; falls linearly towards the
            first block (stochastic depth).
        attention: mechanism over time tokens.
        joint_attention: mechanism over the joints of a frame.
        causal: a time token sees only itself and the tokens before it; not with temporal_upsampling="interpolate".
            `encode` still rotates and scales a window by all of its frames: in live use, end the window at the present.
        positions: how time tokens know their time (`poselift.nn.positions`); "rotary" needs a mechanism over time that
            takes it (`poselift.nn.attention.takes_rotation`).
        norm: place of the norms in the blocks over time tokens, one of `poselift.nn.blocks.NORMS`.
        init: initial weights, one of `poselift.nn.initialisation.INITS`; "t_fixup" needs norm="none".
    """

    joint_dim: Size = 32
    joint_depth: Depth = 1
    joint_heads: Size = 2
    joint_time: bool = False
    frame_dim: Size = 192
    dim: Size = 256
    depth: Depth = 5
    heads: Size = 8
    temporal_stride: Size = 4
    frame_depth: Depth = 0
    temporal_upsampling: str = "layer"
    uncertainty: bool = False
    dropout: Share = 0.0
    drop_path: Share = 0.0
    attention: AttentionSpec = "scaled_dot"
    joint_attention: AttentionSpec = "scaled_dot"
    causal: bool = False
    positions: Literal["rotary", "sinusoidal", "learned"] = "rotary"
    norm: str = "pre"
    init: str = "default"

    def __post_init__(self) -> None:
        """Checks all values.

        Raises:
            InputError: a value is wrong, or two do not go together.
        """
        super().__post_init__()
        if self.temporal_upsampling not in UPSAMPLING:
            raise InputError(
                f"temporal_upsampling={self.temporal_upsampling} is not known; choose {', '.join(UPSAMPLING)}"
            )
        if self.positions == "rotary" and not takes_rotation(self.attention):
            spec = attention_spec(self.attention)
            score = f" with score={spec['score']}" if "score" in spec else ""
            takers = ", ".join(name for name in ATTENTION if takes_rotation(name))
            raise InputError(
                f"attention={spec['name']}{score} takes no rotary positions; set positions=sinusoidal (or "
                f"learned), or choose a mechanism that takes them: {takers}"
            )
        if self.drop_path == 1:
            raise InputError("drop_path=1 drops the last block always; choose a share below 1")
        if self.causal and self.temporal_upsampling == "interpolate":
            raise InputError(
                "temporal_upsampling=interpolate looks at the next time token; with causal=true, set "
                "temporal_upsampling=layer"
            )


class SpatioTemporalLifter(Lifter):
    """Attention over the joints of each frame, then over time.

    All frames of the window come out at once.

    1. Each joint is a token. A few blocks let the joints of a frame attend to each other; with `joint_time`, these
       alternate with blocks that let each joint attend to itself in other frames.
    2. The joint tokens of a frame become one frame token. `temporal_stride` consecutive frame tokens become one time
       token: neighbouring frames of a video are nearly equal, and attention over time costs a fraction.
    3. Time tokens attend to each other; their positions are seconds.
    4. Each time token is spread over its frames and added to their frame tokens.
    5. A few narrow blocks over frame tokens smooth the result.
    6. A small network turns each frame token into joints, and a second one into their uncertainty.

    Joints of the input skeleton that are missing are masked.

    Raises:
        InputError: a mechanism refuses its options or is made for other tokens, or two values do not go together.
    """

    config: LifterConfig

    def __init__(self, config: LifterConfig) -> None:
        super().__init__(config)
        self.temporal_stride, self.gives_uncertainty = config.temporal_stride, config.uncertainty
        self._build_frame_tokens(config)
        self._build_time_tokens(config)
        self._build_output(config)

    def _build_frame_tokens(self, config: LifterConfig) -> None:
        """Layers of steps 1 and 2, up to the frame tokens."""
        joint_dim, frame_dim, n_in = config.joint_dim, config.frame_dim, len(self.skeleton_in)
        self.joint_in = nn.Linear(_JOINT_CHANNELS, joint_dim)
        self.joint_name = nn.Parameter(torch.randn(n_in, joint_dim).mul_(0.5))
        layers = build_attention(config.joint_attention, joint_dim, config.joint_heads, config.joint_depth)
        if any(layer.length not in (None, n_in) for layer in layers):
            raise InputError(
                f"joint_attention is built for another number of joints than the {n_in} of {config.skeleton_in}; give "
                "it the input skeleton"
            )
        if not all(layer.over_joints for layer in layers):
            name = attention_spec(config.joint_attention)["name"]
            raise InputError(f"joint_attention={name} is for tokens that follow each other in time; choose another")
        self.ordered_joints = any(layer.knows_order for layer in layers)
        self.joint_blocks = nn.ModuleList(
            EncoderBlock(joint_dim, attention=layer, feed_forward=FeedForward(joint_dim, 2 * joint_dim))
            for layer in layers
        )
        over_time = config.joint_time and config.joint_depth > 0
        self.joint_rotary = RotaryTime(joint_dim // config.joint_heads) if over_time else None
        depth = config.joint_depth * config.joint_time
        self.joint_time_blocks = nn.ModuleList(
            EncoderBlock(joint_dim, attention=layer, feed_forward=FeedForward(joint_dim, 2 * joint_dim))
            for layer in build_attention("scaled_dot", joint_dim, config.joint_heads, depth, causal=config.causal)
        )
        self.joint_norm = nn.LayerNorm(joint_dim)
        self.frame_in = nn.Linear(n_in * joint_dim, frame_dim)
        self.frame_mask = nn.Linear(n_in, frame_dim, bias=False)
        self.frame_channels = nn.Linear(n_in * _JOINT_CHANNELS, frame_dim, bias=False)
        self.context_in = nn.Sequential(
            nn.Linear(CONTEXT_CHANNELS, frame_dim), nn.GELU(approximate="tanh"), nn.Linear(frame_dim, frame_dim)
        )
        self.offset_in = nn.Linear(1, frame_dim, bias=False)

    def _build_time_tokens(self, config: LifterConfig) -> None:
        """Layers of steps 2 to 4: to time tokens and back."""
        dim, heads, norm = config.dim, config.heads, config.norm
        self.token_in = nn.Linear(config.temporal_stride * config.frame_dim, dim)
        layers = build_attention(config.attention, dim, heads, config.depth, causal=config.causal)
        if any(layer.length is not None for layer in layers):
            raise InputError("attention over time must take any number of tokens; give this one to joint_attention")
        self.rotary = RotaryTime(dim // heads) if config.positions == "rotary" else None
        self.time_code: nn.Module | None = None
        if self.rotary is None:
            self.time_code = LearnedPosition(dim) if config.positions == "learned" else SinusoidalTime(dim)
        self.time_blocks = nn.ModuleList(
            EncoderBlock(
                dim,
                attention=layer,
                feed_forward=FeedForward(dim, 4 * dim),
                dropout=config.dropout,
                drop_path=config.drop_path * number / config.depth,
                norm=norm,
            )
            for number, layer in enumerate(layers, 1)
        )
        # After pre-norm blocks nothing else limits the size of the tokens.
        self.time_norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()
        initialise_(config.init, norm, encoder=self.time_blocks, embeddings=[self.token_in])
        frames = 1 if config.temporal_upsampling == "interpolate" else config.temporal_stride
        self.token_out = nn.Linear(dim, frames * config.frame_dim)

    def _build_output(self, config: LifterConfig) -> None:
        """Layers of steps 5 and 6, from frame tokens to joints."""
        dim, n_out = config.frame_dim, len(self.skeleton_out)
        heads = max(dim // 32, 1)
        self.frame_rotary = RotaryTime(dim // heads) if config.frame_depth else None
        self.frame_blocks = nn.ModuleList(
            EncoderBlock(dim, attention=layer, feed_forward=FeedForward(dim, 4 * dim))
            for layer in build_attention("scaled_dot", dim, heads, config.frame_depth, causal=config.causal)
        )
        self.head_norm = nn.LayerNorm(dim)
        self.head = _head(dim, 3 * n_out)
        self.uncertainty_head = _head(dim, n_out) if config.uncertainty else None

    @overload
    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]: ...
    @overload
    def forward(self, encoded: Encoded, with_uncertainty: Literal[True]) -> Estimate: ...
    def forward(self, encoded: Encoded, with_uncertainty: bool = False) -> Float[Tensor, "b t j_out 3"] | Estimate:
        """The joints of a batch of windows; the whole estimate if `with_uncertainty`."""
        t = encoded.times.shape[1]
        tokens = (t + self.temporal_stride - 1) // self.temporal_stride  # rounded up
        encoded = pad_time(encoded, tokens * self.temporal_stride - t)
        frames = self._over_time(self._frame_tokens(encoded), encoded)
        if self.frame_rotary is not None:
            rotation = self.frame_rotary(encoded.times)
            for block in self.frame_blocks:
                frames = block(frames, encoded.valid, rotation)
        frames = self.head_norm(frames)[:, :t]  # without the padding
        joints = self.to_camera(self.head(frames), encoded)
        if not with_uncertainty:
            return joints
        return Estimate(joints, None if self.uncertainty_head is None else _uncertainty(self.uncertainty_head(frames)))

    def estimate(self, encoded: Encoded) -> Estimate:
        """The joints, with their uncertainty if the config says `uncertainty`."""
        return self(encoded, True)

    def _frame_tokens(self, encoded: Encoded) -> Float[Tensor, "b t d"]:
        """One token for each frame, from attention over its joints."""
        b, t, _ = encoded.mask.shape
        # Leave out joints that no frame of the batch has: the result is the same, at a lower cost. An attention that
        # knows joints by their order needs all of them, and so does an exported graph, whose shapes must not depend on
        # values.
        present = torch.arange(len(self.skeleton_in), device=encoded.mask.device)
        if not (self.ordered_joints or torch.compiler.is_exporting()):
            present = present[encoded.mask.flatten(0, 1).any(0)]  # (b, t, j_in) -> (j_in,)
        # `index_select` and not an index: the same, several times as fast.
        mask = encoded.mask.index_select(2, present)  # (b, t, j)
        weights = mask[..., None].to(encoded.coordinates.dtype)
        coordinates = encoded.coordinates.index_select(2, present)
        middle = (coordinates * weights).sum(2, keepdim=True) / weights.sum(2, keepdim=True).clamp(min=1)
        scores = encoded.scores.index_select(2, present)[..., None]
        channels = torch.cat((coordinates, coordinates - middle, scores), -1) * weights
        joints = self.joint_in(channels) + self.joint_name.index_select(0, present)  # (b, t, j, d)
        j, d = joints.shape[2:]
        told = weights
        over_joints = needed_mask(mask.flatten(0, 1))
        if self.joint_rotary is not None:
            rotation = self.joint_rotary(encoded.times).repeat_interleave(j, 0)  # of (b * j, t)
            over_time = mask.transpose(1, 2).flatten(0, 1)  # (b, t, j) -> (b * j, t)
            # Other frames tell of a joint that a frame lacks; in a causal lifter, only the frames before.
            known = mask.cumsum(1) > 0 if self.config.causal else mask.any(1, keepdim=True)
            told = (known & encoded.valid[..., None])[..., None].to(weights.dtype)
        for number, block in enumerate(self.joint_blocks):
            joints = block(joints.reshape(b * t, j, d), over_joints).view(b, t, j, d)
            if self.joint_rotary is not None:
                joints = joints.transpose(1, 2).reshape(b * j, t, d)  # from frames to joints
                joints = self.joint_time_blocks[number](joints, over_time, rotation)
                joints = joints.view(b, j, t, d).transpose(1, 2)  # (b, t, j, d)
        joints = self.joint_norm(joints) * told
        # The channels also bypass the joint blocks: norms keep directions but not lengths, and lengths matter here.
        frames = self._linear(self.frame_in, joints, present) + self._linear(self.frame_channels, channels, present)
        frames = frames + self.frame_mask(encoded.mask.to(frames.dtype))
        return frames + self.context_in(encoded.context)[:, None]

    def _over_time(self, frames: Float[Tensor, "b t d"], encoded: Encoded) -> Float[Tensor, "b t d"]:
        """The frame tokens after attention over time.

        t is a multiple of `temporal_stride`.
        """
        b, t, d = frames.shape
        stride = self.temporal_stride
        n = t // stride
        # (b, t) -> (b, n, stride): the time of a token is the mean over its frames.
        times, valid = encoded.times.view(b, n, stride), encoded.valid.view(b, n, stride)
        token_times = (times * valid).sum(-1) / valid.sum(-1).clamp(min=1)
        offsets = torch.where(valid, times - token_times[..., None], 0.0)
        frames = frames + self.offset_in(offsets.view(b, t, 1))  # (b, n, stride) -> (b, t, 1)

        tokens = self.token_in(frames.view(b, n, stride * d))  # (b, t, d) -> (b, n, stride * d)
        if self.time_code is not None:  # seconds from the middle of the window
            middle = (times * valid).sum((1, 2)) / valid.sum((1, 2)).clamp(min=1)
            # In a causal lifter from the first token, because the middle depends on later frames.
            origin = token_times[:, 0] if self.config.causal else middle
            tokens = tokens + self.time_code(token_times - origin[:, None])
        rotation = None if self.rotary is None else self.rotary(token_times)
        present = needed_mask(valid.any(-1))
        for block in self.time_blocks:
            tokens = block(tokens, present, rotation)

        spread = self.token_out(self.time_norm(tokens))
        if self.config.temporal_upsampling == "interpolate":
            spread = interpolate_frames(spread, valid.any(-1), stride)
        return frames + spread.reshape(b, t, d)  # (b, n, stride * d) or (b, n, stride, d) -> (b, t, d)

    def _linear(
        self, layer: nn.Linear, joints: Float[Tensor, "b t j c"], present: Int[Tensor, " j"]
    ) -> Float[Tensor, "b t d"]:
        """A layer over all joints' channels, applied to those present."""
        # (d, j_in * c) -> (d, j_in, c) -> (d, j * c)
        every = layer.weight.view(layer.out_features, len(self.skeleton_in), -1)
        weight = every.index_select(1, present).flatten(1)
        return F.linear(joints.flatten(2), weight, layer.bias)  # (b, t, j, c) -> (b, t, j * c)


def _head(dim: int, channels: int) -> nn.Sequential:
    """The network from a frame token to an output."""
    return nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(approximate="tanh"), nn.Linear(2 * dim, channels))


def _uncertainty(logarithm: Float[Tensor, "b t j"]) -> Float[Tensor, "b t j"]:
    """Metres from the network's output; 0 for the root joint.

    The output is the logarithm of the uncertainty over 5 cm.
    """
    uncertainty = 0.05 * logarithm.float().exp()
    return torch.cat((torch.zeros_like(uncertainty[..., :1]), uncertainty[..., 1:]), -1)
