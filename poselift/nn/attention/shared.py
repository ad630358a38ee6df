"""Attention weights shared between layers (SAN)."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.heads import split_heads
from poselift.nn.attention.mechanism import Attention
from poselift.nn.attention.weighted import WeightedAttention


class SharedAttention(WeightedAttention):
    """Layers in a row use the first one's attention weights.

    Source: SAN, Xiao et al. 2019, https://arxiv.org/abs/1906.11024. Neighbouring layers of a trained Transformer look
    at nearly the same places. So one layer computes where to look, and the layers that follow only take other values
    from there.

        S = softmax(Q_m K_m' / sqrt(c)) of a group's first layer m;   out_l = S V_l for each layer l of the group

    Cost: n^2 in every layer. A layer that follows has no queries, keys or scores, and costs about half. Groups of one
    layer are exact attention.

    A layer that follows uses the weights of its group's last pass, so the layers must run in order and on the same
    tokens' positions. A module that is built alone is the first of its group.

    Deviations: the paper chooses its groups by how alike the weights of trained layers are; here they are an option.
    With a memory the paper shares S V, because V is the same for all its decoder layers; here S is shared.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        groups: layers in each group, from the first layer on; or one number for all groups. Used by `layers`.
        options: `causal` and `cross` of `Attention`.
    """

    takes_rotation = True

    def __init__(self, dim: int, heads: int, *, groups: int | Sequence[int] = 2, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        sizes = [groups] if isinstance(groups, int) else list(groups)
        if not sizes or min(sizes) < 1:
            raise InputError(f"shared attention: groups={groups} has an empty group; give each group 1 layer or more")
        self.query: nn.Linear | None = nn.Linear(dim, dim)
        self.key: nn.Linear | None = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self._first: tuple[SharedAttention, ...] = ()  # a tuple keeps the first layer's parameters out of this one's
        self._weights: Tensor | None = None

    @classmethod
    def layers(
        cls, depth: int, dim: int, heads: int, *, groups: int | Sequence[int] = 2, **options: Any
    ) -> list[Attention]:
        """One module for each of `depth` layers, in groups that share.

        Raises:
            InputError: the groups do not add up to the layers.
        """
        made = [cls(dim, heads, groups=groups, **options) for _ in range(depth)]
        if isinstance(groups, int):
            sizes = [min(groups, depth - first) for first in range(0, depth, groups)]
        else:
            sizes = list(groups)
        if sum(sizes) != depth:
            raise InputError(f"shared attention: groups={sizes} add up to {sum(sizes)} layers; the model has {depth}")
        for first, size in zip(accumulate(sizes, initial=0), sizes, strict=False):
            for layer in made[first + 1 : first + size]:
                layer._first, layer.query, layer.key = (made[first],), None, None
        return list(made)

    def __getstate__(self) -> dict[str, Any]:
        # The weights of the last pass belong to its graph. A copy starts without them.
        return {**super().__getstate__(), "_weights": None}

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        weights, v = self._weights_and_values(context)
        if not self._first:
            self._weights = weights
        return self._output(weights.to(v.dtype) @ v)

    def _weights_and_values(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n m"], Float[Tensor, "b h m c"]]:
        weights = self._group_weights(context)
        return weights, split_heads(self.value(context.source), self.heads)

    def _group_weights(self, context: AttentionContext) -> Float[Tensor, "b h n m"]:
        """The weights of the first layer of the group."""
        tokens, source = context.tokens, context.source
        if self.query is None or self.key is None:
            weights, shape = self._first[0]._weights, (len(tokens), self.heads, tokens.shape[1], source.shape[1])
            if weights is None or weights.shape != shape:
                raise InputError(
                    "a layer that shares its attention runs after the first layer of its group, on the same tokens; "
                    f"it needs weights of {shape}, and there are {'none' if weights is None else tuple(weights.shape)}"
                )
            return weights
        q, k = context.turn(split_heads(self.query(tokens), self.heads), split_heads(self.key(source), self.heads))
        return softmax(q @ k.mT * q.shape[-1] ** -0.5, context.allowed(self.causal))
