"""Positional encodings against their formulas."""

import math

import pytest
import torch

from poselift.core.errors import InputError
from poselift.nn.positions import LearnedPosition, RotaryTime, SinusoidalTime, rotate

TIMES = torch.tensor([[0.0, 0.04, 1.5]], dtype=torch.float64)


def periods(count):
    """From 0.08 to 20 seconds, each the same number of times as long as the one before."""
    return [0.08 * 250 ** (k / (count - 1)) for k in range(count)]


def test_sinusoidal_is_the_cosine_and_sine_of_time_over_each_period():
    code = SinusoidalTime(8).double()(TIMES)
    expected = [[f(2 * math.pi * t / p) for p in periods(4) for f in (math.cos, math.sin)] for t in TIMES[0].tolist()]
    torch.testing.assert_close(code, torch.tensor([expected], dtype=torch.float64), atol=1e-4, rtol=1e-4)


def test_rotary_turns_pairs_of_channels_as_complex_numbers():
    x = torch.randn(1, 2, 3, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    turned = rotate(x, RotaryTime(8).double()(TIMES))
    angles = TIMES[0, :, None] * 2 * math.pi / torch.tensor(periods(4))
    expected = torch.complex(x[..., :4], x[..., 4:]) * torch.polar(torch.ones_like(angles), angles)
    torch.testing.assert_close(turned, torch.cat((expected.real, expected.imag), -1), atol=1e-4, rtol=1e-4)


def test_scores_of_turned_vectors_depend_on_time_differences_alone():
    q, k = torch.randn(2, 1, 1, 3, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    code = RotaryTime(8).double()
    scores = [rotate(q, code(times)) @ rotate(k, code(times)).mT for times in (TIMES, TIMES + 3.0)]
    torch.testing.assert_close(scores[0], scores[1])


def test_learned_positions_are_of_places_and_not_of_times():
    code = LearnedPosition(4, longest=3)
    assert torch.equal(code(TIMES.float()), code(TIMES.float() * 5))
    assert torch.equal(code(TIMES.float())[0], code.table)
    with pytest.raises(InputError, match="positions are learned for 3 tokens at most and got 4"):
        code(torch.zeros(1, 4))
