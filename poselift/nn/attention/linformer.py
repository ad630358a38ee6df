"""Linformer: keys and values projected along the tokens to a few."""

from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.annotations import Count
from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.heads import join_heads, split_heads, split_parts
from poselift.nn.attention.mechanism import Attention


class LinformerAttention(Attention):
    """Keys and values of m tokens become those of k mixtures.

    Wang et al. 2020, https://arxiv.org/abs/2006.04768.

    Attention matrices are nearly of low rank. So two learned matrices along the tokens make k mixtures of the keys and
    of the values, and queries attend to the mixtures.

        out = softmax(Q (E K)' / sqrt(c)) F V,   E and F of k x m, shared by the heads

    Cost: n k, linear in n. A sequence shorter than `max_length` uses the first columns of E and F. Masked tokens are in
    no mixture. With k = m and E = F = identity it is exact attention. The rotary code turns queries and keys before
    they are mixed.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        max_length: the longest sequence that can be looked at, in tokens.
        rank: mixtures, k in the paper.
        options: `cross` of `Attention`. `causal` is refused, because each mixture holds all tokens.
    """

    can_be_causal: ClassVar[bool] = False
    takes_rotation = True
    knows_order = True
    normalised = False

    def __init__(self, dim: int, heads: int, *, max_length: Count = 1024, rank: Count = 32, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)
        # Like the paper's, they start as random projections that keep lengths (Johnson and Lindenstrauss).
        self.mix_keys = nn.Parameter(torch.randn(rank, max_length) * rank**-0.5)
        self.mix_values = nn.Parameter(torch.randn(rank, max_length) * rank**-0.5)

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        weights, v, present = self._weights(context)
        mixtures = self.mix_values[:, : v.shape[-2]] @ (v * present)
        return self.out(join_heads(weights @ mixtures))

    def _map(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        """softmax(Q (E K)' / sqrt(c)) F.

        Its rows do not sum to 1, and entries may be negative.
        """
        weights, v, present = self._weights(context)
        return weights @ self.mix_values[:, : v.shape[-2]] * present.mT

    def _weights(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n k"], Float[Tensor, "b h m c"], Bool[Tensor, "b 1 m 1"]]:
        """Weights of the mixtures for each query, values, and present tokens.

        The values are those before mixing.
        """
        m, longest = context.source.shape[1], self.mix_keys.shape[1]
        if m > longest:
            raise InputError(f"linformer was built for {longest} tokens at most and got {m}; raise max_length")
        q = split_heads(self.q(context.tokens), self.heads)
        k, v = split_parts(self.kv(context.source), 2, self.heads)
        q, k = context.turn(q, k)
        present = context.present[:, None, :, None]
        keys = self.mix_keys[:, :m] @ (k * present)  # (b, h, rank, c)
        return (q @ keys.mT * q.shape[-1] ** -0.5).softmax(-1), v, present
