"""Activated general score."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.general import GeneralAttention


class ActivatedGeneralAttention(GeneralAttention):
    """tanh(q' W k + b) (Ma et al. 2017, https://arxiv.org/abs/1709.00893).

    Scores lie between -1 and 1. Under softmax no key gets more than e^2 times the weight of another, so all keys
    take part. b is one number for each head.

    The arguments are those of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.bias = nn.Parameter(torch.zeros(heads, 1, 1))

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """tanh(q' W k + b) of each pair."""
        return (super().scores(q, k) + self.bias).tanh()
