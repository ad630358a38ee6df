"""Attention weights shared between layers (SAN), and which layers should share."""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.attention import Attention
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.sparse import join_heads, split_heads
from poselift.nn.positions import rotate


class SharedAttention(Attention):
    """Layers in a row use the attention weights of the first of them (SAN, Xiao et al. 2019).

    https://arxiv.org/abs/1906.11024. Neighbouring layers of a trained Transformer look at nearly the same places, so
    one computes where to look and the others only what is taken from there.

        S = softmax(Q_m K_m' / sqrt(c)) of a group's first layer m;   out_l = S V_l for each layer l of the group

    Cost: n^2 in every layer, but a layer that follows has neither queries, keys nor scores: about half. Groups of one
    are exact attention.

    A layer that follows uses the weights of its group's last pass, so the layers must run in order and on the same
    tokens' positions, as in a stack; built by itself, a module is the first of its group. The paper finds the groups by
    training, measuring (`layer_similarity`), grouping (`choose_groups`) and training again until they stay.

    Deviation: across to a memory the paper shares S V, as V is the same for all decoder layers there; here S, as among
    the tokens.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: queries come from the tokens, keys and values from a memory of another length.
        groups: layers in each group, from the first layer on; or one number for all groups. Read by `layers`.
    """

    takes_rotation = True

    def __init__(
        self, dim: int, heads: int, *, causal: bool = False, cross: bool = False, groups: int | Sequence[int] = 2
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        sizes = [groups] if isinstance(groups, int) else list(groups)
        if not sizes or min(sizes) < 1:
            raise InputError(f"shared attention: a group has 1 layer or more; got {groups}")
        self.query: nn.Linear | None = nn.Linear(dim, dim)
        self.key: nn.Linear | None = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self._first: tuple[SharedAttention, ...] = ()  # in a tuple, or its parameters would be this layer's as well
        self._shares: Tensor | None = None

    @classmethod
    def layers(
        cls, depth: int, dim: int, heads: int, *, groups: int | Sequence[int] = 2, **options: Any
    ) -> list[Attention]:
        """The modules of so many layers, in groups that share.

        Raises:
            InputError: the groups do not add up to the layers.
        """
        made = [cls(dim, heads, groups=groups, **options) for _ in range(depth)]
        if isinstance(groups, int):
            sizes = [min(groups, depth - first) for first in range(0, depth, groups)]
        else:
            sizes = list(groups)
        if sum(sizes) != depth:
            raise InputError(f"shared attention: groups of {sizes} layers are {sum(sizes)} in all, not {depth}")
        for first, size in zip(accumulate(sizes, initial=0), sizes, strict=False):
            for layer in made[first + 1 : first + size]:
                layer._follow(made[first])
        return list(made)

    def _follow(self, first: "SharedAttention") -> None:
        self._first, self.query, self.key = (first,), None, None

    def __getstate__(self) -> dict[str, Any]:
        # The weights of the last pass belong to its graph, and are no part of a copy.
        return {**super().__getstate__(), "_shares": None}

    def forward(  # noqa: D102 - the interface says it
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        shares = self.attention_map(tokens, mask, rotation, memory, memory_mask)
        if not self._first:
            self._shares = shares
        values = split_heads(self.value(self.source(tokens, memory)), self.heads)
        return self.out(join_heads(shares.to(values.dtype) @ values))

    def attention_map(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b heads n m"]:
        """The weights of the first layer of the group; a layer that follows has them from that one's last pass.

        Raises:
            InputError: the first layer has not run on tokens of this shape.
        """
        source = self.source(tokens, memory)
        if self.query is None or self.key is None:
            shares = self._first[0]._shares
            shape = (len(tokens), self.heads, tokens.shape[1], source.shape[1])
            if shares is None or shares.shape != shape:
                raise InputError(
                    "a layer that shares its attention runs after the first layer of its group, on the same tokens; "
                    f"weights of {shape} are needed, and there are {'none' if shares is None else tuple(shares.shape)}"
                )
            return shares
        q, k = split_heads(self.query(tokens), self.heads), split_heads(self.key(source), self.heads)
        if rotation is not None and not self.cross:
            q, k = rotate(q, rotation), rotate(k, rotation)
        allowed = self.allowed(tokens, mask, memory, memory_mask)
        return softmax(q @ k.mT * q.shape[-1] ** -0.5, None if allowed is None else allowed[:, None])


def layer_similarity(
    maps: Sequence[Float[Tensor, "b heads n m"]], mask: Bool[Tensor, "b n"] | None = None
) -> Float[Tensor, "depth depth"]:
    """How alike the layers look: 1 - the Jensen-Shannon divergence of their weights, in bits, mean over the queries.

    JS(P, Q) = (KL(P | M) + KL(Q | M)) / 2 with M = (P + Q) / 2; 1 where two layers look at the same, 0 where at
    nothing in common.

    Args:
        maps: `attention_map` of each layer, of attention that is not shared.
        mask: True where a query counts.
    """
    counts = torch.ones_like(maps[0][:, 0, :, 0], dtype=torch.bool) if mask is None else mask
    similarity = torch.ones(len(maps), len(maps), dtype=maps[0].dtype, device=maps[0].device)
    for i, p in enumerate(maps):
        for j, q in enumerate(maps[:i]):
            divergence = _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2  # (b, heads, n)
            similarity[i, j] = similarity[j, i] = 1 - divergence.movedim(1, -1)[counts].mean()
    return similarity


def _entropy(shares: Float[Tensor, "b heads n m"]) -> Float[Tensor, "b heads n"]:
    return -torch.special.xlogy(shares, shares).sum(-1) / math.log(2)


def choose_groups(similarity: Float[Tensor, "depth depth"], threshold: float) -> list[int]:
    """Sizes of the groups of layers that look alike, for `groups` of `SharedAttention`.

    From the first layer on, each group takes as many layers in a row as keep the mean similarity of its pairs above
    the threshold (section 3.3 of Xiao et al. 2019).

    Args:
        similarity: of each pair of layers, as `layer_similarity` gives it.
        threshold: theta in the paper; 1 leaves every layer by itself, a negative one joins them all.
    """
    depth = len(similarity)
    sizes: list[int] = []
    while (first := sum(sizes)) < depth:
        sizes.append(max(size for size in range(1, depth - first + 1) if _alike(similarity, first, size, threshold)))
    return sizes


def _alike(similarity: Float[Tensor, "depth depth"], first: int, size: int, threshold: float) -> bool:
    if size == 1:
        return True
    group = similarity[first : first + size, first : first + size]
    return bool((group.sum() - group.diagonal().sum()) / (size * (size - 1)) > threshold)
