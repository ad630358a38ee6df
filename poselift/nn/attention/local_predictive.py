"""Local attention with predicted alignment."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from poselift.nn.attention.local_monotonic import half_window
from poselift.nn.attention.reach import ReachAttention


class LocalPredictiveAttention(ReachAttention):
    """Token t says where its window is: local-p of Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.2.

    p_t = S sigmoid(v' tanh(W h_t)) is the centre, S the length of what may be looked at; a key at s in
    [p_t - D, p_t + D] has the weight of the distribution over the window times exp(-(s - p_t)^2 / (2 (D / 2)^2)),
    through which p_t learns. Tokens are at s = 1/2, 3/2, ..., so that p_t covers them evenly. Rows sum to less than 1.
    Each head has its own p_t. S ends with the last token that is there or, where attention is causal, with t itself.
    All n m scores are computed, as in `LocalMonotonicAttention`.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        window: tokens in a window, 2 D + 1; odd. The paper's D is 10 for sentences.
        options: the other arguments of `ReachAttention`.

    Raises:
        InputError: `window` is not odd and at least 3.
    """

    knows_order = True

    def __init__(self, dim: int, heads: int, *, window: int = 9, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        self.radius = half_window(window)
        self.normalised = False
        self.place = nn.Sequential(nn.Linear(dim, dim, bias=False), nn.Tanh(), nn.Linear(dim, heads, bias=False))

    def weigh(
        self,
        tokens: Float[Tensor, "b n d"],
        scores: Float[Tensor, "b h n m"],
        allowed: Bool[Tensor, "b n m"] | None,
    ) -> Float[Tensor, "b h n m"]:
        """The distribution over each window, times the Gaussian around its centre."""
        m = scores.shape[-1]
        places = torch.arange(m, device=scores.device) + 0.5
        shares = self.place(tokens).sigmoid().mT[..., None]  # (b, heads, n, 1)
        if allowed is None:
            away = places - m * shares
            within = away.abs() <= self.radius
        else:
            ends = (allowed * (places + 0.5)).amax(-1)  # (b, n)
            away = places - ends[:, None, :, None] * shares
            within = (away.abs() <= self.radius) & allowed[:, None]
        return self.pairwise.distribution(scores, within) * (-2 * (away / self.radius).square()).exp()
