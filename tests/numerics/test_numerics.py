"""Curves, filters over frames, banded equations and least squares, beside those of SciPy."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.linalg import solve_banded as scipy_solve_banded
from scipy.ndimage import gaussian_filter1d, maximum_filter1d, median_filter
from scipy.optimize import least_squares

from poselift.numerics.banded import solve_banded
from poselift.numerics.curves import interpolate_monotone, interpolate_spline
from poselift.numerics.least_squares import fit_least_squares
from poselift.numerics.sliding import slide_maximum, slide_median, smooth_gaussian


@pytest.mark.parametrize(
    ("own", "scipys"), [(interpolate_spline, CubicSpline), (interpolate_monotone, PchipInterpolator)]
)
@pytest.mark.parametrize("count", [2, 3, 5, 48, 200])
def test_curves_are_scipys(own, scipys, count):
    rng = np.random.default_rng(count)
    times = np.cumsum(rng.uniform(0.01, 0.1, count))
    values = rng.normal(size=(count, 4, 3)).round(1)  # some neighbours are equal
    wanted = rng.uniform(times[0] - 0.01, times[-1] + 0.01, 99)
    np.testing.assert_allclose(own(times, values, wanted), scipys(times, values)(wanted), atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_filters_are_scipys(count):
    values = np.random.default_rng(count).normal(size=(count, 3))
    for deviation in (0.2, 1.3, 6.0):
        for mirrored, mode in ((False, "nearest"), (True, "reflect")):
            expected = gaussian_filter1d(values, deviation, axis=0, mode=mode)
            np.testing.assert_allclose(smooth_gaussian(values, deviation, mirrored), expected, atol=1e-13)
    np.testing.assert_array_equal(slide_maximum(values, 3), maximum_filter1d(values, 7, axis=0, mode="nearest"))
    np.testing.assert_array_equal(slide_median(values, 2), median_filter(values, (5, 1), mode="nearest"))


@pytest.mark.parametrize("count", [1, 6, 48, 500])
@pytest.mark.parametrize("reach", [1, 6])
def test_banded_equations_are_scipys(count, reach):
    rng = np.random.default_rng(count)
    band = rng.normal(size=(2 * reach + 1, count))
    band[reach] = 4.0 * len(band)
    right = rng.normal(size=(count, 2))
    expected = scipy_solve_banded((min(reach, count - 1),) * 2, _within(band, count), right)
    np.testing.assert_allclose(solve_banded(band, right), expected, atol=1e-13)


def _within(band, count):
    """The diagonals that a small matrix has."""
    middle, reach = len(band) // 2, min(len(band) // 2, count - 1)
    return band[middle - reach : middle + reach + 1]


def test_a_fit_with_outliers_is_scipys():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 3, 40)
    y = 2 * np.exp(-x) + 0.3 * x + 0.05 * rng.normal(size=40)
    y[::9] += 2

    def residuals(p):
        height, rate, slope = np.split(p, 3, -1)
        return np.arctan(height * np.exp(-rate * x) + slope * x - y)

    found, slopes = fit_least_squares(residuals, np.array([1.0, 0.5, 0.0]))
    expected = least_squares(residuals, [1.0, 0.5, 0.0], jac="3-point", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    np.testing.assert_allclose(found, expected.x, atol=1e-6)
    np.testing.assert_allclose(slopes, expected.jac, atol=1e-5)
