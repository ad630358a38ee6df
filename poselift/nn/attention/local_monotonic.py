"""Local attention with monotonic alignment."""

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.nn.attention.centred_window import CentredAttention, weigh_window
from poselift.nn.attention.context import AttentionContext


class LocalMonotonicAttention(CentredAttention):
    """Token t looks at the window [t - D, t + D].

    Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.2.

    The paper's local-m is score="general"; any score function and distribution is possible. `local` is the mechanism
    that also saves the cost of the other scores. With a memory of another length, the centres of the windows are
    spread evenly over it; the paper's p_t = t would run past its end.

    The arguments are those of `CentredAttention`.
    """

    def weigh(self, context: AttentionContext, scores: Float[Tensor, "b h n m"]) -> Float[Tensor, "b h n m"]:
        """The distribution over each window."""
        n, m = scores.shape[-2:]
        centres = torch.arange(n, device=scores.device)
        if n != m:
            centres = (centres * ((m - 1) / max(n - 1, 1))).round()
        away = (torch.arange(m, device=scores.device) - centres[:, None])[None, None]
        allowed = context.allowed(self.causal)
        return weigh_window(self.pairwise.distribution, scores, away, self.reach, allowed, fades=False)
