"""Cameras from people: what each sample counts."""

import numpy as np
import pytest
from scipy import stats

from poselift.several_views.calibration import _jackknife, weigh_samples
from poselift.several_views.observations import TO_SPREAD, gather, sample_track
from poselift.several_views.view import ViewClock


def observed(stage, frames):
    views = [stage.view(view) for view in range(2)]
    tracks = [[sample_track(view.people[0], view.camera, ViewClock(), stage.times)] for view in views]
    owners = [np.zeros((len(stage.times), 1), int)] * 2
    return gather(tracks, owners, stage.times, views[0].people[0].skeleton).samples(frames)


def test_somebody_who_stands_still_counts_as_one_frame(alone):
    still = observed(alone, np.zeros(50, int))
    np.testing.assert_allclose(weigh_samples(still).sum(), 1.0, rtol=1e-6)


def test_different_poses_count_each(alone):
    far = observed(alone, np.array([0, 29, 58]))
    weights = weigh_samples(far)
    assert 2.5 < weights.sum() <= 3.0
    twice = weigh_samples(observed(alone, np.array([0, 0, 29, 58])))
    np.testing.assert_allclose(twice[:2].sum(), weights[0], rtol=0.15)


@pytest.mark.parametrize("people", [2, 3, 4, 5])
def test_the_spread_of_few_people_holds_nine_errors_of_ten(people):
    """Against the distribution of the error's length over its own estimate: F with 3 and 3 (people - 1) degrees."""
    random = np.random.default_rng(people)
    values = random.normal(size=(people, 3))
    off = values - values.mean(0)
    plain = np.sqrt((people - 1) / people * (off**2).sum())
    exact = np.sqrt(3 * stats.f.ppf(0.9, 3, 3 * (people - 1)))
    assert TO_SPREAD * _jackknife(list(values)) / plain == pytest.approx(exact, rel=0.01)
    assert _jackknife(list(values[:1])) == 0
