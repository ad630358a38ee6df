"""Where a token is in time, in seconds, so that one model serves every frame rate."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from poselift.core.errors import InputError


class RotaryTime(nn.Module):
    """Rotary position code of time in seconds (Su et al. 2021, https://arxiv.org/abs/2104.09864).

    RoFormer turns each pair of channels by position x frequency; here the position is the time stamp, and the
    periods run from `shortest` to `longest` seconds in equal ratios. Scores then depend on time differences
    alone.

    Args:
        head_dim: channels of one head; even.
        shortest: the shortest period, seconds.
        longest: the longest period, seconds.
    """

    frequencies: Tensor

    def __init__(self, head_dim: int, shortest: float = 0.08, longest: float = 20.0) -> None:
        super().__init__()
        if head_dim % 2:
            raise ValueError(f"a rotary code needs an even head width, not {head_dim}")
        steps = torch.linspace(0, 1, head_dim // 2)
        periods = torch.exp(math.log(shortest) + steps * (math.log(longest) - math.log(shortest)))
        self.register_buffer("frequencies", 2 * math.pi / periods, persistent=False)

    def forward(self, times: Float[Tensor, "b n"]) -> Float[Tensor, "b n r 2"]:
        """Cosine and sine of each token's angles; `times` in seconds."""
        angles = times[..., None] * self.frequencies
        return torch.stack((angles.cos(), angles.sin()), -1)


class SinusoidalTime(nn.Module):
    """Sines and cosines of time in seconds, added to the tokens (Vaswani et al. 2017).

    The paper's code of a token's number in the sentence, with the time stamp in its place and periods from
    `shortest` to `longest` seconds in equal ratios.

    Args:
        dim: width of the code; even.
        shortest: the shortest period, seconds.
        longest: the longest period, seconds.
    """

    def __init__(self, dim: int, shortest: float = 0.08, longest: float = 20.0) -> None:
        super().__init__()
        self.rotary = RotaryTime(dim, shortest, longest)

    def forward(self, times: Float[Tensor, "b n"]) -> Float[Tensor, "b n dim"]:
        """The code of each token; `times` in seconds."""
        return self.rotary(times).flatten(-2)


class LearnedPosition(nn.Module):
    """A learned vector for each place in the sequence (Gehring et al. 2017, https://arxiv.org/abs/1705.03122).

    It knows the order of the tokens and not their times, so it fits one frame rate.

    Args:
        dim: width of the code.
        longest: most tokens in a sequence.
    """

    def __init__(self, dim: int, longest: int = 1024) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(longest, dim) * 0.02)

    def forward(self, times: Float[Tensor, "b n"]) -> Float[Tensor, "b n dim"]:
        """The code of each token; of `times` the number is used alone.

        Raises:
            InputError: there are more tokens than places.
        """
        b, n = times.shape
        if n > len(self.table):
            raise InputError(f"{n} tokens were given, but positions are learned for {len(self.table)} at most")
        # Not table[:n]: a module that gives a view of its parameter cannot be counted by torch's FlopCounterMode.
        return F.embedding(torch.arange(n, device=times.device), self.table).expand(b, -1, -1)


def rotate(
    x: Float[Tensor, "b heads n d_head"], rotation: Float[Tensor, "b n r 2"]
) -> Float[Tensor, "b heads n d_head"]:
    """Turns channel pairs (c, c + d_head / 2) of queries or keys by the rotary code."""
    cos, sin = rotation[:, None].to(x.dtype).unbind(-1)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)
