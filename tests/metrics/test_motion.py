import math

import pytest
import torch
from torch.testing import assert_close

from poselift import metrics as M
from tests.metrics.scalar import number

FRAMES = torch.arange(8, dtype=torch.float64)


def path(values: torch.Tensor) -> torch.Tensor:
    """One joint that moves along x: (t, 1, 3) metres."""
    return torch.stack((values, torch.zeros_like(values), torch.zeros_like(values)), -1)[:, None]


def test_polynomials_have_the_derivatives_they_have():
    still = path(torch.zeros(8, dtype=torch.float64))
    assert_close(M.velocity_errors(path(0.002 * FRAMES + 5), still).mean(), number(2.0))
    assert_close(M.acceleration_errors(path(0.001 * FRAMES**2), still).mean(), number(2.0))
    assert_close(M.acceleration_errors(path(0.3 * FRAMES), still).mean(), number(0.0))
    assert_close(M.jerks(path(0.001 * FRAMES**3), fps=10.0).mean(), number(6.0))
    assert_close(M.jerks(path(0.5 * FRAMES**2), fps=10.0).mean(), number(0.0))


def test_a_difference_counts_where_all_its_frames_do():
    mask = torch.ones(8, 1, dtype=torch.bool)
    mask[3] = False
    clip = path(FRAMES).masked_fill(~mask[..., None], math.nan)
    still = torch.zeros_like(clip)
    for values, count in (
        (M.velocity_errors(clip, still, mask), 5),
        (M.acceleration_errors(clip, still, mask), 3),
        (M.jerks(clip, 1.0, mask), 1),
    ):
        assert values.counts.sum() == count
        assert values.mean().isfinite()
    assert_close(M.velocity_errors(clip, still, mask).mean(), number(1000.0))


@pytest.mark.parametrize("frames", [0, 1])
def test_clips_too_short_to_move_are_nan(frames):
    clip = torch.zeros(2, frames, 5, 3)
    assert M.velocity_errors(clip, clip).mean().isnan()
    assert M.acceleration_errors(clip, clip).mean().isnan()
    assert M.jerks(clip, 25.0).mean().isnan()
