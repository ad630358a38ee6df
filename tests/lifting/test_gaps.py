import numpy as np
import pytest

from poselift.lifting.gaps import MAX_GAP, find_segments, lifted_frames


def without(frames, fps, *gaps):
    """Seen frames and times of a clip with gaps, from and to a second."""
    times = np.arange(frames) / fps
    seen = np.ones(frames, bool)
    for start, end in gaps:
        seen[(times > start - 1e-6) & (times < end - 1e-6)] = False
    return seen, times


def test_gaps_at_the_ends_are_no_part_of_a_segment():
    seen = np.array([0, 0, 1, 1, 0, 1, 1, 0, 0, 0], bool)
    assert find_segments(seen, np.arange(10) / 10.0) == [(2, 7)]


@pytest.mark.parametrize(("gap", "pieces"), [(MAX_GAP - 0.05, 1), (MAX_GAP + 0.05, 2)])
def test_gaps_are_judged_in_seconds(gap, pieces):
    times = np.array([0.0, 0.1, 0.2, 0.2 + gap, 0.3 + gap])
    assert len(find_segments(np.array([1, 1, 0, 1, 1], bool), times)) == pieces


def test_frames_that_the_clip_lacks_are_a_gap():
    """As a file of 2D keypoints has that leaves out frames with nobody in them."""
    times = np.array([0.0, 0.1, 0.2, 3.0, 3.1, 3.2])
    assert find_segments(np.ones(6, bool), times) == [(0, 3), (3, 6)]
    assert find_segments(np.ones(1, bool), np.zeros(1)) == [(0, 1)]


def test_all_frames_are_lifted_where_all_are_seen():
    seen, times = without(50, 50)
    assert lifted_frames(seen, times).tolist() == list(range(50))
    assert lifted_frames(np.ones(1, bool), np.zeros(1)).tolist() == [0]


@pytest.mark.parametrize("fps", [30, 60, 240])
@pytest.mark.parametrize("looks", [10, 15, 30])
def test_frames_between_looks_are_left_out(fps, looks):
    times = np.arange(4 * fps) / fps
    seen = np.arange(4 * fps) % (fps // looks) == 0
    assert lifted_frames(seen, times).tolist() == [*np.flatnonzero(seen)] + ([] if seen[-1] else [4 * fps - 1])


@pytest.mark.parametrize(("gap", "given"), [(0.1, 0), (0.18, 0), (0.3, 2), (0.5, 4), (0.98, 9)])
def test_longer_gaps_get_a_frame_every_tenth_of_a_second(gap, given):
    seen, times = without(150, 50, (1.0, 1.0 + gap))
    lifted = lifted_frames(seen, times)
    assert set(np.flatnonzero(seen)) <= set(lifted)
    assert (~seen[lifted]).sum() == given
    inside = times[lifted[(times[lifted] > 0.97) & (times[lifted] < 1.01 + gap)]]
    if given:
        np.testing.assert_allclose(np.diff(inside), 0.1, atol=0.03)


def test_frames_before_the_first_look_and_after_the_last_are_a_gap():
    seen, times = without(150, 50, (0.0, 0.5), (2.0, 3.0))
    lifted = lifted_frames(seen, times)
    assert lifted[[0, -1]].tolist() == [0, 149]
    assert np.diff(times[lifted]).max() < 0.12
    assert (~seen[lifted]).sum() == 15


def test_a_clip_without_keypoints_gets_few_frames():
    lifted = lifted_frames(np.zeros(150, bool), np.arange(150) / 50)
    assert len(lifted) == 31


def test_a_slow_clip_has_no_more_frames_to_give():
    seen = np.array([1, 1, 0, 0, 1, 1], bool)
    assert lifted_frames(seen, np.arange(6) / 4).tolist() == list(range(6))
