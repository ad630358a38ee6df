"""Learning-rate schedules: pure functions from the step to a factor on the base rate."""

import math
from collections.abc import Callable

Schedule = Callable[[int], float]
"""From the step (0, 1, ...) to the factor on the base learning rate."""


def cosine(steps: int, warmup: int = 500, final: float = 0.01) -> Schedule:
    """Linear warm-up, then half a cosine down (Loshchilov and Hutter 2017, https://arxiv.org/abs/1608.03983).

    Args:
        steps: after which the factor stays at `final`.
        warmup: steps from 0 to 1; no more than a tenth of all are taken.
        final: the factor at the end.
    """
    warmup = min(warmup, steps // 10)

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / (warmup + 1)
        progress = min((step - warmup) / max(steps - warmup, 1), 1.0)
        return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * progress))

    return factor


def constant(warmup: int = 500) -> Schedule:
    """Linear warm-up, then constant.

    Args:
        warmup: steps from 0 to 1.
    """
    return lambda step: min((step + 1) / (warmup + 1), 1.0)
