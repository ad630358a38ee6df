"""Compositional de-attention."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.nn.attention.pairwise import PairwiseAttention


class CompositionalAttention(PairwiseAttention):
    """tanh(E) * sigmoid(N): a value is added, subtracted or left out.

    CoDA (Tay et al. 2019, https://papers.nips.cc/paper/2019/hash/16fc18d787294ad5171100e33d05d4e2-Abstract.html):
    E = q' k / sqrt(c) measures how alike a pair is, and N = -|q - k|_1 / sqrt(c) how unlike. The second factor lies
    between 0 and 1/2, so it only takes weight away. There is no softmax and no choice of distribution: weights can be
    negative, and a row can have any sum. The rotary code is ignored, because |q - k|_1 changes when both are turned.

    Deviation: the paper can also subtract the mean from N, or double the factor, to bring it near 1. The mean would
    let later tokens change earlier ones; the output projection can learn a constant factor.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees only itself and earlier tokens.
        cross: queries come from the tokens, keys and values from a memory.
    """

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        self.distribution = _scores_themselves
        self.normalised = False

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """tanh(E) * sigmoid(N) of each pair."""
        scale = q.shape[-1] ** -0.5
        return (q @ k.mT * scale).tanh() * (-torch.cdist(q, k, p=1) * scale).sigmoid()


def _scores_themselves(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None
) -> Float[Tensor, "*rows m"]:
    return scores if allowed is None else scores * allowed
