"""A token for every joint of every frame.

Attention alternates between joints and time.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.models.base import JOINT_CHANNELS, Lifter, joint_channels
from poselift.models.encoding import CONTEXT_CHANNELS, Encoded
from poselift.models.model_config import Depth, ModelConfig, Size
from poselift.nn.attention import ScaledDotAttention
from poselift.nn.blocks import EncoderBlock, FeedForward
from poselift.nn.positions import RotaryTime


@dataclass(frozen=True, kw_only=True)
class JointTokenConfig(ModelConfig):
    """What builds a `JointTokenTransformer`.

    Attributes:
        dim: width of a token; 512 in the paper.
        depth: pairs of a block over joints and one over time; 8 in the paper.
        heads: heads of each block.
    """

    dim: Size = 192
    depth: Depth = 5
    heads: Size = 8


class JointTokenTransformer(Lifter):
    """A factorised Transformer of joint tokens (MixSTE: Zhang et al. 2022, https://arxiv.org/abs/2203.00859).

    Each joint of each frame is a token. Blocks over the joints of a frame alternate with blocks over the frames of a
    joint. All frames come out at once. Frames are not merged, so the cost grows with joints times frames.

    It differs from the paper, which lifts the same 17 joints in 243 frames at 50 fps:

    - Input: `encode`'s rays with scores and masks. The context of `encode` is added to each token.
    - Head: the paper turns each token into its own joint. Here the output skeleton is another one, so a linear layer
      takes all tokens of a frame.
    - Time: a rotary code of the seconds in each block over time, instead of a learned vector for each frame.
    - Missing joints: a joint that is missing in the whole window is masked. A joint that is missing in some frames
      keeps its token there, which knows that it was not seen and attends to the other frames.
    - No stochastic depth.

    Raises:
        InputError: `dim` cannot be divided by `heads`.
    """

    config: JointTokenConfig

    def __init__(self, config: JointTokenConfig) -> None:
        super().__init__(config)
        dim, heads = config.dim, config.heads
        n_in, n_out = len(self.skeleton_in), len(self.skeleton_out)
        self.joint_in = nn.Linear(JOINT_CHANNELS, dim)
        self.joint_name = nn.Parameter(torch.randn(n_in, dim) * 0.02)
        self.context_in = nn.Linear(CONTEXT_CHANNELS, dim)
        self.joint_blocks = nn.ModuleList(_block(dim, heads) for _ in range(config.depth))
        self.time_blocks = nn.ModuleList(_block(dim, heads) for _ in range(config.depth))
        self.rotary = RotaryTime(dim // heads)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(n_in * dim, 3 * n_out)

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """The joints of a batch of windows."""
        b, t, n_in = encoded.mask.shape
        present = encoded.mask.any(1)  # (b, j): seen in some frame of the window
        # Leave out joints that no window of the batch has: the result is the same, at a lower cost. An exported graph
        # keeps them, because its shapes must not depend on values.
        every_joint = torch.arange(n_in, device=present.device)
        some = every_joint if torch.compiler.is_exporting() else every_joint[present.any(0)]
        present = present[:, some]
        tokens = self._tokens(encoded)[:, :, some]
        j, d = tokens.shape[2:]

        among_joints = present[:, None].expand(b, t, j).flatten(0, 1)  # (b, j) -> (b * t, j)
        among_frames = encoded.valid[:, None].expand(b, j, t).flatten(0, 1)  # (b, t) -> (b * j, t)
        rotation = self.rotary(encoded.times).repeat_interleave(j, 0)  # of (b * j, t)
        for over_joints, over_time in zip(self.joint_blocks, self.time_blocks, strict=True):
            tokens = over_joints(tokens.reshape(b * t, j, d), among_joints)
            tokens = tokens.view(b, t, j, d).transpose(1, 2).reshape(b * j, t, d)  # from frames to joints
            tokens = over_time(tokens, among_frames, rotation)
            tokens = tokens.view(b, j, t, d).transpose(1, 2)  # (b, t, j, d)

        every = tokens.new_zeros(b, t, n_in, d)
        every[:, :, some] = self.norm(tokens) * present[:, None, :, None]
        return self.to_camera(self.head(every.flatten(2)), encoded)  # (b, t, n_in, d) -> (b, t, n_in * d)

    def _tokens(self, encoded: Encoded) -> Float[Tensor, "b t j d"]:
        joints = self.joint_in(joint_channels(encoded)) + self.joint_name
        return joints + self.context_in(encoded.context)[:, None, None]


def _block(dim: int, heads: int) -> EncoderBlock:
    """A block of the paper's proportions."""
    return EncoderBlock(dim, attention=ScaledDotAttention(dim, heads), feed_forward=FeedForward(dim, 2 * dim))
