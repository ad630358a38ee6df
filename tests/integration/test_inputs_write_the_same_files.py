"""Four ways to find the people of a clip: all go through one `run` and write the same kinds of files."""

import csv
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from poselift.cli import lift
from poselift.cli.main import main
from poselift.detection import build_detector
from poselift.finding import Clip
from poselift.lifting.run import lift_clip
from poselift.recordings import read_motion
from poselift.samples import demo_video
from poselift.skeleton import COCO17, HALPE26
from poselift.video import VideoReader, VideoWriter
from tests.detection.mmpose.random_weights import PERSON, skip_without_mmpose, write_checkpoint
from tests.keypoints.writers import Person, coco_results

FRAMES, FPS = 12, 30
SIZE = (960, 540)
POSE = "rtmpose-t_8xb1024-700e_body8-halpe26-256x192"
SKELETONS_IN = {"movenet-fast": COCO17, "mmpose": HALPE26, "rtmpose": COCO17, "coco": COCO17}
"""How people are found, by the name in the files -> the skeleton of its keypoints."""

# One worker lifts for all tests of this file.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("one_path")]


@dataclass
class Written:
    """What the command wrote, and what went through `run`."""

    folder: Path
    clips: list[Clip]

    @property
    def summary(self):
        """`summary.json`, without doubts about the bodies that random weights of detectors make up."""
        summary = json.loads((self.folder / "summary.json").read_text())
        summary["warnings"] = [warning for warning in summary["warnings"] if "no person looks so" not in warning]
        return summary

    @property
    def people(self):
        return [f"person_{person['id']}" for person in self.summary["people"]]


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """The first frames of the demo clip, as a video of their own."""
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    with VideoWriter(path, *SIZE) as writer:
        for index, frame in enumerate(islice(VideoReader(demo_video()), FRAMES)):
            writer.write(frame.image, index / FPS)
    return path


def run(folder, *arguments):
    """Runs `poselift lift --quiet`, and keeps what it gives to `run`."""
    clips = []

    def watched(clip, *more):
        clips.append(clip)
        return lift_clip(clip, *more)

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        patch.setattr(lift, "lift_clip", watched)
        main(["lift", *map(str, arguments), "--out", str(folder), "--device", "cpu", "--no-flip", "--quiet"])
    assert (out.getvalue(), err.getvalue()) == ("", "")
    return Written(folder, clips)


def mmpose_options(clip, folder):
    """Random weights find people at random places."""
    skip_without_mmpose()
    pictures = [frame.image for frame in islice(VideoReader(clip), 0, FRAMES, 5)]
    for name in (POSE, PERSON):
        write_checkpoint(name, pictures, folder / f"{name}.pth")
    return (
        *("--detector", "mmpose", "--mmpose-config", POSE, "--mmpose-checkpoint", folder / f"{POSE}.pth"),
        *("--mmpose-person-detector", PERSON, "--mmpose-person-checkpoint", folder / f"{PERSON}.pth"),
    )


def onnx_options(folder):
    """Networks that find the same person in every frame."""
    pytest.importorskip("onnx", reason="pip install 'poselift[dev]'")
    from tests.detection.onnx_files import box_finder, pose_finder

    points = np.random.default_rng(0).uniform([12, 8], [36, 56], (len(COCO17), 2))
    model = pose_finder(folder / "rtmpose.onnx", points)
    people = box_finder(folder / "yolox.onnx", [[400, 100, 520, 400, 0.9]], [0], size=SIZE)
    return "--detector", "rtmpose", "--model", model, "--person-model", people


def json_options(clip, folder):
    """COCO's results, of what the embedded detector finds."""
    found = build_detector("movenet-fast", "cpu").detect([frame.image for frame in VideoReader(clip)])
    people = [
        [Person(d.keypoints[n], d.scores[n], box_score=float(d.box_scores[n])) for n in range(len(d))] for d in found
    ]
    return "--keypoints", coco_results(folder / "2d", people, COCO17, SIZE, FPS)


