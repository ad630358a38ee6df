"""Scaled dot-product attention with several heads."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.distributions import softmax
from poselift.nn.attention.pairwise import PairwiseAttention


class ScaledDotAttention(PairwiseAttention):
    """softmax(q k' / sqrt(c)) v in each head.

    Vaswani et al. 2017, https://arxiv.org/abs/1706.03762.

    The scale makes the spread of the scores, and the gradient of the softmax, independent of the width. With softmax,
    torch's `scaled_dot_product_attention` computes it without storing the n m weights.

    The arguments are those of `PairwiseAttention`.
    """

    takes_rotation = True

    def scores(self, q: Float[Tensor, "b h n c"], k: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n m"]:
        """The score q' k / sqrt(c) of each pair."""
        return q @ k.mT / q.shape[-1] ** 0.5

    def _attend(self, context: AttentionContext) -> Float[Tensor, "b n d"]:
        if self.distribution is not softmax:
            return super()._attend(context)
        q, k, v = self.project(context)
        if self.causal and context.mask is None:
            return self._output(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        allowed = context.allowed(self.causal)
        if allowed is None:
            return self._output(F.scaled_dot_product_attention(q, k, v))
        # A query without any allowed key would become NaN. It looks at all keys, and the result is set to zero.
        some = allowed.any(-1, keepdim=True)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed | ~some)
        return self._output(mixed * some if self.cross else mixed)
