"""Multi-representational attention: several encodings of the same token, weighted."""

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.scaled_dot import ScaledDotAttention


class MultiRepresentationalAttention(ScaledDotAttention):
    """Each token chooses among its encodings, then tokens attend.

    Dynamic meta-embeddings (Kiela et al. 2018, https://arxiv.org/abs/1804.07983): encodings e_r of one width are summed
    with the weights softmax_r(a' e_r). The paper projects separate word embeddings to one width; here
    e_r = tanh(E_r x + b_r) are learned from the same token. The paper's constant in the weights is left out, because
    a softmax ignores it. Cost, distributions and the rotary code are those of `ScaledDotAttention`. The tokens of a
    memory choose too.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        encodings: encodings of each token.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: `encodings` is less than 2.
    """

    def __init__(self, dim: int, heads: int, *, encodings: int = 3, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if encodings < 2:
            raise InputError(f"multi-representational attention: encodings={encodings} is too few; choose 2 or more")
        self.encode = nn.Linear(dim, encodings * dim)
        self.context = nn.Parameter(torch.empty(dim).uniform_(-(dim**-0.5), dim**-0.5))

    def representations(
        self, tokens: Float[Tensor, "b n d"]
    ) -> tuple[Float[Tensor, "b n encodings"], Float[Tensor, "b n encodings d"]]:
        """Weight of each encoding of each token, and the encodings."""
        encodings = self.encode(tokens).tanh().unflatten(-1, (-1, self.dim))
        return (encodings @ self.context).softmax(-1), encodings

    def project(
        self, context: AttentionContext
    ) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h m c"], Float[Tensor, "b h m c"]]:
        """Queries, keys and values of the weighted encodings."""
        memory = None if context.memory is None else self._blend(context.memory)
        return super().project(replace(context, tokens=self._blend(context.tokens), memory=memory))

    def _blend(self, tokens: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        weights, encodings = self.representations(tokens)
        return (weights[..., None] * encodings).sum(-2)
