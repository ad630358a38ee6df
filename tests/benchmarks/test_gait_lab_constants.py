import numpy as np
import pytest

from benchmarks.gait_lab_constants import fit_difference


def children(means, spread, seed=0):
    """Frames of each child from the front, then twice as uncertain from the side; the half-width is 10."""
    errors = np.random.default_rng(seed).standard_normal((len(means), 4000)) * spread
    view = np.repeat([0.0, 1.0], 2000)
    return [
        np.stack([mean + own * (1 + view), np.full(4000, 10.0), view], 1)
        for mean, own in zip(means, errors, strict=True)
    ]


def test_a_constant_that_stands_out_is_taken_and_one_that_does_not_becomes_doubt():
    sure = fit_difference(children([4, 5, 6, 4, 5, 6], 2.0))
    assert sure.constants == pytest.approx((5, 5), abs=0.3)
    assert sure.people == pytest.approx(0.894 * np.sqrt(7 / 6), abs=0.15)
    unsure = fit_difference(children([-9, 2, 14, -3, 8, 6], 2.0))
    assert unsure.constants == (0, 0)
    assert unsure.people == pytest.approx(8.06 * np.sqrt(7 / 6), abs=0.2), "of another child"


def test_the_factors_hold_nine_of_ten_frames_by_view():
    front, side = fit_difference(children([0, 1, -1, 0, 1, -1], 2.0)).factors
    assert front == pytest.approx(1.645 * 2 / 10, abs=0.03)
    assert side == pytest.approx(2 * front, abs=0.05)


def test_the_views_have_constants_of_their_own():
    tilted = [values + np.array([6.0, 0, 0]) * (1 - values[:, 2:]) for values in children([4, 5, 3, 4, 5, 3], 2.0)]
    assert fit_difference(tilted).constants == pytest.approx((10, 4), abs=0.3)
