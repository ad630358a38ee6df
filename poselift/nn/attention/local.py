"""Block-local attention."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.annotations import Count, Whole
from poselift.nn.attention.blockwise import Projections, allow_all, attend_to_window, merge
from poselift.nn.attention.sparse import SparseAttention


class LocalAttention(SparseAttention):
    """Blocks of queries look at themselves and a little around.

    Parmar et al. 2018, https://arxiv.org/abs/1802.05751.

    One-dimensional local attention of the Image Transformer: tokens are cut into query blocks that do not overlap. All
    queries of a block share one memory block, the query block and `reach` tokens around it.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,
        j in [B - reach, B + block + reach),  B = block floor(i / block)

    Cost: n (block + 2 reach), linear in n. A block as long as the sequence is exact attention.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        block: queries in a block, l_q in the paper.
        reach: tokens of the memory block on each side of the query block, l_m in the paper.
        options: `causal` of `Attention`.
    """

    def __init__(self, dim: int, heads: int, *, block: Count = 8, reach: Whole = 8, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.block, self.reach = block, reach

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "1 n n"]:
        """True in the memory block of each query."""
        keys = torch.arange(n, device=device)
        start = (keys // self.block * self.block)[:, None]
        return ((keys >= start - self.reach) & (keys < start + self.block + self.reach))[None]

    def mix(self, x: Projections) -> Float[Tensor, "b h n c"]:
        """Values mixed within memory blocks."""
        n = x.q.shape[-2]
        size, reach = min(self.block, n), min(self.reach, n)
        after = 0 if self.causal else reach
        return merge(attend_to_window(x, size=size, before=reach, after=after, causal=self.causal, weights=allow_all))
