"""Linformer: keys and values projected along the tokens to a few."""

from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.sparse import everything_visible, join_heads, split_heads
from poselift.nn.positions import rotate


class LinformerAttention(Attention):
    """Keys and values of n tokens become those of k (Wang et al. 2020, https://arxiv.org/abs/2006.04768).

    Attention matrices are nearly of low rank; so two learned matrices along the tokens make k mixtures of the keys and
    of the values, and queries attend to the mixtures.

        out = softmax(Q (E K)' / sqrt(c)) F V,   E and F of k x n, shared by the heads

    Cost: n k, linear in n. A sequence shorter than `max_length` uses the first columns of E and F; a masked token has
    no part in any mixture. With k = n and E = F the identity it is exact attention. Each mixture holds all tokens: it
    cannot be causal. The rotary code turns queries and keys before the mixing.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: refused.
        cross: queries come from the tokens, keys and values from a memory of another length.
        max_length: the longest sequence that can be looked at, in tokens.
        rank: mixtures, k in the paper.
    """

    can_be_causal: ClassVar[bool] = False
    takes_rotation = True
    knows_order = True
    normalised = False

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        causal: bool = False,
        cross: bool = False,
        max_length: int = 1024,
        rank: int = 32,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if max_length < 1 or rank < 1:
            raise InputError(f"linformer: max_length and rank must be 1 or more, not {max_length} and {rank}")
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)
        # Random projections that keep lengths (Johnson and Lindenstrauss), from which the paper starts.
        self.mix_keys = nn.Parameter(torch.randn(rank, max_length) * rank**-0.5)
        self.mix_values = nn.Parameter(torch.randn(rank, max_length) * rank**-0.5)

    def forward(  # noqa: D102 - the interface says it
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        shares, v, visible = self._shares(tokens, mask, rotation, memory, memory_mask)
        mixtures = self.mix_values[:, : v.shape[-2]] @ (v * visible)
        return self.out(join_heads(shares @ mixtures))

    def attention_map(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        """softmax(Q (E K)' / sqrt(c)) F: rows do not sum to 1, and entries may be negative."""
        shares, v, visible = self._shares(tokens, mask, rotation, memory, memory_mask)
        return shares @ self.mix_values[:, : v.shape[-2]] * visible.mT

    def _shares(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        rotation: Float[Tensor, "b n r 2"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b heads n k"], Float[Tensor, "b heads m c"], Bool[Tensor, "b 1 m 1"]]:
        """How much each token takes from each mixture, the values before mixing, and the tokens that are there."""
        source = self.source(tokens, memory)
        m, longest = source.shape[1], self.mix_keys.shape[1]
        if m > longest:
            raise InputError(f"linformer was built for {longest} tokens at most and got {m}; raise max_length")
        q = split_heads(self.q(tokens), self.heads)
        k, v = (split_heads(x, self.heads) for x in self.kv(source).chunk(2, -1))
        if rotation is not None and not self.cross:
            q, k = rotate(q, rotation), rotate(k, rotation)
        visible = everything_visible(source, memory_mask if self.cross else mask)[:, None, :, None]
        keys = self.mix_keys[:, :m] @ (k * visible)  # (b, heads, rank, c)
        return (q @ keys.mT * q.shape[-1] ** -0.5).softmax(-1), v, visible
