"""Local attention with monotonic alignment."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.nn.attention.reach import ReachAttention


class LocalMonotonicAttention(ReachAttention):
    """Token t looks at the window [t - D, t + D] (Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.2).

    Any score function and distribution over the keys of the window: local-m of the paper with score="general". All
    n m scores are computed and those outside are left out, so it shows the idea and does not save its cost; `local`
    does. From a sequence to a memory of another length, where the paper's p_t = t would run off its end, the
    windows' centres are spread over the memory evenly.

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

    def weigh(
        self,
        tokens: Float[Tensor, "b n d"],
        scores: Float[Tensor, "b h n m"],
        allowed: Bool[Tensor, "b n m"] | None,
    ) -> Float[Tensor, "b h n m"]:
        """The distribution over each window."""
        n, m = scores.shape[-2:]
        centres = torch.arange(n, device=scores.device)
        if n != m:
            centres = (centres * ((m - 1) / max(n - 1, 1))).round()
        near = (torch.arange(m, device=scores.device) - centres[:, None]).abs() <= self.radius
        within = near[None] if allowed is None else near & allowed
        return self.pairwise.distribution(scores, within[:, None])


def half_window(window: int) -> int:
    """D of a window of 2 D + 1 tokens.

    Raises:
        InputError: `window` is not odd and at least 3.
    """
    if window < 3 or window % 2 == 0:
        raise InputError(f"the window of local attention is an odd number of tokens from 3 on, not {window}")
    return window // 2
