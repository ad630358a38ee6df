"""The same keypoints through every format give the same 3D: one path, whoever found them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from poselift.data.cmu_bench import CmuBench
from poselift.data.synthetic import synthetic_corpus
from poselift.data.views import render_views
from poselift.detection import build_detector
from poselift.keypoints import READERS, FileDetections, KeypointFile, Sight, read_keypoints
from poselift.lifting import lift_stream, lift_video
from poselift.metrics.functional import mpjpe
from poselift.models import load_weights
from poselift.samples import demo_video
from poselift.skeleton import COCO17, H36M17, HALPE26, Skeleton, convert
from tests.keypoints.writers import FORMATS, Person

CASES = [(name, skeleton) for name, form in FORMATS.items() for skeleton in form.skeletons]
IDS = [f"{name}-{skeleton.name}" for name, skeleton in CASES]


@pytest.fixture(scope="module")
def weights():
    return load_weights("small", torch.device("cpu"))


@pytest.fixture(scope="module")
def filmed():
    """Two people of our own making, each seen by a camera, with a detector's errors; needs no data."""
    return [replace_frames(view, 90) for view in render_views(synthetic_corpus(2, 90, seed=7), seed=5)]


@pytest.fixture(scope="module")
def benchmark(shared):
    """The first seconds of some clips of the CMU benchmark, with its detector-like 2D of all joints."""
    bench = CmuBench(shared / "data/cmu/cmu50.npz", shared / "data/cmu/bench_val.npz", skeleton="halpe26")
    return [replace_frames(bench[index], 100) for index in (0, len(bench) // 2)]


def replace_frames(view, frames):
    kept = {key: getattr(view, key)[:frames] for key in ("keypoints", "scores", "times", "joints", "root")}
    return replace(view, **kept)


def clip_of(view, skeleton: Skeleton, scored: bool):
    """A view's 2D in a joint set, frame by frame; a joint that the view lacks was not found."""
    found = convert(view.keypoints.double().numpy(), view.keypoint_skeleton, skeleton)
    known = found.mask & ~found.derived
    scores = convert(view.scores.double().numpy()[..., None], view.keypoint_skeleton, skeleton).values[..., 0]
    scores = np.where(known, scores, 0.0)
    points = np.where((scores > 0)[..., None], found.values, np.nan)
    if not scored:
        scores = (scores > 0).astype(float)
    return [[Person(*frame, 1)] if frame[1].any() else [] for frame in zip(points, scores, strict=True)]


def in_memory(clip, skeleton, size, people):
    """The clip as it is, without a file."""
    frames = {
        index: [
            Sight(p.points, p.scores, str(p.number) if people else None, np.array(p.box), p.box_score) for p in frame
        ]
        for index, frame in enumerate(clip)
    }
    return KeypointFile(Path("memory"), "memory", skeleton, frames, size)


def error(motion, view):
    """MPJPE in mm, over the frames of the motion."""
    first = round(float(motion.timestamps[0]) * 50)
    true = view.joints[first : first + len(motion), :17].double()
    return float(mpjpe(torch.from_numpy(motion.restricted(H36M17).joints).double(), true))


def compare(name, skeleton, view, weights, folder):
    """Error of a view's 2D as it is and through a file, in mm."""
    form = FORMATS[name]
    size = tuple(int(side) for side in view.image_size)
    K = view.K.tolist()
    options = {"intrinsics": (K[0][0], K[1][1], K[0][2], K[1][2]), "flip": False}
    clip = clip_of(view, skeleton, form.scores)
    key = view.name, skeleton, form.scores, form.people
    if key not in DIRECT:
        memory = in_memory(clip, skeleton, size, form.people)
        DIRECT[key] = lift_stream(FileDetections(memory, fps=50.0), weights, **options).motions
    file = read_keypoints(form.write(folder, clip, skeleton, size, 50.0))
    stream = FileDetections(file, fps=None if form.times else 50.0, image_size=size)
    through = lift_stream(stream, weights, **options).motions
    direct = DIRECT[key]
    assert len(direct) == len(through) == 1
    assert len(direct[0]) == len(through[0])
    return error(direct[0], view), error(through[0], view)


DIRECT = {}
"""What comes of each view's keypoints without a file."""


@pytest.mark.parametrize(("name", "skeleton"), CASES, ids=IDS)
def test_3d_error_does_not_change(name, skeleton, filmed, weights, tmp_path):
    for number, view in enumerate(filmed):
        direct, through = compare(name, skeleton, view, weights, tmp_path / str(number))
        assert direct < 1000
        assert abs(direct - through) < 0.01


@pytest.mark.parametrize(("name", "skeleton"), CASES, ids=IDS)
def test_3d_error_on_the_cmu_benchmark_does_not_change(name, skeleton, benchmark, weights, tmp_path):
    for number, view in enumerate(benchmark):
        direct, through = compare(name, skeleton, view, weights, tmp_path / str(number))
        assert direct < 150
        assert abs(direct - through) < 0.01


class Recorder:
    """The embedded detector, and what it found."""

    def __init__(self):
        self.detector = build_detector("movenet-fast", "cpu")
        self.name, self.skeleton, self.weights = "recorded", self.detector.skeleton, {}
        self.found = []

    def detect(self, frames):
        found = self.detector.detect(frames)
        self.found += found
        return found


@pytest.fixture(scope="module")
def demo(weights):
    """The demo clip's first second through the embedded detector: what it found, and what was lifted."""
    recorder = Recorder()
    lifted = lift_video(demo_video(), recorder, weights, end=1.0, flip=False)
    assert len(lifted.motions) >= 1
    return recorder.found, lifted


def clip_of_demo(demo, form):
    """The detections as they are, or, for formats that say who is who, everybody's track."""
    found, lifted = demo
    if not form.people:
        return [
            [
                Person(d.keypoints[n].astype(float), d.scores[n].astype(float), None, float(d.box_scores[n]))
                for n in range(len(d))
            ]
            for d in found
        ]
    clip = [[] for _ in found]
    times = np.linspace(lifted.span[0], lifted.span[1], lifted.frames)
    for motion in lifted.motions[:1] if not form.crowd else lifted.motions:
        first = int(np.abs(times - motion.timestamps[0]).argmin())
        track = motion.keypoints
        for index, (points, scores) in enumerate(zip(track.keypoints, track.scores, strict=True)):
            if (scores > 0).any():
                clip[first + index].append(Person(points, scores, track.person))
    return clip


WITH_SCORES = [name for name, form in FORMATS.items() if form.scores and name != "alphapose_open"]
"""`alphapose_open` has no person's score, by which the tracker starts: its joints' mean is taken for it."""


@pytest.mark.parametrize("name", WITH_SCORES)
def test_the_embedded_detector_and_a_file_of_what_it_found(name, demo, weights, tmp_path):
    form = FORMATS[name]
    _, lifted = demo
    size = lifted.camera.image_size
    skeleton = COCO17 if COCO17 in form.skeletons else HALPE26
    clip = clip_of_demo(demo, form)
    if skeleton == HALPE26:
        clip = [[widened(person) for person in frame] for frame in clip]
    path = form.write(tmp_path / "clip", clip, skeleton, size, 30.0)
    video = None if form.times else demo_video()
    stream = FileDetections(read_keypoints(path), video=video, image_size=size, end=1.0)
    again = lift_stream(stream, weights, flip=False)
    assert again.frames == lifted.frames
    assert len(again.motions) == len(lifted.motions)
    for ours, theirs in zip(lifted.motions, again.motions, strict=True):
        assert ours.keypoints.person == theirs.keypoints.person
        np.testing.assert_allclose(theirs.joints, ours.joints, atol=1e-4)
        np.testing.assert_allclose(theirs.root, ours.root, atol=1e-3)
        np.testing.assert_allclose(theirs.timestamps, ours.timestamps, atol=2e-3 if form.times else 0)


def widened(person):
    """COCO's joints among Halpe's; the others were not found."""
    points, scores = np.full((26, 2), np.nan), np.zeros(26)
    points[:17], scores[:17] = person.points, person.scores
    return replace(person, points=points, scores=scores)


def test_every_reader_has_a_format_here(tmp_path, filmed):
    read = {
        read_keypoints(
            form.write(tmp_path / name, clip_of(filmed[0], form.skeletons[0], True), form.skeletons[0], (9, 9), 50.0)
        ).format
        for name, form in FORMATS.items()
    }
    assert read == set(READERS)
