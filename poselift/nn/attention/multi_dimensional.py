"""Multi-dimensional attention: a weight for each feature."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.pairwise import PairwiseAttention


class MultiDimensionalAttention(PairwiseAttention):
    """Each feature has its own weights over the keys.

    f(q, k) = 5 tanh((W_1 q + W_2 k + b) / 5) is a vector.

    DiSAN (Shen et al. 2017, https://arxiv.org/abs/1709.04696, c = 5): the score of additive attention with an entry for
    each feature, and a softmax over the keys for each. W_1 and W_2 are the projections of queries and keys, and b is
    the sum of their biases. So there are `dim` heads of width 1, whatever `heads` is, and as many maps. Memory grows
    with n m d. The paper's direction masks are `causal`. Its fusion gate is left to the block around. The rotary code
    is ignored.

    Args:
        dim: width of the tokens.
        heads: divides `dim`, and changes nothing.
        options: the other arguments of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.heads = dim

    def scores(self, q: Float[Tensor, "b h n 1"], k: Float[Tensor, "b h m 1"]) -> Float[Tensor, "b h n m"]:
        """5 tanh((q + k) / 5), feature by feature."""
        return 5 * ((q + k.mT) / 5).tanh()
