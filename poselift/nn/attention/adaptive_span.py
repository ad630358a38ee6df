"""Adaptive attention span."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.sparse import SparseAttention, banded, merge

_START = -math.log(7)  # whose sigmoid is 1 / 8


class AdaptiveSpanAttention(SparseAttention):
    """Each head learns how far it looks (Sukhbaatar et al. 2019, https://arxiv.org/abs/1905.07799).

    A soft mask falls from 1 to 0 over `ramp` tokens past the head's span z, so that z has a gradient; a penalty on
    the spans keeps them as short as the task lets them be.

        out_i = sum_j m(|i - j|) exp(q_i k_j / sqrt(c)) v_j / sum_j m(|i - j|) exp(q_i k_j / sqrt(c)),
        m(x) = min(max((ramp + z - x) / ramp, 0), 1)

    Cost: n (the longest head's span + ramp), linear in n once the sequence is longer than that; what no head looks at
    is not computed. A span as long as the sequence is exact attention. It cannot look at a memory of another length.

    Deviations: the paper's tokens look back alone; so it is here with `causal`, and to both sides without. The rotary
    code of the tokens is in place of the paper's learned relative positions. z is max_span sigmoid(parameter), which
    stays in range by itself, where the paper cuts a free parameter to [0, max_span] after each step. The paper also has
    a span that depends on the token, which is not here; the thesis describes that one.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        causal: a token sees itself and those before it alone.
        cross: refused.
        max_span: the longest span in tokens, S in the paper; training starts from an eighth of it.
        ramp: tokens over which the mask falls, R in the paper.
        span_weight: what a token of mean span adds to the loss of training, lambda in the paper: 2e-6 there, for
            spans of up to 8192 tokens and a loss that is ten times as large.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        causal: bool = False,
        cross: bool = False,
        max_span: int = 64,
        ramp: int = 8,
        span_weight: float = 2e-5,
    ) -> None:
        super().__init__(dim, heads, causal=causal, cross=cross)
        if max_span < 1 or ramp < 1:
            raise InputError(f"adaptive span: max_span and ramp must be 1 or more, not {max_span} and {ramp}")
        if not span_weight >= 0:
            raise InputError(f"adaptive span: span_weight must not be negative; got {span_weight}")
        self.max_span, self.ramp, self.span_weight = max_span, ramp, span_weight
        self.span_logits = nn.Parameter(torch.full((heads,), _START))

    @property
    def spans(self) -> Float[Tensor, " heads"]:
        """The span of each head, in tokens: z."""
        return self.max_span * self.span_logits.sigmoid()

    def penalty(self) -> Float[Tensor, ""]:
        """The weighed mean of the spans of the M heads: lambda / M sum z in the paper."""
        return self.span_weight * self.spans.mean()

    def _weights(self, offset: Int[Tensor, "i j"]) -> Float[Tensor, "heads i j"]:
        """The soft mask m of each head."""
        return ((self.ramp + self.spans[:, None, None] - offset.abs()) / self.ramp).clamp(0, 1)

    def pattern(self, n: int, device: torch.device) -> Float[Tensor, "heads n n"]:
        """The soft mask over all pairs."""
        index = torch.arange(n, device=device)
        return self._weights(index - index[:, None])

    def mix(  # noqa: D102
        self,
        q: Float[Tensor, "b heads n c"],
        k: Float[Tensor, "b heads n c"],
        v: Float[Tensor, "b heads n c"],
        visible: Bool[Tensor, "b 1 n"],
    ) -> Float[Tensor, "b heads n c"]:
        reach = min(math.ceil(self.spans.max().item() + self.ramp) - 1, q.shape[-2] - 1)
        part = banded(
            q,
            k,
            v,
            visible,
            reach=reach,
            causal=self.causal,
            weights=lambda offset: self._weights(offset)[:, None],  # (heads, 1 for the blocks, size, width)
        )
        return merge(part)
