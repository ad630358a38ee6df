import math

import pytest
import torch
from scipy import stats
from torch.testing import assert_close

from poselift.metrics import functional as F


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize(
    ("metric", "law"), [(F.gaussian_nll, stats.norm), (F.laplace_nll, stats.laplace)], ids=["gaussian", "laplace"]
)
@pytest.mark.parametrize("channels", [1, 3])
def test_agrees_with_scipy(random_poses, metric, law, channels):
    pred, target, mask = random_poses(0, 4, 5, 3)
    scale = 0.05 + torch.rand(4, 5, channels, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    density = law(pred.numpy(), scale.numpy()).logpdf(target.numpy()).sum(-1)
    assert_close(metric(pred, target, scale, mask), number(-density[mask.numpy()].mean()))


@pytest.mark.parametrize("metric", [F.gaussian_nll, F.laplace_nll])
def test_masks_and_scales_that_are_none(random_poses, metric):
    pred, target, mask = random_poses(0, 4, 5, 3)
    scale = torch.ones(4, 5, 1).masked_fill(~mask[..., None], -1.0)
    assert metric(pred, target, scale, mask).isfinite()
    assert metric(pred, target, scale).isnan()
    assert metric(pred, target, scale, torch.zeros_like(mask)).isnan()


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_an_honest_scale_is_calibrated_and_a_wrong_one_is_not(distribution):
    # Quantiles instead of samples: exactly as often outside as promised.
    shares = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    law = stats.norm if distribution == "gaussian" else stats.laplace
    target = torch.from_numpy(law.ppf(shares.numpy())).reshape(-1, 1, 1)
    pred, scale = torch.zeros_like(target), torch.ones_like(target)
    assert F.calibration_error(pred, target, scale, distribution) < 1e-3
    assert F.calibration_error(pred, target, 2 * scale, distribution) > 0.15
    assert F.calibration_error(pred, target, 0.5 * scale, distribution) > 0.15


def test_the_extremes_of_calibration():
    zeros, scale = torch.zeros(10, 1, 3), torch.ones(10, 1, 1)
    # Always inside: off by 1 - level, by 0.5 in the mean; never inside: off by the level.
    assert_close(F.calibration_error(zeros, zeros, scale, "gaussian"), number(0.5))
    assert_close(F.calibration_error(zeros + 100, zeros, scale, "gaussian"), number(0.5))
    assert F.calibration_error(zeros, zeros, scale, "gaussian", torch.zeros(10, 1, dtype=torch.bool)).isnan()
    assert F.calibration_error(zeros + math.nan, zeros, scale, "laplace").isnan()
