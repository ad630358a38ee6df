from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting import LiftOptions
from poselift.lifting.prepare.prepare_stage import prepare
from poselift.lifting.prepare.stream_window import MOST_STRIDE, choose_window_frames, cut_window, stream_stride


@pytest.mark.parametrize(("fps", "stride"), [(30, 1), (60, 1), (61, 2), (120, 2), (240, 4), (2000, MOST_STRIDE)])
def test_a_stream_lifts_sixty_frames_a_second_or_less(fps, stride):
    assert stream_stride(np.arange(30) / fps) == stride


def chosen(fps, seen, row, most=5):
    times = np.arange(len(seen)) / fps
    return choose_window_frames(times, np.array(seen, bool), times[row], most).tolist()


def test_the_newest_frames_and_those_between_in_which_the_person_was_not_found():
    seen = [1, 1, 1, 0, 0, 1, 1, 1, 0, 0]
    assert chosen(30, seen, 7) == [1, 2, 3, 4, 5, 6, 7]
    assert chosen(30, seen, 9) == [1, 2, 3, 4, 5, 6, 7, 8, 9], "up to the frame whose pose is due"
    assert chosen(30, seen, 4) == [1, 2, 3, 4, 5, 6, 7], "later frames count"


def test_nobody_was_seen_yet():
    assert chosen(30, [0, 0, 1], 1) == []


def test_of_a_fast_stream_every_second_frame_and_the_one_whose_pose_is_due():
    assert chosen(120, [1] * 14, 13) == [5, 7, 9, 11, 13]
    assert chosen(120, [1] * 14, 12) == [4, 6, 8, 10, 12]
    assert chosen(120, [1] * 13 + [0], 13) == [4, 6, 8, 10, 12, 13]


def test_a_fast_stream_gets_no_frames_between():
    """With them it would be lifted at twice the highest rate."""
    assert chosen(120, [1, 0] * 7, 12) == [4, 6, 8, 10, 12]


@pytest.fixture
def prepared(keypoints, weights, camera):
    return lambda clip: prepare(clip, weights, camera, LiftOptions(), turns=0)


def test_a_window_has_the_newest_frames_and_ends_at_the_same_place_of_a_token(keypoints, prepared):
    times = keypoints.timestamps
    for frames, most, kept in ((40, 15, 15), (13, 15, 11), (12, 15, 11), (7, 15, 7)):
        window, more = cut_window(prepared(keypoints[:frames]), times[frames - 1], most, 4)
        (segment,) = window.segments
        np.testing.assert_array_equal(segment.times, times[frames - kept : frames])
        assert (len(window.keypoints), more) == (kept, False)


def test_a_window_has_the_frame_whose_pose_is_due(keypoints, prepared):
    """Where frames between make the later frames more than a window."""
    rows = slice(0, 100, 5)  # ten frames a second
    times = keypoints.timestamps[rows]
    slow = replace(keypoints, keypoints=keypoints.keypoints[rows], scores=keypoints.scores[rows], timestamps=times)
    window, _ = cut_window(prepared(slow), times[4], 15, 4)
    (segment,) = window.segments
    assert (segment.times[0], segment.times[-1]) == (times[4], times[-1])
    assert window.keypoints.timestamps[0] == times[4]


def test_the_segment_of_the_pose_and_none_in_a_long_gap(keypoints, prepared):
    values, times = keypoints.keypoints.copy(), keypoints.timestamps
    values[30:110] = np.nan  # 1.6 s
    whole = prepared(replace(keypoints, keypoints=values))
    (before, more), (after, last) = (cut_window(whole, times[row], 40, 1) for row in (20, 120))
    assert (before.keypoints.timestamps[-1], more) == (times[29], True)
    assert (after.keypoints.timestamps[0], last) == (times[110], False)
    assert cut_window(whole, times[60], 40, 1) is None
