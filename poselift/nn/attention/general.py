"""General (bilinear) score."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.dot import DotAttention
from poselift.nn.attention.heads import head_weights


class GeneralAttention(DotAttention):
    """q' W k, with one W for each head.

    Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.1.

    W maps keys to the space of the queries. In Luong's network, which compares states as they are, W is the only
    projection. Here queries and keys have projections of their own: W adds parameters, but no new functions. The
    rotary code turns W' q and k.

    The arguments are those of `PairwiseAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.weight = head_weights(heads, dim // heads, dim // heads)

    def queries(self, q: Float[Tensor, "b h n c"]) -> Float[Tensor, "b h n c"]:
        """W' q, which makes the score a dot product."""
        return q @ self.weight
