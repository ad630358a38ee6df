"""The fixed pattern of the Sparse Transformer."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.sparse import SparseAttention, attend, blocks, merge, windowed


class FixedAttention(SparseAttention):
    """A token looks at its block and at the end of every block (Child et al. 2019, https://arxiv.org/abs/1904.10509).

    The last tokens of each block learn to summarise it for all others: for data without the period that the strided
    pattern needs.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,   j with floor(j / l) = floor(i / l) or j mod l >= l - summaries

    Cost: n (l + summaries n / l), which is n sqrt(n) where the block length l is chosen near sqrt(n), as the paper
    does. A block as long as the sequence is exact attention. It cannot look at a memory of another length.

    Deviation: the paper's tokens look back alone; so it is here with `causal`, and to both sides without. Both
    patterns are in one softmax, the paper's merged head.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: refused.
        block: l, in tokens.
        summaries: tokens at the end of each block that all look at, c in the paper, which has 8 to 32 of them in blocks
            of 128 to 256.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        causal: bool = False,
        cross: bool = False,
        block: int = 8,
        summaries: int = 1,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if not 1 <= summaries <= block:
            raise InputError(
                f"fixed attention: a block of {block} tokens cannot end in {summaries} summaries; "
                "choose one summary or more, and a block at least as long"
            )
        self.block, self.summaries = block, summaries

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "1 n n"]:
        """True in the token's own block and in the columns of the summaries."""
        size, index = self.block, torch.arange(n, device=device)
        own = index[:, None] // size == index // size
        return (own | (index % size >= size - self.summaries))[None]

    def mix(  # noqa: D102
        self,
        q: Float[Tensor, "b heads n c"],
        k: Float[Tensor, "b heads n c"],
        v: Float[Tensor, "b heads n c"],
        visible: Bool[Tensor, "b 1 n"],
    ) -> Float[Tensor, "b heads n c"]:
        n = q.shape[-2]
        size = self.block
        own = windowed(
            q,
            k,
            v,
            visible,
            size=size,
            before=0,
            after=0,
            weights=lambda offset: offset <= 0 if self.causal else torch.ones_like(offset, dtype=torch.bool),
        )
        # (..., n, c) -> (..., n_blocks * summaries, c)
        keys, values, there = (
            blocks(x, size)[..., -self.summaries :, :].flatten(-3, -2) for x in (k, v, visible[..., None])
        )
        block_of_key = torch.arange(keys.shape[-2], device=q.device) // self.summaries
        block_of_query = (torch.arange(n, device=q.device) // size)[:, None]
        # The token's own block is counted above; the summaries of earlier blocks are before it.
        elsewhere = block_of_key < block_of_query if self.causal else block_of_key != block_of_query
        return merge(own, attend(q @ keys.mT, values, there.mT & elsewhere))
