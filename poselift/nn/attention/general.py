"""General (bilinear) score."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.dot import DotAttention
from poselift.nn.attention.pairwise import head_weights


class GeneralAttention(DotAttention):
    """q' W k, W learned for each head (Luong et al. 2015, https://arxiv.org/abs/1508.04025, equation 8).

    Queries and keys need not be in one space: W takes one to the other. With projections of queries and keys of
    their own, as here, W adds parameters but no new functions; in Luong's network, where states are compared as they
    are, it is the only projection. The rotary code turns W' q and k.

    The arguments are those of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.weight = head_weights(heads, dim // heads, dim // heads)

    def queries(self, q: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n c"]:
        """W' q, so that the score is a dot product."""
        return q @ self.weight
