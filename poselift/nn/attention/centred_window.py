"""Local attention around a centre (Luong et al. 2015, https://arxiv.org/abs/1508.04025, section 3.2)."""

from typing import Any

from jaxtyping import Bool, Float, Num
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.nn.attention.distributions import Distribution
from poselift.nn.attention.reach import ReachAttention


class CentredAttention(ReachAttention):
    """Any score function and distribution, over a window around a centre.

    A subclass implements `weigh`.

    Args:
        dim: width of the tokens.
        heads: number of heads; divides `dim`.
        window: tokens in a window, 2 D + 1; odd. The paper's D is 10, for sentences.
        options: the other arguments of `ReachAttention`.

    Raises:
        InputError: `window` is even or less than 3.
    """

    knows_order = True

    def __init__(self, dim: int, heads: int, *, window: int = 9, **options: Any) -> None:
        super().__init__(dim, heads, **options)
        if window < 3 or window % 2 == 0:
            raise InputError(f"local attention: window={window} has no middle token; choose an odd number from 3 on")
        self.reach = window // 2


def build_centre(dim: int, centres: int) -> nn.Sequential:
    """The network v' tanh(W h) that predicts window centres, before the sigmoid."""
    return nn.Sequential(nn.Linear(dim, dim, bias=False), nn.Tanh(), nn.Linear(dim, centres, bias=False))


def weigh_window(
    distribution: Distribution,
    scores: Float[Tensor, "*b m"],
    away: Num[Tensor, "*#b m"],
    reach: int,
    allowed: Bool[Tensor, "*#b m"] | None,
    fades: bool,
) -> Float[Tensor, "*b m"]:
    """Weights of the keys within reach of a centre.

    They are 0 for all others.

    Args:
        distribution: from scores and a mask to weights.
        scores: of each key.
        away: distance of each key from the centre, tokens.
        reach: D, tokens on each side of the centre.
        allowed: keys that may be seen; None for all.
        fades: multiply by a Gaussian of deviation D / 2 around the centre, through which its place learns.
    """
    near = away.abs() <= reach
    weights = distribution(scores, near if allowed is None else near & allowed)
    return weights * (-2 * (away / reach).square()).exp().to(weights.dtype) if fades else weights
