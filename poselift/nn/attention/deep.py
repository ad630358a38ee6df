"""Deep score: a small network over the pair."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.annotations import Count
from poselift.nn.attention.additive import AdditiveAttention
from poselift.nn.attention.heads import head_weights


class DeepAttention(AdditiveAttention):
    """A score by a network of several layers for each pair.

    v' E_L, where E_1 = relu(W_0 k + W_1 q + b_1) and E_l = relu(W_l E_(l-1) + b_l).

    Pavlopoulos et al. 2017, https://aclanthology.org/D17-1117: additive attention with more hidden layers. Memory grows
    with n m d for each layer, time with n m d^2 / h. The rotary code is ignored.

    Deviation: the paper adds a constant to the last layer. It is left out, because it adds the same to all scores and
    a softmax ignores that.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        layers: hidden layers, L. One layer is the additive score with another activation.
        options: the other arguments of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, *, layers: Count = 2, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        width = dim // heads
        self.weights = nn.ParameterList(head_weights(heads, width, width) for _ in range(layers - 1))
        self.biases = nn.ParameterList(torch.zeros(heads, 1, 1, width) for _ in range(layers - 1))

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The score v' E_L of each pair."""
        hidden = self.hidden(q, k).relu()
        for weight, bias in zip(self.weights, self.biases, strict=True):
            hidden = (hidden @ weight[:, None].mT + bias).relu()
        return (hidden @ self.direction[:, None].mT).squeeze(-1)
