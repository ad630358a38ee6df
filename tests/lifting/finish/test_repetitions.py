import numpy as np
import pytest

from poselift.lifting.finish.repetitions import fill_from_repetitions
from poselift.numerics.times import median_interval


def _waving(times, period=0.9):
    """Joints that go round circles of 0.3 m."""
    phase = 2 * np.pi * times[:, None] / period + np.arange(5)
    return 0.3 * np.stack([np.cos(phase), np.sin(phase), np.sin(phase)], -1)


def _with_gap(joints, times, start, end):
    """The joints with a straight line in a gap, and the frames that are known."""
    known = (times < start) | (times > end)
    flat = joints.reshape(len(times), -1)
    guess = np.stack([np.interp(times, times[known], column[known]) for column in flat.T], -1)
    return guess.reshape(joints.shape), known


def _times(kind):
    if kind == "uneven":
        return np.sort(np.random.default_rng(0).uniform(0, 6, 150))
    return np.arange(0, 6, 1 / float(kind))


@pytest.mark.parametrize("kind", ["20", "120", "uneven"])
@pytest.mark.parametrize("seconds", [0.5, 1.0])
def test_a_gap_follows_the_movement_before_and_after(kind, seconds):
    times = _times(kind)
    true = _waving(times)
    guess, known = _with_gap(true, times, 3.0, 3.0 + seconds)
    filled = fill_from_repetitions(guess, known, times, median_interval(times))
    wrong = [np.linalg.norm(found - true, axis=-1)[~known].mean() for found in (guess, filled)]
    assert wrong[0] > 0.2
    assert wrong[1] < 0.25 * wrong[0]
    np.testing.assert_allclose(filled[known], guess[known], atol=1e-9)


def test_a_gap_near_the_start_follows_what_comes_after_it():
    times = _times("30")
    true = _waving(times)
    guess, known = _with_gap(true, times, 0.3, 0.8)
    filled = fill_from_repetitions(guess, known, times, median_interval(times))
    wrong = [np.linalg.norm(found - true, axis=-1)[~known].mean() for found in (guess, filled)]
    assert wrong[1] < 0.25 * wrong[0]


def test_what_never_repeats_is_left_as_it_is():
    times = np.arange(0, 6, 1 / 30)
    true = np.cumsum(np.random.default_rng(1).normal(size=(180, 5, 3)), 0)
    guess, known = _with_gap(true, times, 3.0, 3.5)
    np.testing.assert_allclose(fill_from_repetitions(guess, known, times, median_interval(times)), guess, atol=1e-6)
