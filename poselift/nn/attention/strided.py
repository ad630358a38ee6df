"""The strided pattern of the Sparse Transformer."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.annotations import Count
from poselift.nn.attention.blockwise import Projections, attend, attend_to_band, join_columns, merge, split_into_columns
from poselift.nn.attention.sparse import SparseAttention


class StridedAttention(SparseAttention):
    """A token looks at neighbours and at every l-th token.

    Child et al. 2019, https://arxiv.org/abs/1904.10509.

    Two steps lead from any token to any other: one to a neighbour, one over a whole number of strides.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,   j with |i - j| <= l or (i - j) mod l = 0

    Cost: n (3 l + n / l), which is n sqrt(n) if the stride l is near sqrt(n), as in the paper. A stride as long as the
    sequence is exact attention.

    Deviation: of the paper's three ways to use two patterns this is the merged head, one softmax over both.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        stride: l, in tokens.
        options: `causal` of `Attention`.
    """

    def __init__(self, dim: int, heads: int, *, stride: Count = 8, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.stride = stride

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "1 n n"]:
        """True near the diagonal, and at whole numbers of strides."""
        index = torch.arange(n, device=device)
        distance = (index[:, None] - index).abs()
        return ((distance <= self.stride) | (distance % self.stride == 0))[None]

    def mix(self, x: Projections) -> Float[Tensor, "b h n c"]:
        """Values mixed over both patterns."""
        n = x.q.shape[-2]
        stride = min(self.stride, n)
        near = attend_to_band(x, reach=stride, causal=self.causal)
        # (b, h, n, c) -> (b, h, stride, m, c): tokens a whole number of strides apart share a row
        q, k, v = (split_into_columns(part, stride) for part in (x.q, x.k, x.v))
        place = torch.arange(q.shape[-2], device=q.device)
        ahead = place - place[:, None]
        # A token one stride away is in the band already.
        beyond = ahead < -1 if self.causal else ahead.abs() > 1
        far = attend(q @ k.mT, v, split_into_columns(x.visible[..., None], stride).mT & beyond)
        return merge(near, far.map(lambda rows: join_columns(rows, n)))
