"""Position codes of tokens.

Those of time in seconds let one model serve every frame rate.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError

_SHORTEST, _LONGEST = 0.08, 20.0
"""Shortest and longest period of the codes of time, seconds."""


class RotaryTime(nn.Module):
    """Rotary position code of time in seconds (Su et al. 2021, https://arxiv.org/abs/2104.09864).

    RoFormer turns each pair of channels by position x frequency. Here the position is the time stamp, and the periods
    run from 0.08 to 20 seconds in equal ratios. So scores depend only on differences in time.

    Args:
        head_dim: width of a head; even.

    Raises:
        InputError: the width is odd.
    """

    frequencies: Tensor

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        if head_dim % 2:
            raise InputError(
                f"a rotary code needs an even head width, not {head_dim}; choose another width or number of heads"
            )
        # On the CPU: where there is no memory, PyTorch imports its compiler for these, which takes over a second.
        steps = torch.linspace(0, 1, head_dim // 2, device="cpu")
        periods = torch.exp(math.log(_SHORTEST) + steps * (math.log(_LONGEST) - math.log(_SHORTEST)))
        frequencies = (2 * math.pi / periods).to(torch.get_default_device())
        self.register_buffer("frequencies", frequencies, persistent=False)

    def forward(self, times: Float[Tensor, "b n"]) -> Float[Tensor, "b n r 2"]:
        """Cosine and sine of each token's r angles; `times` in seconds."""
        angles = times[..., None] * self.frequencies
        return torch.stack((angles.cos(), angles.sin()), -1)


class SinusoidalTime(nn.Module):
    """Sines and cosines of time in seconds, added to tokens.

    Vaswani et al. 2017.

    The paper codes a token's place in the sentence. Here the position is the time stamp, and the periods are those of
    `RotaryTime`.

    Args:
        dim: width of the code; even.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.rotary = RotaryTime(dim)

    def forward(self, times: Float[Tensor, "b n"]) -> Float[Tensor, "b n dim"]:
        """Code of each token; `times` in seconds."""
        return self.rotary(times).flatten(-2)


class LearnedPosition(nn.Module):
    """A learned vector for each place in the sequence.

    Gehring et al. 2017, https://arxiv.org/abs/1705.03122.

    It depends on the order of the tokens and not on their times, so it suits one frame rate.

    Args:
        dim: width of the code.
        longest: tokens in the longest sequence.
    """

    def __init__(self, dim: int, longest: int = 1024) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(longest, dim) * 0.02)

    def forward(self, times: Float[Tensor, "b n"]) -> Float[Tensor, "b n dim"]:
        """Code of each token; only the number of `times` matters.

        Raises:
            InputError: the sequence has more tokens than places are learned.
        """
        b, n = times.shape
        if n > len(self.table):
            raise InputError(
                f"positions are learned for {len(self.table)} tokens at most and got {n}; shorten the window"
            )
        # Not table[:n]: torch's FlopCounterMode fails on a module that returns a view of its parameter.
        return F.embedding(torch.arange(n, device=times.device), self.table).expand(b, -1, -1)


def rotate(x: Float[Tensor, "b h n c"], rotation: Float[Tensor, "b n r 2"]) -> Float[Tensor, "b h n c"]:
    """Queries or keys turned by the rotary code.

    Channels i and i + r are a pair.
    """
    cos, sin = rotation[:, None].to(x.dtype).unbind(-1)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)
