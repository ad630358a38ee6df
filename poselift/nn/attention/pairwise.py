"""Attention that compares each query with each key.

A score function gives scores, and a distribution makes weights of them.
"""

from abc import abstractmethod
from typing import Any

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import get_distribution
from poselift.nn.attention.heads import split_heads, split_parts
from poselift.nn.attention.weighted import WeightedAttention


class PairwiseAttention(WeightedAttention):
    """softmax_j(a(q_i, k_j)) v_j in each head, for a score function a.

    Queries, keys and values are linear projections of the tokens (Vaswani et al. 2017,
    https://arxiv.org/abs/1706.03762) for every score function, so that score functions can be compared with all
    else equal. A subclass implements `scores`.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        distribution: from scores to weights, a name of `poselift.nn.attention.distributions.DISTRIBUTIONS`.
        alpha: of the distribution "entmax", from 1 (softmax) to 2 (sparsemax).
        options: `causal` and `cross` of `Attention`.

    Raises:
        InputError: an argument is out of range, or arguments exclude each other.
    """

    positive_scores: bool = False
    """Scores are never negative, so the distribution "proportional" is possible."""
    turned_scores: bool = True
    """The rotary code turns the scores themselves, so that mechanisms that use them take it too."""

    def __init__(
        self, dim: int, heads: int, *, distribution: str = "softmax", alpha: float | None = None, **options: Any
    ) -> None:
        super().__init__(dim, heads, **options)
        self.distribution = get_distribution(distribution, alpha, positive_scores=self.positive_scores)
        self.normalised = distribution != "sigmoid"
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    @abstractmethod
    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """Score of each key for each query."""

    def queries(self, q: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n c"]:
        """Queries as they are before the rotary code turns them."""
        return q

    def keys(self, k: Float[Tensor, "b h m c"], mask: Bool[Tensor, "b m"] | None) -> Float[Tensor, "b h m c_key"]:
        """Keys before the rotary code turns them.

        `mask` is True where a token is present.
        """
        return k

    def project(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c_key"], Float[Tensor, "b h m c"]]:
        """Queries, keys and values; the rotary code has turned queries and keys."""
        if context.memory is None:
            q, k, v = split_parts(self.qkv(context.tokens), 3, self.heads)
        else:
            weight, bias, d = self.qkv.weight, self.qkv.bias, self.dim
            q = split_heads(F.linear(context.tokens, weight[:d], bias[:d]), self.heads)
            k, v = split_parts(F.linear(context.memory, weight[d:], bias[d:]), 2, self.heads)
        q, k = self.queries(q), self.keys(k, context.source_mask)
        if self.takes_rotation:
            q, k = context.turn(q, k)
        return q, k, v

    def _weights_and_values(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        q, k, v = self.project(context)
        return self.distribution(self.scores(q, k), context.allowed(self.causal)), v
