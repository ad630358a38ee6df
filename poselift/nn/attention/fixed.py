"""The fixed pattern of the Sparse Transformer."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.blockwise import Projections, allow_all, attend, attend_to_window, merge, split_into_blocks
from poselift.nn.attention.sparse import SparseAttention


class FixedAttention(SparseAttention):
    """A token looks at its block and at every block's end.

    Child et al. 2019, https://arxiv.org/abs/1904.10509.

    The last tokens of each block learn to summarise it for all others. This suits data without the period that the
    strided pattern needs.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,   j with floor(j / l) = floor(i / l) or j mod l >= l - summaries

    Cost: n (l + summaries n / l), which is n sqrt(n) if the block length l is near sqrt(n), as in the paper. A block as
    long as the sequence is exact attention. Both patterns share one softmax, the paper's merged head.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        block: l, in tokens.
        summaries: tokens at the end of each block that all others see, c in the paper: 8 to 32 in blocks of 128 to 256.
        options: `causal` of `Attention`.
    """

    def __init__(self, dim: int, heads: int, *, block: int = 8, summaries: int = 1, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if not 1 <= summaries <= block:
            raise InputError(
                f"fixed attention: a block of {block} tokens cannot end in {summaries} summaries; "
                "choose one summary or more, and a block at least as long"
            )
        self.block, self.summaries = block, summaries

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "1 n n"]:
        """True in the token's own block and in the summaries' columns."""
        size, index = self.block, torch.arange(n, device=device)
        own = index[:, None] // size == index // size
        return (own | (index % size >= size - self.summaries))[None]

    def mix(self, x: Projections) -> Float[Tensor, "b h n c"]:
        """Values mixed over the own block and the summaries."""
        own = attend_to_window(x, size=self.block, before=0, after=0, causal=self.causal, weights=allow_all)
        # (..., n, c) -> (..., n_blocks * summaries, c)
        keys, values, visible = (
            split_into_blocks(part, self.block)[..., -self.summaries :, :].flatten(-3, -2)
            for part in (x.k, x.v, x.visible[..., None])
        )
        block_of_key = torch.arange(keys.shape[-2], device=keys.device) // self.summaries
        block_of_query = (torch.arange(x.q.shape[-2], device=keys.device) // self.block)[:, None]
        # The first part has the own block already. All summaries of earlier blocks come before the query.
        elsewhere = block_of_key < block_of_query if self.causal else block_of_key != block_of_query
        return merge(own, attend(x.q @ keys.mT, values, visible.mT & elsewhere))
