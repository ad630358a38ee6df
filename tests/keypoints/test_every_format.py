"""The same keypoints through every format give the same tracks, and so the same 3D."""

from pathlib import Path

import numpy as np
import pytest

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.keypoints import READERS, KeypointClip, KeypointFile, Observation, read_keypoints
from poselift.lifting import LiftOptions, LiftRequest, lift_clip
from poselift.models import load_weights
from poselift.skeleton import COCO17, Skeleton, convert
from tests.keypoints.writers import FORMATS, Person

pytestmark = [pytest.mark.slow, pytest.mark.many_calls]

CASES = [(name, skeleton) for name, form in FORMATS.items() for skeleton in form.skeletons]
IDS = [f"{name}-{skeleton.name}" for name, skeleton in CASES]


@pytest.fixture(scope="module")
def view():
    """A synthetic person seen by a camera, with a detector's errors."""
    return render_views(synthetic_corpus(1, 40, seed=7), seed=5)[0]


def frames_of(view, skeleton: Skeleton, scored: bool):
    """A view's 2D in a skeleton, frame by frame; a joint that the view lacks was not found."""
    found = convert(view.keypoints.double().numpy(), view.keypoint_skeleton, skeleton)
    known = found.mask & ~found.derived
    scores = convert(view.scores.double().numpy()[..., None], view.keypoint_skeleton, skeleton).values[..., 0]
    scores = np.where(known, scores, 0.0)
    points = np.where((scores > 0)[..., None], found.values, np.nan)
    if not scored:
        scores = (scores > 0).astype(float)
    return [[Person(*frame, 1)] if frame[1].any() else [] for frame in zip(points, scores, strict=True)]


def in_memory(frames, skeleton, size, people):
    """The same people without a file."""
    observations = {
        index: [
            Observation(p.points, p.scores, str(p.number) if people else None, np.array(p.box), p.box_score)
            for p in frame
        ]
        for index, frame in enumerate(frames)
    }
    return KeypointFile(Path("memory"), "memory", skeleton, observations, size)


def tracks_of(clip):
    """Everybody's keypoints."""
    tracker = clip.tracker()
    for detections, timestamp in clip.people():
        tracker.update(detections, timestamp)
    return tracker.tracks()


def assert_same(ours, theirs, seconds=0.0):
    """The same people with the same keypoints: 0.01 pixels is what files round to."""
    assert [track.person for track in theirs] == [track.person for track in ours]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(other.timestamps, one.timestamps, atol=seconds + 1e-6)
        # AlphaPose's `open` is COCO-18 whatever was found: only the joints of ours count.
        joints = other.skeleton.indices(one.skeleton.joints)
        points, scores = other.keypoints[:, joints], other.scores[:, joints]
        # A file cannot tell a joint that was found with score 0 from one that was not found.
        known = one.scores > 0.001
        np.testing.assert_array_equal(scores > 0.001, known)
        np.testing.assert_allclose(scores, np.where(known, one.scores, 0), atol=2e-3)
        np.testing.assert_allclose(points[known], one.keypoints[known], atol=0.01)


@pytest.mark.parametrize(("name", "skeleton"), CASES, ids=IDS)
def test_every_format_gives_the_same_tracks(name, skeleton, view, tmp_path):
    form, size = FORMATS[name], tuple(int(side) for side in view.image_size)
    frames = frames_of(view, skeleton, form.scores)
    direct = KeypointClip(in_memory(frames, skeleton, size, form.people), fps=50.0)
    file = read_keypoints(form.write(tmp_path / "clip", frames, skeleton, size, 50.0))
    through = KeypointClip(file, fps=None if form.times else 50.0, image_size=size)
    (track,) = tracks_of(direct)
    assert len(track) > 30
    assert_same([track], tracks_of(through))


def test_3d_through_a_file_is_that_of_the_keypoints_themselves(view, tmp_path):
    form, size = FORMATS["coco_results"], tuple(int(side) for side in view.image_size)
    frames, weights = frames_of(view, COCO17, True), load_weights("tiny")
    request = LiftRequest(options=LiftOptions(flip=False), skeleton="cmu28")
    direct = KeypointClip(in_memory(frames, COCO17, size, False), fps=50.0)
    file = read_keypoints(form.write(tmp_path / "clip", frames, COCO17, size, 50.0))
    through = KeypointClip(file, fps=50.0, image_size=size)
    (ours,), (theirs,) = (lift_clip(clip, weights, request).people for clip in (direct, through))
    assert np.isfinite(ours.joints).all()
    np.testing.assert_allclose(theirs.joints, ours.joints, atol=1e-4)


def test_every_reader_has_a_format_here(tmp_path, view):
    read = {
        read_keypoints(
            form.write(tmp_path / name, frames_of(view, form.skeletons[0], True), form.skeletons[0], (9, 9), 50.0)
        ).format
        for name, form in FORMATS.items()
    }
    assert read == set(READERS)