@pytest.fixture(scope="module")
def embedded(clip, tmp_path_factory):
    return run(tmp_path_factory.mktemp("movenet-fast"), clip, "--detector", "movenet-fast", "--quality", "best")


@pytest.fixture(scope="module")
def from_json(clip, tmp_path_factory):
    options = json_options(clip, tmp_path_factory.mktemp("json"))
    return run(tmp_path_factory.mktemp("coco"), clip, *options)


WAYS = [pytest.param(name, marks=pytest.mark.slow) if name == "mmpose" else name for name in SKELETONS_IN]


@pytest.fixture(scope="module", params=WAYS)
def written(request, clip, tmp_path_factory):
    if request.param == "movenet-fast":
        return request.getfixturevalue("embedded")
    if request.param == "coco":
        return request.getfixturevalue("from_json")
    folder = tmp_path_factory.mktemp("models")
    options = mmpose_options(clip, folder) if request.param == "mmpose" else onnx_options(folder)
    return run(tmp_path_factory.mktemp(request.param), clip, *options)


def test_every_detector_goes_through_one_run(written):
    (clip,) = written.clips
    assert isinstance(clip, Clip)
    name, weights = clip.detector_name, clip.detector_weights
    assert written.summary["weights"]["detector"] == {"name": name, "sha256": weights}
    assert len(weights) == {"movenet-fast": 1, "mmpose": 2, "rtmpose": 2, "coco": 0}[name]
    assert written.summary["frames"] == FRAMES
    said = written.summary["warnings"]
    # MoveNet Lightning's of the jumper in the shade; the mmpose model has random weights, so its bodies are no people.
    assert name == "mmpose" or all("keypoints are unsure" in warning for warning in said)
    assert len(written.people) >= 1


def outline(value):
    """The keys and types of JSON; not those of what is named by joints and files."""
    if isinstance(value, dict):
        return {key: None if key in ("parents", "sha256", "seconds") else outline(item) for key, item in value.items()}
    return {type(item).__name__ for item in value} if isinstance(value, list) else type(value).__name__


def test_the_json_and_the_tables_have_the_same_keys(written, embedded):
    known = json.loads((embedded.folder / f"{embedded.people[0]}.json").read_text())
    own = {"keypoints_file"} if written.clips[0].detector_name == "coco" else set()
    for person in written.people:
        about = json.loads((written.folder / f"{person}.json").read_text())
        # Random weights may never show a joint.
        assert about.keys() - known.keys() - {"unseen_s"} == own
        shared = known.keys() - {"unseen_s"}
        assert outline({key: about[key] for key in shared}) == outline({key: known[key] for key in shared})
        assert about["keypoints"]["joints"] == list(SKELETONS_IN[written.clips[0].detector_name].joints)
        assert header(written.folder / f"{person}.csv") == header(embedded.folder / f"{embedded.people[0]}.csv")
    assert written.summary.keys() - embedded.summary.keys() == own
    first, second = (
        {**summary, "people": summary["people"][:1], "warnings": []} for summary in (written.summary, embedded.summary)
    )
    assert outline({key: first[key] for key in second}) == outline(second)


def header(path):
    with open(path, newline="") as file:
        return next(csv.reader(file))


def test_json_gives_what_the_detector_gives(embedded, from_json):
    assert from_json.people == embedded.people
    for person in embedded.people:
        ours, theirs = (read_motion(way.folder / f"{person}.npz") for way in (embedded, from_json))
        np.testing.assert_array_equal(theirs.timestamps, ours.timestamps)
        np.testing.assert_allclose(theirs.keypoints.keypoints, ours.keypoints.keypoints, atol=1e-3)
        np.testing.assert_allclose(theirs.joints, ours.joints, atol=1e-5)
        np.testing.assert_allclose(theirs.root, ours.root, atol=1e-4)
