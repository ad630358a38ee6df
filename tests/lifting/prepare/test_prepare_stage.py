from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.lifting.prepare.prepare_stage import prepare


def slow(keypoints):
    """Ten frames a second, with a person who is gone for a while."""
    rows = slice(None, None, 5)
    values = keypoints.keypoints[rows].copy()
    values[10:24] = np.nan  # 1.4 s
    return replace(keypoints, keypoints=values, scores=keypoints.scores[rows], timestamps=keypoints.timestamps[rows])


def test_segments_have_their_frames_and_those_between(keypoints, weights, camera):
    clip = slow(keypoints)
    first, second = prepare(clip, weights, camera).segments
    assert [(part.first, part.end) for part in (first, second)] == [(0, 10), (24, 30)]
    for part in (first, second):
        np.testing.assert_allclose(np.diff(part.times), 0.05, atol=1e-6)
        given = part.frames >= 0
        assert given.tolist() == [k % 2 == 0 for k in range(len(part.times))]
        np.testing.assert_array_equal(clip.timestamps[part.frames[given]], part.times[given])


def test_rays_are_those_of_the_track_and_0_in_frames_between(keypoints, weights, camera):
    prepared = prepare(slow(keypoints), weights, camera)
    _, second = prepared.segments
    for own, of_track in ((second.rays, prepared.rays), (second.ray_scores, prepared.ray_scores)):
        np.testing.assert_array_equal(own[::2], of_track[24:])
        assert not own[1::2].any()


def test_the_tail_of_a_segment_is_a_track_of_its_own(keypoints, weights, camera):
    whole = prepare(slow(keypoints), weights, camera)
    for start, first in ((4, 26), (5, 27)):  # a frame of the track, and one between
        tail = whole.tail(whole.segments[1], start)
        (segment,) = tail.segments
        assert (segment.first, segment.end) == (0, 30 - first)
        np.testing.assert_array_equal(segment.times, whole.segments[1].times[start:])
        for name in ("pixels", "scores", "rays", "ray_scores"):
            np.testing.assert_array_equal(getattr(segment, name), getattr(whole.segments[1], name)[start:])
        for name in ("scores", "bridged", "rays", "ray_scores", "seen"):
            np.testing.assert_array_equal(getattr(tail, name), getattr(whole, name)[first:])


def test_rays_of_joints_that_were_not_seen_are_0(keypoints, weights, camera):
    prepared = prepare(slow(keypoints), weights, camera)
    unseen = prepared.ray_scores == 0
    assert (prepared.rays[unseen] == 0).all()
    assert (prepared.rays[~unseen][:, 2] == 1).all()
    assert unseen[10:24].all()
    assert not prepared.seen[10:24].any()


@pytest.mark.parametrize(
    ("faster", "looks", "fps", "motions"), [(1.0, 1, 50, 1), (1.2, 1, 60, 2), (1.2, 6, 20, 1), (4.8, 24, 20, 1)]
)
def test_the_network_gets_neither_slow_nor_fast_motions(keypoints, weights, camera, faster, looks, fps, motions):
    """Frames between two detections are interpolated; of a fast clip, every second frame makes a motion."""
    values = np.where((np.arange(len(keypoints)) % looks == 0)[:, None, None], keypoints.keypoints, np.nan)
    clip = replace(keypoints, keypoints=values, timestamps=keypoints.timestamps / faster)
    (segment,) = prepare(clip, weights, camera).segments
    np.testing.assert_allclose(np.diff(segment.times), 1 / fps, atol=1e-6)
    assert segment.motions == motions


def test_time_stamps_of_a_file_are_in_seconds(keypoints, weights, camera):
    clip = replace(keypoints, timestamps=1000 * keypoints.timestamps)
    with pytest.raises(InputError, match="divide milliseconds by 1,000"):
        prepare(clip, weights, camera)
    prepare(clip, weights, camera, turns=0)  # frames of a stream may be far apart
