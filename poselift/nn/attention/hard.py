"""Hard attention: one key, drawn at random."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.context import AttentionContext
from poselift.nn.attention.reach import ReachAttention


class HardAttention(ReachAttention):
    """Each query takes one key, drawn by its weights.

    In training a key is drawn from torch's generator. In eval mode the key of the largest weight is taken, so the
    result is always the same.

    Xu et al. 2015, https://arxiv.org/abs/1502.03044, section 4.1, train with REINFORCE. Here the gradient goes straight
    through to the weights, as if they had been used (Bengio et al. 2013, https://arxiv.org/abs/1308.3432). It is
    biased, but has less variance and needs no reward.

    The arguments are those of `ReachAttention`.

    Raises:
        InputError: the weights of `distribution` do not sum to 1.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if not self.normalised:
            raise InputError("hard attention draws keys, and sigmoid weights do not sum to 1; choose softmax")

    def weigh(self, context: AttentionContext, scores: Float[Tensor, "b h n m"]) -> Float[Tensor, "b h n m"]:
        """One weight of 1 in each row, with the soft weights' gradient."""
        weights = self.pairwise.distribution(scores, context.allowed(self.causal))
        logits = weights.detach().log()
        if self.training:
            # The argmax of log weight + Gumbel noise is a draw (Gumbel 1954). The log of a zero weight is -inf.
            logits = logits - torch.empty_like(logits).exponential_().log()
        chosen = F.one_hot(logits.argmax(-1), logits.shape[-1]) * (weights.detach() > 0)
        return chosen + (weights - weights.detach())
