"""Location-based score."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from poselift.core.annotations import Count
from poselift.core.errors import InputError
from poselift.nn.attention.heads import head_weights
from poselift.nn.attention.pairwise import PairwiseAttention


class LocationAttention(PairwiseAttention):
    """(W q)_j: the query alone decides where to look.

    Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.1: a_t = softmax(W_a h_t). W has a row for each place
    in the sequence. A shorter sequence uses the first rows, as in the paper; the paper ignores the end of a longer
    one, and here it is an error. Keys get no gradient, and the rotary code is ignored.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        positions: the longest sequence that can be looked at, in tokens.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: a sequence has more tokens than `positions`.
    """

    knows_order = True

    def __init__(self, dim: int, heads: int, *, positions: Count = 256, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.places = head_weights(heads, positions, dim // heads)

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The first m entries of W q."""
        m, positions = k.shape[-2], self.places.shape[1]
        if m > positions:
            raise InputError(f"location attention was built for {positions} tokens and got {m}; set positions={m}")
        return q @ self.places[:, :m].mT
