"""Learning-rate schedules: factors on the base rate, by step.

Each function makes a schedule. `product` combines a warm-up and a decay.
"""

import math
from collections.abc import Callable

from poselift.core.annotations import Count, Share, Whole

Schedule = Callable[[int], float]
"""From the step (0, 1, ...) to the factor on the base learning rate."""


def product(**parts: Schedule) -> Schedule:
    """The product of schedules, such as a warm-up and a decay.

    Example:
        >>> schedule = product(warmup=linear_warmup(3), decay=cosine_decay(100))
        >>> [round(schedule(step), 3) for step in (0, 3, 100)]
        [0.333, 0.998, 0.01]

    Args:
        **parts: schedules, with any names.
    """
    return lambda step: math.prod(part(step) for part in parts.values())


def constant() -> Schedule:
    """Always 1."""
    return lambda step: 1.0


def linear_warmup(steps: Whole) -> Schedule:
    """min(1, t / steps), where t counts from 1.

    Goyal et al. 2017, https://arxiv.org/abs/1706.02677.

    Example:
        >>> [linear_warmup(4)(step) for step in range(5)]
        [0.25, 0.5, 0.75, 1.0, 1.0]

    Args:
        steps: steps to the full rate; 0 for the full rate from the first step.
    """
    return lambda step: min((step + 1) / max(steps, 1), 1.0)


def exponential_warmup(steps: Count) -> Schedule:
    """1 - exp(-t / steps), where t counts from 1.

    Ma and Yarats 2019, https://arxiv.org/abs/1910.04209.

    Args:
        steps: the time constant, after which the factor is 63 %.
    """
    return lambda step: -math.expm1(-(step + 1) / steps)


def untuned_exponential_warmup(beta2: Share) -> Schedule:
    """1 - exp(-(1 - beta2) t): a warm-up from Adam's beta2.

    Ma and Yarats 2019, "On the adequacy of untuned warmup for adaptive optimization",
    https://arxiv.org/abs/1910.04209.

    Args:
        beta2: of the optimizer, such as 0.98.
    """
    return lambda step: -math.expm1(-(1 - beta2) * (step + 1))


def untuned_linear_warmup(beta2: Share) -> Schedule:
    """min(1, (1 - beta2) t / 2): a warm-up from Adam's beta2.

    Ma and Yarats 2019, "On the adequacy of untuned warmup for adaptive optimization",
    https://arxiv.org/abs/1910.04209.

    Args:
        beta2: of the optimizer, such as 0.98.
    """
    return lambda step: min(1.0, (1 - beta2) * (step + 1) / 2)


def noam(warmup: Count) -> Schedule:
    """Rises linearly to 1, then falls as 1 / sqrt(step).

    Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, equation 3: d^-0.5 min(t^-0.5, t warmup^-1.5), t from 1.
    Here the peak is 1, as in every schedule. A base rate of (d warmup)^-0.5 gives the paper's rates.

    Example:
        >>> [round(noam(2)(step), 3) for step in range(4)]
        [0.5, 1.0, 0.816, 0.707]

    Args:
        warmup: number of steps to the peak.
    """
    return lambda step: min(((step + 1) / warmup) ** -0.5, (step + 1) / warmup)


def cosine_decay(steps: Count, final: Share = 0.01) -> Schedule:
    """Half a cosine from 1 to `final` (Loshchilov and Hutter 2017, https://arxiv.org/abs/1608.03983).

    Args:
        steps: number of steps until the factor is `final`; it stays there.
        final: the last factor.
    """
    return lambda step: final + (1 - final) * 0.5 * (1 + math.cos(math.pi * min(step / steps, 1.0)))


def exponential_decay(steps: Count, final: Share = 0.01) -> Schedule:
    """Falls by the same factor in each step.

    VideoPose3D, Pavllo et al. 2019, https://arxiv.org/abs/1811.11742.

    It falls beyond `steps` too. Pavllo et al. use 0.95 per epoch for 80 epochs: `final` is then 0.95^80 = 0.017.

    Args:
        steps: number of steps until the factor is `final`.
        final: the factor after `steps`.
    """
    return lambda step: final ** (step / steps)
