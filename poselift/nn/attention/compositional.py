"""Compositional de-attention."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.nn.attention.pairwise import PairwiseAttention


class CompositionalAttention(PairwiseAttention):
    """tanh(E) * sigmoid(N): a token is added, subtracted or left out, instead of weighed from 0 to 1.

    CoDA (Tay et al. 2019, https://papers.nips.cc/paper/2019/hash/16fc18d787294ad5171100e33d05d4e2-Abstract.html):
    E = q' k / sqrt(d_head) is how alike a pair is and N = -|q - k|_1 / sqrt(d_head) how unlike, so the second factor,
    between 0 and 1/2, takes weight away. There is no softmax and no distribution to choose: weights can be negative,
    and a row sums to anything. The paper also has N with its mean taken off, or the factor doubled, so that it comes
    near 1; the mean would let later tokens change earlier ones, and a constant the output projection can learn.
    The rotary code is ignored: |q - k|_1 changes when both are turned.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: queries come from the tokens, keys and values from a memory of another length.
    """

    def __init__(self, dim: int, heads: int, *, causal: bool = False, cross: bool = False) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        self.distribution = _as_they_are
        self.normalised = False

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """tanh(E) * sigmoid(N)."""
        scale = q.shape[-1] ** -0.5
        return (q @ k.mT * scale).tanh() * (-torch.cdist(q, k, p=1) * scale).sigmoid()


def _as_they_are(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None
) -> Float[Tensor, "*rows m"]:
    """The scores, zero where a token may not be looked at."""
    return scores if allowed is None else scores * allowed
