import numpy as np
import pytest

from benchmarks.gait_lab_constants import covered, covered_left_out, fit_difference, fit_without_each
from poselift.kinematics.plug_in_gait import Difference


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
    assert 0.4 < sure.people < 1.5, "the means have 0.9"
    unsure = fit_difference(children([-9, 2, 14, -3, 8, 6], 2.0))
    assert unsure.constants == (0, 0)
    assert 7 < unsure.people < 12, "the means have 8"


def test_intervals_of_six_children_hold_nine_of_ten_frames_of_others():
    """Of many groups of children alike, on the mean: one group may be off by ten points and more."""
    shares = []
    for seed in range(12):
        means = np.random.default_rng(seed).standard_normal(26) * 4 + 10
        every = [child[::40] for child in children(means, 2.0)]
        fitted = fit_difference(every[:6])
        shares.append(np.mean([covered(fitted, child) for child in every[6:]]))
    assert np.mean(shares) == pytest.approx(0.9, abs=0.04)
    narrow, wide = (np.mean(covered_left_out(fit_without_each(every[:6]), wider)) for wider in (0.3, 3.0))
    assert narrow < 0.8 < 0.95 < wide


def test_a_child_is_covered_by_the_constant_and_the_interval_of_its_view():
    child = np.array([[5.0, 10.0, 0.0], [5.0, 10.0, 1.0], [9.0, 10.0, 0.0]])
    interval = Difference(constants=(5.0, 0.0), people=0.0, factors=(0.2, 0.4))
    assert covered(interval, child) == pytest.approx(1 / 3), "5 in 5 ± 2, 5 not in 0 ± 4, 9 not in 5 ± 2"


def test_the_factors_hold_nine_of_ten_frames_by_view():
    front, side = fit_difference(children([0, 1, -1, 0, 1, -1], 2.0)).factors
    assert front == pytest.approx(1.645 * 2 / 10, abs=0.03)
    assert side == pytest.approx(2 * front, abs=0.05)


def test_the_views_have_constants_of_their_own():
    tilted = [values + np.array([6.0, 0, 0]) * (1 - values[:, 2:]) for values in children([4, 5, 3, 4, 5, 3], 2.0)]
    assert fit_difference(tilted).constants == pytest.approx((10, 4), abs=0.3)
