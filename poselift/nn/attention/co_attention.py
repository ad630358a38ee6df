"""Co-attention of two streams: positions and motion."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.heads import split_parts
from poselift.nn.attention.scaled_dot import ScaledDotAttention


class CoAttention(ScaledDotAttention):
    """Two streams attend to each other: the tokens and their motion.

    Parallel co-attention (Lu et al. 2016, https://arxiv.org/abs/1606.00061) in its Transformer form: the queries of
    each stream meet the keys and values of the other (Lu et al. 2019, https://arxiv.org/abs/1908.02265). The papers'
    streams are an image and a question. Here they are the tokens x_t and their motion x_t - x_(t-1), which is zero
    where either is masked. Half of the heads look from positions to motion, half from motion to positions; the output
    projection joins them. Cost, distributions and the rotary code are those of `ScaledDotAttention`. Tokens must have
    an order in time.

    Args:
        dim: width of the tokens.
        heads: number of heads; even, and divides `dim`.
        options: the other arguments of `PairwiseAttention`; `cross` is refused.

    Raises:
        InputError: `heads` is odd.
    """

    can_cross = False
    knows_order = True
    over_joints = False

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if heads % 2:
            raise InputError(
                f"co-attention splits its heads between two streams; heads={heads} is odd, choose an even number"
            )

    def project(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c"], Float[Tensor, "b h m c"]]:
        """Queries of one stream, keys and values of the other.

        The first half of the heads asks from positions.
        """
        tokens, mask, half = context.tokens, context.mask, self.heads // 2
        motion = tokens.diff(dim=1, prepend=tokens[:, :1])
        if mask is not None:
            motion = motion * (mask & mask.roll(1, 1))[..., None]
        # (3 d, d) -> 2 x (3 d / 2, d): the rows of the first half of the heads, and those of the second.
        weights = self.qkv.weight.unflatten(0, (3, 2, -1)).transpose(0, 1).flatten(1, 2)
        biases = self.qkv.bias.unflatten(0, (3, 2, -1)).transpose(0, 1).flatten(1)
        (q, k, v), (q_motion, k_motion, v_motion) = (
            split_parts(F.linear(x, weight, bias), 3, half)
            for x, weight, bias in zip((tokens, motion), weights, biases, strict=True)
        )
        q, k = context.turn(torch.cat((q, q_motion), 1), torch.cat((k_motion, k), 1))
        return q, k, torch.cat((v_motion, v), 1)
