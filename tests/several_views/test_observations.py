"""Keypoints and lifted poses at shared times."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.several_views.observations import sample_track
from poselift.several_views.view import ViewClock


def test_frames_at_which_a_quick_detector_did_not_look_are_bridged(alone):
    view = alone.view(0)
    motion = view.people[0]
    keypoints, scores = motion.keypoints.keypoints.copy(), motion.keypoints.scores.copy()
    skipped = np.arange(len(keypoints)) % 3 > 0
    keypoints[skipped], scores[skipped] = np.nan, 0.0
    quick = replace(
        motion, interpolated=skipped, keypoints=replace(motion.keypoints, keypoints=keypoints, scores=scores)
    )
    # Another clock: no shared time is that of a frame.
    times, clock = alone.times[3:-6], ViewClock(0.011)
    track, full = (sample_track(own, view.camera, clock, times) for own in (quick, motion))
    shown = np.isfinite(track.plane).all(-1) & (track.scores > 0)
    assert shown.any(1).all()
    np.testing.assert_array_equal(shown, np.isfinite(full.plane).all(-1))
    off = np.linalg.norm(track.plane - full.plane, axis=-1) * view.camera.K[0, 0]
    assert np.nanmedian(off) < 3  # pixels
    assert np.nanmax(np.linalg.norm(track.lifted - full.lifted, axis=-1)) == pytest.approx(0)


def test_a_joint_that_a_look_missed_stays_unseen(alone):
    view = alone.view(0)
    motion = view.people[0]
    keypoints, scores = motion.keypoints.keypoints.copy(), motion.keypoints.scores.copy()
    wrist = motion.skeleton.index("left_wrist")
    keypoints[10:20, wrist], scores[10:20, wrist] = np.nan, 0.0
    hidden = replace(motion, keypoints=replace(motion.keypoints, keypoints=keypoints, scores=scores))
    track = sample_track(hidden, view.camera, ViewClock(), alone.times)
    assert not (track.scores[10:20, wrist] > 0).any()
    assert np.isnan(track.plane[10:20, wrist]).all()
    assert (track.scores[[9, 20], wrist] > 0).all()
