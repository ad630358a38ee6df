"""Dot-product score."""

from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.pairwise import PairwiseAttention


class DotAttention(PairwiseAttention):
    """q' k (Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.1).

    Without the scale of `ScaledDotAttention` the spread of the scores grows with the square root of the heads'
    width, and the softmax comes closer to choosing one key.

    The arguments are those of `PairwiseAttention`.
    """

    takes_rotation = True

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The score q' k of each pair."""
        return q @ k.mT
