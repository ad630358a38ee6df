"""Co-attention of two streams: positions and motion."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.scaled_dot import ScaledDotAttention
from poselift.nn.positions import rotate


class CoAttention(ScaledDotAttention):
    """Two streams attend to each other: what the tokens are, and how they change from one to the next.

    Parallel co-attention (Lu et al. 2016, https://arxiv.org/abs/1606.00061), in its Transformer form: each stream's
    queries meet the other's keys and values (Lu et al. 2019, https://arxiv.org/abs/1908.02265). The papers' streams
    are a picture and a question; here they are the tokens and their motion x_t - x_(t-1), zero where either is not
    there. Half of the heads look from positions to motion and half from motion to positions; the output projection
    joins them. Cost, distributions and the rotary code are those of `ScaledDotAttention`. Tokens must have an order
    in time: it is no attention over joints.

    Args:
        dim: width of the tokens.
        heads: number of heads; even, and divides `dim`.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: `heads` is odd.
    """

    can_cross = False
    knows_order = True
    over_joints = False

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if heads % 2:
            raise InputError(f"co-attention gives half of its heads to each stream; {heads} heads cannot be halved")

    def project(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        rotation: Float[Tensor, "b n r 2"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c"], Float[Tensor, "b h m c"]]:
        """Queries of one stream beside keys and values of the other, the first half of the heads from positions."""
        source = self.source(tokens, memory)
        motion = source.diff(dim=1, prepend=source[:, :1])
        if mask is not None:
            motion = motion * (mask & mask.roll(1, 1))[..., None]
        # (3 d, d) -> 2 x (3 d / 2, d): of queries, keys and values the first half of the heads, and the second.
        weights = self.qkv.weight.unflatten(0, (3, 2, -1)).transpose(0, 1).flatten(1, 2)
        biases = self.qkv.bias.unflatten(0, (3, 2, -1)).transpose(0, 1).flatten(1)
        (q, k, v), (q_motion, k_motion, v_motion) = (
            # (b, n, 3 d / 2) -> 3 x (b, heads / 2, n, d / heads)
            F.linear(x, weight, bias).unflatten(-1, (3, self.heads // 2, -1)).permute(2, 0, 3, 1, 4)
            for x, weight, bias in zip((tokens, motion), weights, biases, strict=True)
        )
        q, k, v = torch.cat((q, q_motion), 1), torch.cat((k_motion, k), 1), torch.cat((v_motion, v), 1)
        if rotation is not None:
            q, k = rotate(q, rotation), rotate(k, rotation)
        return q, k, v
