"""Block-local attention."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.sparse import SparseAttention, merge, windowed


class LocalAttention(SparseAttention):
    """Blocks of queries look at themselves and a little around (Parmar et al. 2018, https://arxiv.org/abs/1802.05751).

    The Image Transformer's one-dimensional local attention: the tokens are cut into query blocks that do not
    overlap, and all queries of a block share one memory block, which is the query block and `reach` tokens around
    it.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,
        j in [B - reach, B + block + reach),  B = block floor(i / block)

    Cost: n (block + 2 reach), linear in n. A block as long as the sequence is exact attention. It cannot look at a
    memory of another length.

    Deviation: the paper generates pixels one by one, and its memory block reaches back alone; so it is here with
    `causal`, and to both sides without.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: refused.
        block: queries in a block, l_q in the paper.
        reach: tokens of the memory block on each side of the query block, l_m in the paper.
    """

    def __init__(
        self, dim: int, heads: int, *, causal: bool = False, cross: bool = False, block: int = 8, reach: int = 8
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if block < 1 or reach < 0:
            raise InputError(f"local attention: block must be 1 or more and reach 0 or more, not {block} and {reach}")
        self.block, self.reach = block, reach

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "1 n n"]:
        """True in the memory block of each query."""
        keys = torch.arange(n, device=device)
        start = (keys // self.block * self.block)[:, None]
        return ((keys >= start - self.reach) & (keys < start + self.block + self.reach))[None]

    def mix(  # noqa: D102
        self,
        q: Float[Tensor, "b heads n c"],
        k: Float[Tensor, "b heads n c"],
        v: Float[Tensor, "b heads n c"],
        visible: Bool[Tensor, "b 1 n"],
    ) -> Float[Tensor, "b heads n c"]:
        n = q.shape[-2]
        size, reach = min(self.block, n), min(self.reach, n)
        part = windowed(
            q,
            k,
            v,
            visible,
            size=size,
            before=reach,
            after=0 if self.causal else reach,
            weights=lambda offset: offset <= 0 if self.causal else torch.ones_like(offset, dtype=torch.bool),
        )
        return merge(part)
