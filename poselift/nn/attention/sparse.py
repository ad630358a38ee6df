"""Scaled dot-product attention to some of the other tokens."""

from abc import abstractmethod
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from poselift.nn.attention.blockwise import Projections
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.heads import join_heads, split_parts
from poselift.nn.attention.mechanism import Attention


class SparseAttention(Attention):
    """softmax(q k' / sqrt(c)) v over the keys of a pattern.

    A subclass implements `pattern` and `mix`.

    The arguments are those of `Attention`; `cross` is refused. Where a paper's tokens only look back, `causal` does
    that here; without it, the pattern extends to both sides.
    """

    can_cross: ClassVar[bool] = False
    takes_rotation = True
    knows_order = True

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    @abstractmethod
    def pattern(self, n: int, device: torch.device) -> Shaped[Tensor, "#h n n"]:
        """Where each query (row) looks without `causal`.

        True or False, or factors of exp(score).
        """

    @abstractmethod
    def mix(self, x: Projections) -> Float[Tensor, "b h n c"]:
        """Values mixed by the pattern, at less than n^2.

        The dimensions are (b, h), and `visible` is (b, 1, n).
        """

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        return self.out(join_heads(self.mix(self._project(context))))

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        x, allowed = self._project(context), context.allowed(self.causal)
        weights = self.pattern(x.q.shape[-2], x.q.device)
        shares = softmax(x.q @ x.k.mT, weights > 0 if allowed is None else (weights > 0) & allowed) * weights
        return shares / shares.sum(-1, keepdim=True)

    def _project(self, context: AttentionContext) -> Projections:
        q, k, v = split_parts(self.qkv(context.tokens), 3, self.heads)
        q, k = context.turn(q, k)
        return Projections(q * q.shape[-1] ** -0.5, k, v, context.present[:, None])
