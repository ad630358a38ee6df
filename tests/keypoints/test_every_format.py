"""The same keypoints through every format give the same tracks, and so the same 3D."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.detection import build_detector
from poselift.finding import VideoClip
from poselift.keypoints import READERS, KeypointClip, KeypointFile, Observation, read_keypoints
from poselift.lifting import LiftOptions, lift_clip
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, HALPE26, Skeleton, convert
from tests.keypoints.writers import FORMATS, Person

pytestmark = pytest.mark.slow

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
    frames, weights, options = frames_of(view, COCO17, True), load_weights("tiny"), LiftOptions(flip=False)
    direct = KeypointClip(in_memory(frames, COCO17, size, False), fps=50.0)
    file = read_keypoints(form.write(tmp_path / "clip", frames, COCO17, size, 50.0))
    through = KeypointClip(file, fps=50.0, image_size=size)
    (ours,), (theirs,) = (lift_clip(clip, weights, options=options).motions for clip in (direct, through))
    assert np.isfinite(ours.joints).all()
    np.testing.assert_allclose(theirs.joints, ours.joints, atol=1e-4)


class Recorder:
    """The embedded detector, and what it found."""

    def __init__(self):
        self.detector = build_detector("movenet", "cpu")
        self.name, self.skeleton, self.weights = "recorded", self.detector.skeleton, {}
        self.found = []

    def detect(self, frames):
        found = self.detector.detect(frames)
        self.found += found
        return found


@pytest.fixture(scope="module")
def demo():
    """The demo clip's first frames through the embedded detector: what it found, and the tracks."""
    recorder = Recorder()
    clip = VideoClip(demo_video(), recorder, end=0.3, quality="best")
    tracks = tracks_of(clip)
    assert len(tracks) == 2
    return recorder.found, tracks, clip.image_size


def frames_of_demo(found, tracks, form):
    """The detections as they are, or, for formats that say who is who, the tracks."""
    if not form.people:
        return [
            [
                Person(d.keypoints[n].astype(float), d.scores[n].astype(float), None, float(d.box_scores[n]))
                for n in range(len(d))
            ]
            for d in found
        ]
    frames = [[] for _ in found]
    for track in tracks[:1] if not form.crowd else tracks:
        first = round(float(track.timestamps[0]) * 30)
        for index, (points, scores) in enumerate(zip(track.keypoints, track.scores, strict=True)):
            if (scores > 0).any():
                frames[first + index].append(Person(points, scores, track.person))
    return frames


WITH_SCORES = [
    name
    for name, form in FORMATS.items()
    if form.scores and form.skeletons[0] != COCO_WHOLEBODY23 and name not in ("alphapose_open", "dwpose")
]
"""`alphapose_open` and `dwpose` have no person's score, by which the tracker starts: its joints' mean is taken for it.
MediaPipe has one person without a name."""


@pytest.mark.parametrize("name", WITH_SCORES)
def test_the_embedded_detector_and_a_file_of_what_it_found(name, demo, tmp_path):
    form, (found, tracks, size) = FORMATS[name], demo
    skeleton = COCO17 if COCO17 in form.skeletons else HALPE26
    frames = frames_of_demo(found, tracks, form)
    if skeleton == HALPE26:
        frames = [[widened(person) for person in frame] for frame in frames]
        tracks = [wider_track(track) for track in tracks]
    path = form.write(tmp_path / "clip", frames, skeleton, size, 30.0)
    video = None if form.times else demo_video()
    clip = KeypointClip(read_keypoints(path), video=video, image_size=size, end=0.5)
    assert_same(tracks if form.crowd or not form.people else tracks[:1], tracks_of(clip), 2e-3 if form.times else 0)


def wider_track(track):
    people = [widened(Person(*frame)) for frame in zip(track.keypoints, track.scores, strict=True)]
    points, scores = np.stack([person.points for person in people]), np.stack([person.scores for person in people])
    return replace(track, keypoints=points, scores=scores, skeleton=HALPE26)


def widened(person):
    """COCO's joints among Halpe's; the others were not found."""
    points, scores = np.full((26, 2), np.nan), np.zeros(26)
    points[:17], scores[:17] = person.points, person.scores
    return replace(person, points=points, scores=scores)


def test_every_reader_has_a_format_here(tmp_path, view):
    read = {
        read_keypoints(
            form.write(tmp_path / name, frames_of(view, form.skeletons[0], True), form.skeletons[0], (9, 9), 50.0)
        ).format
        for name, form in FORMATS.items()
    }
    assert read == set(READERS)
