"""Adaptive attention span."""

import math
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from poselift.core.annotations import Amount, Count
from poselift.nn.attention.blockwise import Projections, attend_to_band, merge
from poselift.nn.attention.sparse import SparseAttention

_START = -math.log(7)  # sigmoid(_START) = 1 / 8


class AdaptiveSpanAttention(SparseAttention):
    """Each head learns how far it looks (Sukhbaatar et al. 2019, https://arxiv.org/abs/1905.07799).

    A soft mask falls from 1 to 0 over `ramp` tokens beyond the span z of the head, so z has a gradient. A penalty
    keeps the spans as short as the task allows.

        out_i = sum_j m(|i - j|) exp(q_i k_j / sqrt(c)) v_j / sum_j m(|i - j|) exp(q_i k_j / sqrt(c)),
        m(x) = min(max((ramp + z - x) / ramp, 0), 1)

    Cost: n (longest span of a head + ramp), linear in n for longer sequences. A span as long as the sequence is exact
    attention.

    Deviations: the rotary code replaces the paper's learned relative positions. z is max_span sigmoid(parameter), which
    stays in range by itself; the paper clips a free parameter to [0, max_span] after each step. The paper's span that
    depends on the token is left out.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        max_span: the longest span in tokens, S in the paper. Training starts from one eighth of it.
        ramp: tokens over which the mask falls, R in the paper.
        span_weight: weight of the mean span in the training loss, lambda in the paper: 2e-6 there, with spans of up to
            8192 tokens and a loss ten times as large.
        options: `causal` of `Attention`.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        max_span: Count = 64,
        ramp: Count = 8,
        span_weight: Amount = 2e-5,
        **options: Any,
    ) -> None:
        super().__init__(dim, heads, **options)
        self.max_span, self.ramp, self.span_weight = max_span, ramp, span_weight
        self.span_logits = nn.Parameter(torch.full((heads,), _START))

    @property
    def spans(self) -> Float[Tensor, " h"]:
        """Span z of each head, in tokens."""
        return self.max_span * self.span_logits.sigmoid()

    def penalty(self) -> Float[Tensor, ""]:
        """Lambda times the mean of the heads' spans."""
        return self.span_weight * self.spans.mean()

    def pattern(self, n: int, device: torch.device) -> Float[Tensor, "h n n"]:
        """Soft mask over all pairs."""
        index = torch.arange(n, device=device)
        return self._soft_mask(index - index[:, None])

    def mix(self, x: Projections) -> Float[Tensor, "b h n c"]:
        """Values mixed under the soft mask, up to the longest span."""
        reach = min(math.ceil(self.spans.max().item() + self.ramp) - 1, x.q.shape[-2] - 1)
        # (h, size, width) -> (h, 1, size, width): the same in all blocks
        part = attend_to_band(
            x, reach=reach, causal=self.causal, weights=lambda offset: self._soft_mask(offset)[:, None]
        )
        return merge(part)

    def _soft_mask(self, offset: Int[Tensor, "i j"]) -> Float[Tensor, "h i j"]:
        return ((self.ramp + self.spans[:, None, None] - offset.abs()) / self.ramp).clamp(0, 1)
