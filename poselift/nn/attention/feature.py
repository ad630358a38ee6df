"""Feature-based score."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.pairwise import PairwiseAttention, head_weights


class FeatureAttention(PairwiseAttention):
    """v' tanh(W_0 phi_0(K) + W_1 phi_1(K) + b): features of the keys alone say which ones matter, to all queries.

    The features are those of Li et al. 2018 (https://arxiv.org/abs/1810.10126): the mean and the standard deviation
    of the keys in an area. The paper has areas of all sizes up to a maximum as keys of their own, and compares them
    with a query; here, as in the table of Chaudhari et al. 2019 (https://arxiv.org/abs/1904.02874) that the thesis
    follows, each key has the features of one area around it and is scored by itself. The thesis prints one phi for
    both. Only tokens that are there count in an area; where attention is causal, it ends at its key. The query's
    projection has no gradient; the rotary code is ignored. Linear in n but for writing the scores out.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        area: tokens in an area; odd unless `causal`.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: `area` is less than 1, or even where it has a middle.
    """

    knows_order = True

    def __init__(self, dim: int, heads: int, *, area: int = 3, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if area < 1 or (area % 2 == 0 and not self.causal):
            raise InputError(f"an area of feature attention is an odd number of tokens around a key, not {area}")
        self.area = area
        width = dim // heads
        self.weight = head_weights(heads, width, 2 * width)
        self.bias = nn.Parameter(torch.zeros(heads, 1, width))
        self.direction = head_weights(heads, 1, width)

    def keys(self, k: Float[Tensor, "b h m c"], present: Bool[Tensor, "b m"] | None) -> Float[Tensor, "b h m c_key"]:
        """Mean and standard deviation of the keys in each one's area, side by side."""
        b, _, m, _ = k.shape
        there = k.new_ones(b, 1, m, 1) if present is None else present[:, None, :, None].to(k.dtype)
        count = self._sum(there).clamp(min=1)
        mean = self._sum(k * there) / count
        # As in the paper, the mean of squares less the square of the mean; the root's slope at 0 is infinite.
        variance = self._sum(k.square() * there) / count - mean.square()
        return torch.cat((mean, variance.clamp(min=1e-6).sqrt()), -1)

    def _sum(self, x: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h m c"]:
        """Sums over areas."""
        before = self.area - 1 if self.causal else self.area // 2
        return F.pad(x, (0, 0, before, self.area - 1 - before)).unfold(2, self.area, 1).sum(-1)

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c_key"]) -> Float[Tensor, "b h n m"]:
        """The same score of a key for each query."""
        hidden = (k @ self.weight.mT + self.bias).tanh()
        return (hidden @ self.direction.mT).mT.expand(-1, -1, q.shape[2], -1)
