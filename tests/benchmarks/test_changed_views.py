import pytest
import torch

from benchmarks.changed_views import (
    dropped,
    hidden_segments,
    pelvis_between_hips,
    rendered,
    seen_at_random,
    seen_every,
    take,
    thinned,
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


def test_thinned_takes_the_nearest_frames(view):
    slow = thinned(15)(view, seeded())
    wanted = [round(k * 50 / 15) for k in range(45)]
    assert (slow.times * 50).round().tolist() == wanted
    torch.testing.assert_close(slow.joints, view.joints[wanted])
    torch.testing.assert_close(slow.keypoints, view.keypoints[wanted], equal_nan=True)


def test_dropped_keeps_whole_frames_in_order(view):
    some = dropped(1 / 3)(view, seeded())
    assert 80 <= len(some) <= 120
    assert (some.times.diff() > 0).all()
    kept = (some.times * 50).round().long()
    torch.testing.assert_close(some.root, view.root[kept])
    torch.testing.assert_close(some.scores, view.scores[kept])


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


def test_every_rate_has_the_same_noise(view):
    slow, fast = (rendered(fps, "h36m17")(view, seeded(5)) for fps in (50, 100))
    torch.testing.assert_close(slow.keypoints, fast.keypoints[::2], equal_nan=True)


def test_uneven_frames_have_true_time_stamps(view):
    odd = rendered(60, "h36m17", uneven=0.4, lost=1 / 3)(view, seeded())
    steps = odd.times.diff()
    assert (steps > 0).all()
    assert steps.max() > 2 * steps.min()
    assert 90 <= len(odd) <= 150
    place = odd.times[20] * 50
    torch.testing.assert_close(
        odd.root[20], torch.lerp(view.root[int(place)], view.root[int(place) + 1], place % 1), atol=1e-4, rtol=0
    )


def test_without_takes_joints_by_name(view):
    changed = without("knee", "left_")(view, seeded())
    for joint in CMU28.joints:
        gone = joint.endswith("knee") or joint.startswith("left_")
        place = CMU28.index(joint)
        assert bool(changed.keypoints[:, place].isnan().all()) is gone, joint
        assert bool((changed.scores[:, place] == 0).all()) is gone, joint


def test_segments_hide_the_share_for_the_time(view):
    everything = take(view, torch.arange(len(view)))
    everything.keypoints.nan_to_num_(1.0)
    changed = hidden_segments(seconds=0.5, every=2.0, share=0.5)(everything, seeded())
    hidden = changed.keypoints.isnan().all(-1)
    times = view.times
    inside = ((times >= 0.75) & (times < 1.25)) | (times >= 2.75)
    assert hidden.sum(1).tolist() == [14 * bool(one) for one in inside]
    first, second = hidden[40], hidden[140]
    assert not (first == second).all(), "other joints each time"


def test_a_pelvis_between_the_hips_is_their_mean_and_nothing_else_moves(view):
    moved = pelvis_between_hips(view, seeded())
    others = [joint != "pelvis" for joint in CMU28.joints]
    torch.testing.assert_close(moved.keypoints[:, others], view.keypoints[:, others], equal_nan=True)
    left, right, pelvis = (moved.keypoints[:, CMU28.index(joint)] for joint in ("left_hip", "right_hip", "pelvis"))
    torch.testing.assert_close(pelvis, (left + right) / 2, equal_nan=True)


def test_without_a_hip_there_is_no_pelvis_between_them(view):
    moved = pelvis_between_hips(without("left_hip")(view, seeded()), seeded())
    assert not (moved.scores[:, CMU28.index("pelvis")] > 0).any()


def test_frames_between_looks_are_empty_and_the_others_unchanged(view):
    third, half = seen_every(3)(view, seeded()), seen_at_random(0.5)(view, seeded())
    assert (third.scores > 0).any(1).nonzero().squeeze(1).tolist() == list(range(0, 150, 3))
    seen = (half.scores > 0).any(1)
    assert seen[0]
    assert 55 <= seen.sum() <= 95
    for changed in (third, half):
        seen = (changed.scores > 0).any(1)
        torch.testing.assert_close(changed.keypoints[seen], view.keypoints[seen], equal_nan=True)
        assert changed.keypoints[~seen].isnan().all()
        torch.testing.assert_close(changed.joints, view.joints)
