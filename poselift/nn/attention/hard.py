"""Hard attention: one key, drawn."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.reach import ReachAttention


class HardAttention(ReachAttention):
    """Each query takes one key whole, drawn from the multinoulli distribution of its weights.

    Xu et al. 2015, https://arxiv.org/abs/1502.03044, section 4.1, learn it by REINFORCE; here the gradient goes
    straight through to the weights, as if they themselves had been used (Bengio et al. 2013,
    https://arxiv.org/abs/1308.3432): it is biased, has less variance, and needs no reward. In training a key is drawn
    from torch's generator; in eval mode the one of the largest weight is taken, and the result is always the same.

    The arguments are those of `ReachAttention`.

    Raises:
        InputError: the weights of `distribution` do not sum to 1, so that nothing can be drawn from them.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if not self.normalised:
            raise InputError("hard attention draws from a distribution, and sigmoid weights are none; choose softmax")

    def weigh(
        self,
        tokens: Float[Tensor, "b n d"],
        scores: Float[Tensor, "b h n m"],
        allowed: Bool[Tensor, "b n m"] | None,
    ) -> Float[Tensor, "b h n m"]:
        """One weight of 1 in each row, with the gradient of the weights that it was drawn from."""
        weights = self.pairwise.distribution(scores, None if allowed is None else allowed[:, None])
        logits = weights.detach().log()
        if self.training:
            # The largest of log weight + Gumbel noise is a draw (Gumbel 1954); where a weight is 0 it is -inf.
            logits = logits - torch.empty_like(logits).exponential_().log()
        chosen = F.one_hot(logits.argmax(-1), logits.shape[-1]) * (weights.detach() > 0)
        return chosen + (weights - weights.detach())
