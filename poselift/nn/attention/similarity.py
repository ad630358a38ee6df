"""Similarity (content-based) score."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.pairwise import PairwiseAttention


class SimilarityAttention(PairwiseAttention):
    """beta cos(q, k): a key counts by its direction alone, however long it is.

    Content-based addressing of the neural Turing machine (Graves et al. 2014, https://arxiv.org/abs/1410.5401,
    equations 5 and 6). There the controller says beta > 0 anew at each step; here it is one learned number a head,
    softplus of a parameter, that starts at sqrt(d_head): a cosine alone is between -1 and 1, and its softmax over
    many keys nearly flat. The thesis leaves beta out. Turning both by their positions keeps the lengths, so
    the rotary code is honoured.

    The arguments are those of `PairwiseAttention`.
    """

    takes_rotation = True

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        start = math.sqrt(dim / heads)
        self.sharpness = nn.Parameter(torch.full((heads, 1, 1), math.log(math.expm1(start))))

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The cosine of each pair, times beta."""
        return F.softplus(self.sharpness) * (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT)
