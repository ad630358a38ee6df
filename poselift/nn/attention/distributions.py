"""Distribution functions: from scores of keys to weights, for each query.

All take scores (*, m) and `allowed`, True where a query may look. They return weights (*, m) that are zero elsewhere;
all weights are zero if no key is allowed. The weights sum to 1, except those of `sigmoid`.
"""

import math
from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.core.choices import choose
from poselift.core.errors import InputError

Distribution = Callable[[Tensor, Tensor | None], Tensor]

_BITS = {torch.float32: 24, torch.float64: 53}
"""Halvings after which a bisection of [-1, 0] is exact to rounding."""


def softmax(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None
) -> Float[Tensor, "*rows m"]:
    """exp(s_i) / sum_j exp(s_j)."""
    if allowed is None:
        return scores.softmax(-1)
    # The smallest number instead of -inf: a row of -inf would give NaN, in the gradient too.
    return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1) * allowed


def sigmoid(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None
) -> Float[Tensor, "*rows m"]:
    """A weight of each key by itself.

    1 / (1 + exp(-(s_i - log m))), for m allowed keys.

    The weights do not sum to 1. Because of - log m, their sum does not grow with m (Ramapuram et al. 2024,
    https://arxiv.org/abs/2409.04431).
    """
    if allowed is None:
        return (scores - math.log(scores.shape[-1])).sigmoid()
    count = allowed.sum(-1, keepdim=True).clamp(min=1).to(scores.dtype)
    return (scores - count.log()).sigmoid() * allowed


def sparsemax(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None
) -> Float[Tensor, "*rows m"]:
    """The point of the simplex that is nearest to the scores.

    max(s_i - tau, 0): many weights are exactly zero.

    Martins and Astudillo 2016, https://arxiv.org/abs/1602.02068, algorithm 1.
    """
    z = _scale(scores, allowed)
    ordered = z.sort(-1, descending=True).values
    sums = ordered.cumsum(-1)
    rank = torch.arange(1, z.shape[-1] + 1, dtype=z.dtype, device=z.device)
    size = (1 + rank * ordered > sums).sum(-1, keepdim=True).clamp(min=1)
    tau = (sums.gather(-1, size - 1) - 1) / size
    weights = (z - tau).clamp(min=0)
    return (weights if allowed is None else weights * allowed).to(scores.dtype)


def entmax(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None, alpha: float = 1.5
) -> Float[Tensor, "*rows m"]:
    """From softmax (alpha = 1) to sparsemax (alpha = 2).

    max((alpha - 1) s_i - tau, 0) ^ (1 / (alpha - 1)).

    Peters et al. 2019, https://arxiv.org/abs/1905.05702. tau comes from bisection (their algorithm 1), its gradient
    from the implicit function theorem.
    """
    if alpha == 1:
        return softmax(scores, allowed)
    if alpha == 2:
        return sparsemax(scores, allowed)
    z = _scale(scores, allowed, alpha - 1)
    power = 1 / (alpha - 1)
    with torch.no_grad():
        # The sum falls as tau grows from -1, where it is at least 1, to 0, where it is 0.
        low = torch.full_like(z[..., :1], -1.0)
        width = torch.ones_like(low)
        for _ in range(_BITS[z.dtype]):
            width = width / 2
            too_much = (z - low - width).clamp(min=0).pow(power).sum(-1, keepdim=True) >= 1
            low = torch.where(too_much, low + width, low)
        slope = (z - low).clamp(min=0).pow(power * (2 - alpha))
        slope = slope / slope.sum(-1, keepdim=True)
    # The second term is 0, and its gradient is that of tau.
    tau = low + (slope * (z - z.detach())).sum(-1, keepdim=True)
    weights = (z - tau).clamp(min=0).pow(power)
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights if allowed is None else weights * allowed).to(scores.dtype)


def proportional(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None = None
) -> Float[Tensor, "*rows m"]:
    """s_i / sum_j s_j, for scores that are never negative."""
    return divide_by_sum(scores, scores, allowed)


def divide_by_sum(
    shares: Float[Tensor, "*rows m"], scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None
) -> Float[Tensor, "*rows m"]:
    """The shares, divided by the sum of each row's non-negative scores."""
    if allowed is not None:
        shares, scores = shares * allowed, scores * allowed
    return shares / scores.sum(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


DISTRIBUTIONS: dict[str, Callable[..., Tensor]] = {
    "softmax": softmax,
    "sigmoid": sigmoid,
    "sparsemax": sparsemax,
    "entmax": entmax,
    "proportional": proportional,
}
"""The distribution functions by name."""


def get_distribution(name: str, alpha: float | None = None, *, positive_scores: bool = False) -> Distribution:
    """The distribution function of this name.

    Example:
        >>> get_distribution("sparsemax")(torch.tensor([1.0, 0.5, -1.0]), None)
        tensor([0.7500, 0.2500, 0.0000])

    Args:
        name: one of `DISTRIBUTIONS`.
        alpha: of entmax, from 1 to 2; None for 1.5.
        positive_scores: scores are never negative, so "proportional" is possible.

    Raises:
        InputError: no function has this name, it has no `alpha`, or it needs positive scores.
    """
    function = choose("distribution", name, DISTRIBUTIONS)
    if function is proportional and not positive_scores:
        raise InputError(
            "distribution proportional needs scores that are never negative; choose softmax, or kernel attention"
        )
    if alpha is None:
        return function
    if name != "entmax":
        raise InputError(f"distribution {name} has no alpha; leave alpha out, or choose distribution entmax")
    if not 1 <= alpha <= 2:
        raise InputError(f"alpha of entmax is {alpha}; choose a number from 1 (softmax) to 2 (sparsemax)")
    return partial(entmax, alpha=alpha)


def _scale(
    scores: Float[Tensor, "*rows m"], allowed: Bool[Tensor, "*#rows m"] | None, scale: float = 1.0
) -> Float[Tensor, "*rows m"]:
    """Scores relative to the largest, times `scale`, in float32 at least.

    A key that is 1 or more below the largest gets no weight. Keys far below, and keys that are not allowed, become -2.
    """
    z = scores.to(torch.promote_types(scores.dtype, torch.float32))
    if allowed is not None:
        z = z.masked_fill(~allowed, torch.finfo(z.dtype).min)
    return ((z - z.amax(-1, keepdim=True).detach()) * scale).clamp(min=-2)
