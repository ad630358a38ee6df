"""Scaled dot-product attention with several heads."""

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.pairwise import PairwiseAttention


class ScaledDotAttention(PairwiseAttention):
    """softmax(q k' / sqrt(d_head)) v over several heads (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762).

    The scale keeps the spread of the scores, and with it the softmax's gradient, independent of the width. Under
    softmax, torch's `scaled_dot_product_attention` computes it without keeping the n m weights.

    The arguments are those of `PairwiseAttention`.
    """

    takes_rotation = True

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The dot product of each pair, scaled."""
        return q @ k.mT / q.shape[-1] ** 0.5

    def forward(
        self,
        tokens: Float[Tensor, "b n d"],
        mask: Bool[Tensor, "b n"] | None = None,
        rotation: Float[Tensor, "b n r 2"] | None = None,
        memory: Float[Tensor, "b m d"] | None = None,
        memory_mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Attends among the tokens, or from the tokens to the memory."""
        if self.distribution is not softmax:
            return super().forward(tokens, mask, rotation, memory, memory_mask)
        q, k, v = self.project(tokens, mask, rotation, memory, memory_mask)
        if self.causal and mask is None:
            return self.merge(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        allowed = self.allowed(tokens, mask, memory, memory_mask)
        if allowed is None:
            return self.merge(F.scaled_dot_product_attention(q, k, v))
        # A query that may look at nothing would be NaN: it looks at everything, and what it sees counts nothing.
        some = allowed.any(-1, keepdim=True)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=(allowed | ~some)[:, None])
        return self.merge(mixed * some[:, None] if self.cross else mixed)
