"""Fastformer: additive attention to one global query and one global key."""

from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.nn.attention.attention import Attention
from poselift.nn.attention.sparse import attend, everything_visible, join_heads, merge, split_heads


class FastformerAttention(Attention):
    """All queries become one, and with it all keys become one (Wu et al. 2021, https://arxiv.org/abs/2108.09084).

    Additive attention sums the queries up to a global query; each key times that is summed up in the same way to a
    global key; each value times that goes out. All products are channel by channel.

        a = softmax_i(w_q q_i / sqrt(c)),   q = sum_i a_i q_i
        b = softmax_i(w_k p_i / sqrt(c)),   p_i = q * k_i,   k = sum_i b_i p_i
        out_i = W (k * v_i) + q_i,   v_i = q_i: values and queries are one projection, as in the paper

    Cost: n, with no term in pairs of tokens. No pair has a score, so there is no attention matrix, and no rotation can
    enter: it does not know the order of the tokens. It cannot be causal, nor look at a memory of another length.

    Deviation: the paper's layers may share projections with each other; here each has its own.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: refused.
        cross: refused.
    """

    can_be_causal: ClassVar[bool] = False
    can_cross: ClassVar[bool] = False

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.query_weight = nn.Parameter(torch.randn(heads, dim // heads, 1))
        self.key_weight = nn.Parameter(torch.randn(heads, dim // heads, 1))
        self.out = nn.Linear(dim, dim)

    def forward(  # noqa: D102 - the interface says it
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        self.source(tokens, memory)
        visible = everything_visible(tokens, mask)[:, None, None]  # (b, 1, 1, n)
        q, k = split_heads(self.query(tokens), self.heads), split_heads(self.key(tokens), self.heads)
        scale = q.shape[-1] ** -0.5
        global_query = merge(attend((q @ self.query_weight).mT * scale, q, visible))  # (b, heads, 1, c)
        p = global_query.to(k.dtype) * k
        global_key = merge(attend((p @ self.key_weight).mT * scale, p, visible))
        return self.out(join_heads(global_key.to(q.dtype) * q)) + join_heads(q)
