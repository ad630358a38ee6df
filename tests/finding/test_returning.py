"""Real people who are hidden and come back, and who are cut by the picture's edge."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from poselift.detection import build_detector
from poselift.finding import build_finder
from poselift.samples import demo_video
from poselift.tracking import Tracker
from poselift.video import VideoReader

pytestmark = pytest.mark.many_calls

_HIDDEN, _BACK, _END = 0.3, 0.9, 1.15
"""Seconds at which the woman of the demo clip goes, and is there again, and at which the clip ends."""


@pytest.fixture(scope="module")
def frames():
    return list(VideoReader(demo_video(), end=_END))


def follow(frames, quality):
    finder, tracker = build_finder(build_detector("movenet", "cpu"), quality), Tracker(frames[0].image.shape[1::-1])
    for found, time in finder.find(iter(frames)):
        tracker.update(found, time)
    return tracker.tracks()


@pytest.mark.slow
def test_the_best_quality_finds_a_returner_as_soon_as_the_usual_one(frames):
    without = next(iter(VideoReader(demo_video(), start=3.6))).image  # she has left the right half
    right = without.shape[1] // 2
    clip = [
        replace(frame, image=np.concatenate((frame.image[:, :right], without[:, right:]), axis=1))
        if _HIDDEN <= frame.timestamp < _BACK - 1e-6
        else frame
        for frame in frames
    ]
    back = {}
    for quality in ("best", "balanced"):
        people = follow(clip, quality)
        assert len(people) == 2
        walker = max(people, key=lambda person: np.nanmedian(person.keypoints[..., 0]))
        seen = walker.timestamps[walker.scores.max(-1) > 0]
        assert not ((seen > _HIDDEN) & (seen < _BACK - 0.01)).any()
        back[quality] = float(seen[seen > _HIDDEN].min())
    assert back["best"] == pytest.approx(_BACK, abs=0.07)
    assert back["best"] <= back["balanced"]


@pytest.mark.slow
def test_a_man_whom_the_edge_cuts_at_the_hips_is_one_person(frames):
    cut = [
        replace(frame, image=np.ascontiguousarray(cv2.resize(frame.image[:135, 200:480], None, fx=3, fy=3)))
        for frame in frames[:20]
    ]
    (man,) = follow(cut, "balanced")
    assert (man.scores.max(-1) > 0).mean() > 0.95
