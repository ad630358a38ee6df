"""Fastformer: additive attention to one global query and one global key."""

from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.blockwise import attend, merge
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.heads import join_heads, split_heads
from poselift.nn.attention.mechanism import Attention


class FastformerAttention(Attention):
    """All queries become one, and with it all keys become one.

    Wu et al. 2021, https://arxiv.org/abs/2108.09084.

    Additive attention sums the queries to a global query. Each key times that is summed in the same way to a global
    key. Each value times that is the output. All products are channel by channel.

        a = softmax_i(w_q q_i / sqrt(c)),   q = sum_i a_i q_i
        b = softmax_i(w_k p_i / sqrt(c)),   p_i = q * k_i,   k = sum_i b_i p_i
        out_i = W (k * v_i) + q_i,   v_i = q_i: values and queries share a projection, as in the paper

    Cost: n. No pair of tokens has a score, so there is no attention matrix. The rotary code is ignored, and the order
    of the tokens does not matter.

    Deviation: the paper's layers may share projections; here each has its own.

    The arguments are those of `Attention`; `causal` and `cross` are refused.
    """

    can_be_causal: ClassVar[bool] = False
    can_cross: ClassVar[bool] = False

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.query_weight = nn.Parameter(torch.randn(heads, dim // heads, 1))
        self.key_weight = nn.Parameter(torch.randn(heads, dim // heads, 1))
        self.out = nn.Linear(dim, dim)

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        present = context.present[:, None, None]  # (b, 1, 1, n)
        q, k = (split_heads(layer(context.tokens), self.heads) for layer in (self.query, self.key))
        scale = q.shape[-1] ** -0.5
        global_query = merge(attend((q @ self.query_weight).mT * scale, q, present))  # (b, h, 1, c)
        p = global_query.to(k.dtype) * k
        global_key = merge(attend((p @ self.key_weight).mT * scale, p, present))
        return self.out(join_heads(global_key.to(q.dtype) * q)) + join_heads(q)
