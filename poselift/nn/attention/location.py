"""Location-based score."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.pairwise import PairwiseAttention, head_weights


class LocationAttention(PairwiseAttention):
    """(W q)_j: the query alone says where to look, whatever is there.

    Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.1: a_t = softmax(W_a h_t). The thesis writes
    act(W q), where the activation is that softmax. W has a row for each place in the sequence: a shorter
    sequence uses the first ones, as in the paper; a longer one is refused, where the paper ignores its end. Keys do
    not count, and have no gradient; the rotary code is ignored.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        positions: places that can be looked at: the longest sequence.
        options: the other arguments of `PairwiseAttention`.

    Raises:
        InputError: a sequence has more tokens than `positions`.
    """

    knows_order = True

    def __init__(self, dim: int, heads: int, *, positions: int = 256, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.places = head_weights(heads, positions, dim // heads)

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The first m entries of W q."""
        m, positions = k.shape[-2], self.places.shape[1]
        if m > positions:
            raise InputError(f"location attention knows {positions} positions, not {m}; build it with positions={m}")
        return q @ self.places[:, :m].mT
