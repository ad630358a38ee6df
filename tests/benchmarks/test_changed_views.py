import pytest
import torch

from benchmarks.changed_views import (
    rendered,
    without,
)
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.geometry import project
from poselift.skeleton import CMU28, COCO17


@pytest.fixture(scope="module")
def view():
    """Three seconds at 50 frames a second."""
    return render_views(synthetic_corpus(1, 150, seed=3), seed=4)[0]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("fps", [10, 120])
def test_rendered_views_show_the_true_motion_at_their_times(view, fps):
    again = rendered(fps, "coco17")(view, seeded())
    torch.testing.assert_close(again.times.diff(), torch.full((len(again) - 1,), 1 / fps), atol=1e-5, rtol=0)
    assert abs(len(again) - (149 / 50 * fps + 1)) < 1.5
    # The truth by hand: at time t it is between the frames before and after.
    for k in (3, len(again) - 3):
        place = float(again.times[k]) * 50
        low = int(place)
        by_hand = view.joints[low] + (place - low) * (view.joints[low + 1] - view.joints[low])
        torch.testing.assert_close(again.joints[k], by_hand, atol=1e-4, rtol=0)
    seen = again.keypoints.isfinite().all(-1)
    assert not seen[:, [joint not in COCO17.joints for joint in CMU28.joints]].any()
    exact = project((again.joints + again.root[:, None]).reshape(-1, 3), view.K).view(len(again), 28, 2)
    off = (again.keypoints - exact).norm(dim=-1)[seen]
    extent = float(exact.amax((0, 1)).sub(exact.amin((0, 1))).max())
    assert 0 < off.median() < 0.05 * extent


def test_without_takes_joints_by_name(view):
    changed = without("knee", "left_")(view, seeded())
    for joint in CMU28.joints:
        gone = joint.endswith("knee") or joint.startswith("left_")
        place = CMU28.index(joint)
        assert bool(changed.keypoints[:, place].isnan().all()) is gone, joint
        assert bool((changed.scores[:, place] == 0).all()) is gone, joint
