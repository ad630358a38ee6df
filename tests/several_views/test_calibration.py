"""Cameras from people: what each sample counts."""

import numpy as np

from poselift.several_views.calibration import weigh_samples
from poselift.several_views.observations import gather, sample_track
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
    far = observed(alone, np.array([0, 30, 60]))
    weights = weigh_samples(far)
    assert 2.5 < weights.sum() <= 3.0
    twice = weigh_samples(observed(alone, np.array([0, 0, 30, 60])))
    np.testing.assert_allclose(twice[:2].sum(), weights[0], rtol=0.15)
