"""Feature-based score."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.heads import head_weights
from poselift.nn.attention.pairwise import PairwiseAttention


class FeatureAttention(PairwiseAttention):
    """A score from features of the keys alone.

    v' tanh(W_0 phi_0(K) + W_1 phi_1(K) + b), the same for all queries.

    The features are those of area attention (Li et al. 2018, https://arxiv.org/abs/1810.10126): mean and standard
    deviation of the keys in an area. As in the table of Chaudhari et al. 2019 (https://arxiv.org/abs/1904.02874), each
    key has the features of the area around it; with `causal`, of the area that ends with it. Masked tokens do not
    count. The query projection gets no gradient, and the rotary code is ignored. Linear in n, except for the matrix.

    Deviation: Li et al. use areas of all sizes as keys, and compare them with each query.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        area: tokens in an area; odd unless `causal`.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: `area` is less than 1, or even without `causal`.
    """

    knows_order = True

    def __init__(self, dim: int, heads: int, *, area: int = 3, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if area < 1 or (area % 2 == 0 and not self.causal):
            raise InputError(f"feature attention: area={area} has no middle token; choose an odd number")
        self.area = area
        width = dim // heads
        self.weight = head_weights(heads, width, 2 * width)
        self.bias = nn.Parameter(torch.zeros(heads, 1, width))
        self.direction = head_weights(heads, 1, width)

    def keys(self, k: Float[Tensor, "b h m c"], mask: Bool[Tensor, "b m"] | None) -> Float[Tensor, "b h m c_key"]:
        """Mean and standard deviation of the keys in each area."""
        b, _, m, _ = k.shape
        there = k.new_ones(b, 1, m, 1) if mask is None else mask[:, None, :, None].to(k.dtype)
        count = self._sum(there).clamp(min=1)
        mean = self._sum(k * there) / count
        # As in the paper, the mean of squares less the square of the mean. The slope of the root is infinite at 0.
        variance = self._sum(k.square() * there) / count - mean.square()
        return torch.cat((mean, variance.clamp(min=1e-6).sqrt()), -1)

    def _sum(self, x: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h m c"]:
        """Sum over each key's area."""
        before = self.area - 1 if self.causal else self.area // 2
        return F.pad(x, (0, 0, before, self.area - 1 - before)).unfold(2, self.area, 1).sum(-1)

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c_key"]) -> Float[Tensor, "b h n m"]:
        """Score of each key, repeated for each query."""
        hidden = (k @ self.weight.mT + self.bias).tanh()
        return (hidden @ self.direction.mT).mT.expand(-1, -1, q.shape[2], -1)
