"""Similarity (content-based) score."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.nn.attention.pairwise import PairwiseAttention


class SimilarityAttention(PairwiseAttention):
    """beta cos(q, k): the length of a key does not matter.

    Content-based addressing of the neural Turing machine (Graves et al. 2014, https://arxiv.org/abs/1410.5401,
    equations 5 and 6). A cosine alone lies between -1 and 1, and its softmax over many keys is nearly flat. beta > 0
    sharpens it: one learned number for each head, softplus of a parameter, that starts at sqrt(c). The paper's
    controller sets beta anew at each step. The rotary code keeps lengths, so it is used.

    The arguments are those of `PairwiseAttention`.
    """

    takes_rotation = True

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        start = math.sqrt(dim / heads)
        self.sharpness = nn.Parameter(torch.full((heads, 1, 1), math.log(math.expm1(start))))

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The score beta cos(q, k) of each pair."""
        return F.softplus(self.sharpness) * (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT)
