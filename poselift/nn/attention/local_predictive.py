"""Local attention with predicted alignment."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.centred_window import CentredAttention, build_centre, weigh_window
from poselift.nn.attention.context import AttentionContext


class LocalPredictiveAttention(CentredAttention):
    """Token t predicts where its window is.

    Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.2: local-p.

        p_t = S sigmoid(v' tanh(W h_t)) is the centre of the window,
        weight of key s = distribution over [p_t - D, p_t + D] times exp(-(s - p_t)^2 / (2 (D / 2)^2))

    p_t learns through the Gaussian. S is the number of tokens up to the last one that may be seen: the last one
    present or, with `causal`, t itself. Tokens are at s = 1/2, 3/2, ..., so that p_t covers them evenly. Each head has
    its own p_t. Rows sum to less than 1.

    The arguments are those of `CentredAttention`.
    """

    def __init__(self, dim: int, heads: int, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.normalised = False
        self.place = build_centre(dim, heads)

    def weigh(self, context: AttentionContext, scores: Float[Tensor, "b h n m"]) -> Float[Tensor, "b h n m"]:
        """The distribution over each window, times the Gaussian around its centre."""
        m, allowed = scores.shape[-1], context.allowed(self.causal)
        places = torch.arange(m, device=scores.device) + 0.5
        ends = m if allowed is None else (allowed * (places + 0.5)).amax(-1, keepdim=True)  # (b, 1, n, 1)
        away = places - ends * self.place(context.tokens).sigmoid().mT[..., None]  # (b, h, n, m)
        return weigh_window(self.pairwise.distribution, scores, away, self.reach, allowed, fades=True)
