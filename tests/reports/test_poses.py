import numpy as np
import pytest
from numpy.testing import assert_allclose

from poselift.reports.evaluation import score_view
from poselift.reports.poses import example_poses
from poselift.reports.protocols import get_protocol
from poselift.skeleton import H36M17

CMU = get_protocol("cmu_bench")


def poses(views, predicted, **options):
    scores = [score_view(view, predicted[view.name], H36M17, CMU, **options) for view in views]
    return example_poses(views, predicted, scores, H36M17, CMU, **options)


@pytest.fixture
def predicted(views, truth):
    """Of each view; the error of joints grows from frame to frame and from view to view."""
    found = {}
    for number, view in enumerate(views):
        found[view.name] = truth(view)
        off = 1e-3 * (np.arange(len(view)) + len(view) * number)
        found[view.name][:, 1:, 0] += off[:, None].astype(np.float32)
    return found


def test_the_smallest_the_median_and_the_largest_error_of_all_views(views, predicted, truth):
    best, median, worst = poses(views, predicted)
    frames = len(views[0])
    assert [pose["kind"] for pose in (best, median, worst)] == ["best", "median", "worst"]
    assert (best["view"], best["frame"], best["error"]) == (views[0].name, 0, 0.0)
    assert (median["view"], median["frame"]) == (views[1].name, frames - 1)
    assert (worst["view"], worst["frame"]) == (views[-1].name, frames - 1)
    last = 4 * frames - 1
    assert worst["error"] == pytest.approx(last * 16 / 17, abs=0.02)
    assert worst["seconds"] == pytest.approx(float(views[-1].times[-1] - views[-1].times[0]), abs=1e-3)
    assert_allclose(worst["truth"], truth(views[-1])[-1] - truth(views[-1])[-1, :1], atol=1e-4)
    assert_allclose(np.subtract(worst["prediction"], worst["truth"])[1:, 0], last / 1000, atol=2e-4)


def test_frames_and_joints_that_do_not_count_are_not_shown(views, predicted):
    predicted[views[-1].name][:] = np.nan
    *_, worst = poses(views, predicted, partial=True)
    assert (worst["view"], worst["frame"]) == (views[-2].name, len(views[-2]) - 1)
