"""Additive (concat) score."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.heads import head_weights
from poselift.nn.attention.pairwise import PairwiseAttention


class AdditiveAttention(PairwiseAttention):
    """v' tanh(W [q; k] + b): a small network for each pair.

    Bahdanau et al. 2014, https://arxiv.org/abs/1409.0473, appendix A.1.2; Luong et al. 2015 call it concat.
    W [q; k] = W_q q + W_k k, so the products are computed once for each token. The hidden layer is computed for each
    pair: memory grows with n m d. The rotary code is ignored, because this score of turned vectors would depend on
    more than differences in time.

    The arguments are those of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        width = dim // heads
        self.weight_q = head_weights(heads, width, width)
        self.weight_k = head_weights(heads, width, width)
        self.bias = nn.Parameter(torch.zeros(heads, 1, 1, width))
        self.direction = head_weights(heads, 1, width)

    def hidden(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m c"]:
        """W [q; k] + b of each pair."""
        return (q @ self.weight_q.mT)[..., :, None, :] + (k @ self.weight_k.mT)[..., None, :, :] + self.bias

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The score v' tanh(W [q; k] + b) of each pair."""
        return (self.hidden(q, k).tanh() @ self.direction[:, None].mT).squeeze(-1)
