"""A token for every joint of every frame, mixed in turns over the joints and over time."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.models.base import Lifter
from poselift.models.encoding import CONTEXT_CHANNELS, Encoded
from poselift.nn.attention import ScaledDotAttention
from poselift.nn.blocks import EncoderBlock, FeedForward
from poselift.nn.positions import RotaryTime
from poselift.skeleton import CMU28, H36M17

_JOINT_CHANNELS = 4  # place in the window (2), score, whether it was seen


class JointTokenTransformer(Lifter):
    """A factorised Transformer of joint tokens (MixSTE: Zhang et al. 2022, https://arxiv.org/abs/2203.00859).

    Each joint of each frame is a token. In turns, the joints of a frame attend to each other, and the frames of a
    joint do; all frames come out at once. Nothing is pooled, so that its cost grows with joints times frames.

    It differs from the paper, whose input and output are the same 17 joints of 243 frames at 50 fps:

    - What goes in: `encode`'s rays with scores and masks, and what it took out of the window, added to each token.
    - The head: the paper's turns each token into its own joint's place. Here the joints that come out are another
      set, so a linear layer takes a frame's tokens side by side.
    - Time: seconds by a rotary code in each block over time, in the place of a learned vector for each frame.
    - A joint that the whole window lacks is looked at by none. One that only some frames lack keeps its token there,
      which knows that it was not seen, and fills it from the other frames.
    - No stochastic depth.

    Args:
        skeleton_in: name of the joint set that goes in.
        skeleton_out: name of the joint set that comes out; its first joint is the root.
        dim: width of a token; the paper has 512.
        depth: pairs of a block over joints and one over time; the paper has 8.
        heads: of each block.

    Raises:
        InputError: the width cannot be split into so many heads.
    """

    def __init__(
        self,
        skeleton_in: str = CMU28.name,
        skeleton_out: str = H36M17.name,
        dim: int = 192,
        depth: int = 5,
        heads: int = 8,
    ) -> None:
        super().__init__(skeleton_in, skeleton_out, dim=dim, depth=depth, heads=heads)
        n_in, n_out = len(self.skeleton_in), len(self.skeleton_out)
        self.joint_in = nn.Linear(_JOINT_CHANNELS, dim)
        self.joint_name = nn.Parameter(torch.randn(n_in, dim) * 0.02)
        self.context_in = nn.Linear(CONTEXT_CHANNELS, dim)
        self.joint_blocks = nn.ModuleList(_block(dim, heads) for _ in range(depth))
        self.time_blocks = nn.ModuleList(_block(dim, heads) for _ in range(depth))
        self.rotary = RotaryTime(dim // heads)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(n_in * dim, 3 * n_out)

    def forward(self, encoded: Encoded) -> Float[Tensor, "b t j_out 3"]:
        """Lifts a batch of windows."""
        b, t, n_in = encoded.mask.shape
        present = encoded.mask.any(1)  # (b, j): seen in some frame of the window
        # Joints that no window of the batch has are left out: the result is the same, and costs less.
        some = present.any(0).nonzero().squeeze(-1)
        present = present[:, some]
        tokens = self._tokens(encoded)[:, :, some]
        j, d = tokens.shape[2:]

        among_joints = present[:, None].expand(b, t, j).flatten(0, 1)
        among_frames = encoded.valid[:, None].expand(b, j, t).flatten(0, 1)
        rotation = self.rotary(encoded.times).repeat_interleave(j, 0)
        for over_joints, over_time in zip(self.joint_blocks, self.time_blocks, strict=True):
            tokens = over_joints(tokens.reshape(b * t, j, d), among_joints)
            tokens = tokens.view(b, t, j, d).transpose(1, 2).reshape(b * j, t, d)
            tokens = over_time(tokens, among_frames, rotation)
            tokens = tokens.view(b, j, t, d).transpose(1, 2)

        every = tokens.new_zeros(b, t, n_in, d)
        every[:, :, some] = self.norm(tokens) * present[:, None, :, None]
        return self.to_camera(self.head(every.flatten(2)), encoded)

    def _tokens(self, encoded: Encoded) -> Float[Tensor, "b t j d"]:
        seen = encoded.mask[..., None].to(encoded.coordinates.dtype)
        channels = torch.cat((encoded.coordinates * seen, encoded.scores[..., None] * seen, seen), -1)
        return self.joint_in(channels) + self.joint_name + self.context_in(encoded.context)[:, None, None]


def _block(dim: int, heads: int) -> EncoderBlock:
    """Attention and feed-forward layers, of the paper's proportions."""
    return EncoderBlock(dim, attention=ScaledDotAttention(dim, heads), feed_forward=FeedForward(dim, 2 * dim))
