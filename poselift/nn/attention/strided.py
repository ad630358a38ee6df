"""The strided pattern of the Sparse Transformer."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.sparse import SparseAttention, attend, banded, columns, in_order, merge


class StridedAttention(SparseAttention):
    """A token looks at its neighbours and at every l-th token (Child et al. 2019, https://arxiv.org/abs/1904.10509).

    Two steps lead from any token to any other, over one of its neighbours that lies a whole number of strides away.

        out_i = sum_j softmax_j(q_i k_j / sqrt(c)) v_j,   j with |i - j| <= l or (i - j) mod l = 0

    Cost: n (3 l + n / l), which is n sqrt(n) where the stride l is chosen near sqrt(n), as the paper does. A stride as
    long as the sequence is exact attention. It cannot look at a memory of another length.

    Deviation: the paper's tokens look back alone; so it is here with `causal`, and to both sides without. Of the
    paper's three ways to use two patterns this is the merged head: each head looks at both in one softmax.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: refused.
        stride: l, in tokens.
    """

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False, stride: int = 8) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if stride < 1:
            raise InputError(f"strided attention: the stride must be 1 or more tokens, not {stride}")
        self.stride = stride

    def pattern(self, n: int, device: torch.device) -> Bool[Tensor, "1 n n"]:
        """True near the diagonal, and a whole number of strides from it."""
        index = torch.arange(n, device=device)
        distance = (index[:, None] - index).abs()
        return ((distance <= self.stride) | (distance % self.stride == 0))[None]

    def mix(  # noqa: D102
        self,
        q: Float[Tensor, "b heads n c"],
        k: Float[Tensor, "b heads n c"],
        v: Float[Tensor, "b heads n c"],
        visible: Bool[Tensor, "b 1 n"],
    ) -> Float[Tensor, "b heads n c"]:
        n = q.shape[-2]
        stride = min(self.stride, n)
        near = banded(q, k, v, visible, reach=stride, causal=self.causal)
        # (b, heads, n, c) -> (b, heads, stride, m, c): tokens a whole number of strides apart share a row
        rows_q, rows_k, rows_v = (columns(x, stride) for x in (q, k, v))
        place = torch.arange(rows_q.shape[-2], device=q.device)
        ahead = place - place[:, None]
        # One stride away is near, and counted there.
        beyond = ahead < -1 if self.causal else ahead.abs() > 1
        allowed = columns(visible[..., None], stride).mT & beyond
        far = attend(rows_q @ rows_k.mT, rows_v, allowed).map(lambda x: in_order(x, n))
        return merge(near, far)
