"""Multi-representational attention: several encodings of the same token, weighed."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.scaled_dot import ScaledDotAttention


class MultiRepresentationalAttention(ScaledDotAttention):
    """Each token chooses among several encodings of itself, then tokens attend to each other.

    Dynamic meta-embeddings (Kiela et al. 2018, https://arxiv.org/abs/1804.07983): encodings e_r of one width are summed
    with the weights softmax_r(a' e_r). The paper's come from separate word embeddings and are projected to that
    width; here e_r = tanh(E_r x + b_r) are learned from the same token. The paper's constant in the weights is left
    out, as the softmax does not see it. Among tokens it is `ScaledDotAttention`, and so are cost, distributions and
    the rotary code; with a memory, its tokens choose too.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        encodings: of each token.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: there are fewer than 2 encodings.
    """

    def __init__(self, dim: int, heads: int, *, encodings: int = 3, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if encodings < 2:
            raise InputError(f"multi-representational attention weighs 2 encodings or more, not {encodings}")
        self.encode = nn.Linear(dim, encodings * dim)
        self.context = nn.Parameter(torch.empty(dim).uniform_(-(dim**-0.5), dim**-0.5))

    def representations(
        self, tokens: Float[Tensor, "b n d"]
    ) -> tuple[Float[Tensor, "b n r"], Float[Tensor, "b n r d"]]:
        """The weight of each encoding of each token, and the encodings."""
        encodings = self.encode(tokens).tanh().unflatten(-1, (-1, self.dim))
        return (encodings @ self.context).softmax(-1), encodings

    def project(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None,
        rotation: Float[Tensor, "b n r 2"] | None,
        memory: Float[Tensor, "b m d"] | None,
        memory_mask: Bool[Tensor, "b m"] | None,
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c"], Float[Tensor, "b h m c"]]:
        """Queries, keys and values of the weighed encodings."""
        memory = None if memory is None else self._blend(memory)
        return super().project(self._blend(tokens), mask, rotation, memory, memory_mask)

    def _blend(self, tokens: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        weights, encodings = self.representations(tokens)
        return (weights[..., None] * encodings).sum(-2)
