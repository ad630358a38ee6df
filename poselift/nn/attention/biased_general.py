"""Biased general score."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.general import GeneralAttention


class BiasedGeneralAttention(GeneralAttention):
    """k' (W q + b) (Sordoni et al. 2016, https://arxiv.org/abs/1606.02245).

    Through the bias a key can matter whatever the query is. The rotary code turns W q + b and k.

    The arguments are those of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.bias = nn.Parameter(torch.zeros(heads, 1, dim // heads))

    def queries(self, q: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n c"]:
        """W q + b."""
        return q @ self.weight.mT + self.bias
