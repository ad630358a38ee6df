"""The library's front door gives what the commands give."""

import sys
from dataclasses import replace
from subprocess import run
from types import SimpleNamespace

import numpy as np
import pytest

import poselift
from poselift.core.errors import InputError
from poselift.keypoints.in_memory import TrackClip, tracks_from_arrays, tracks_from_mediapipe, tracks_from_ultralytics
from poselift.recordings import read_motion
from poselift.samples import demo_video
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Keypoints2D
from tests.cli.running import poselift as command

pytestmark = pytest.mark.many_calls

LENGTH = 1.2
QUICK = {"detector": "movenet-fast", "weights": "tiny", "end": LENGTH}


@pytest.fixture(scope="module")
def recording():
    """Two people in the world, one of known height, filtered."""
    return poselift.lift(demo_video(), **QUICK, world=True, height={1: 1.4}, smooth=5.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same by the command."""
    out = tmp_path_factory.mktemp("command")
    options = ["--detector", "movenet-fast", "--weights", "tiny", "--end", LENGTH, "--no-render"]
    assert command("lift", *options, "--world", "--height", "1:1.4", "--smooth", 5, "--out", out).code == 0
    return out


def assert_equal(ours, theirs):
    """The same motion, to what float32 in a file keeps."""
    for name in ("joints", "root", "uncertainty", "contacts", "interpolated", "timestamps"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    assert (ours.skeleton, ours.frame, ours.threshold, ours.filters, ours.height) == (
        theirs.skeleton,
        theirs.frame,
        theirs.threshold,
        theirs.filters,
        theirs.height,
    )


@pytest.mark.slow
def test_the_files_of_the_command_are_the_arrays_of_python(recording, folder):
    assert len(recording.people) == len(list(folder.glob("person_*.npz"))) > 0
    for motion in recording.people:
        assert_equal(read_motion(folder / f"person_{motion.keypoints.person}.npz"), motion)


@pytest.mark.slow
def test_what_is_read_is_what_was_lifted(recording, folder):
    back = poselift.read(folder)
    assert [motion.keypoints.person for motion in back.people] == [m.keypoints.person for m in recording.people]
    np.testing.assert_array_equal(back.camera.K, recording.camera.K)
    np.testing.assert_array_equal(back.camera.R, recording.camera.R)
    assert back.clock.frames == recording.clock.frames
    np.testing.assert_allclose(back.clock.span, recording.clock.span, atol=1e-4)
    assert back.up_uncertainty == pytest.approx(recording.up_uncertainty, abs=1e-4)
    assert back.origin.lifter == recording.origin.lifter
    assert back.origin.video == recording.origin.video
    (one,) = poselift.read(folder / "person_1.npz").people
    assert one.height.metres == 1.4


@pytest.mark.slow
def test_a_saved_recording_has_the_files_of_the_command(recording, folder, tmp_path):
    recording.save(tmp_path / "saved")
    for name in ("person_1.npz", "person_1.json", "person_1.csv"):
        assert (tmp_path / "saved" / name).read_bytes() == (folder / name).read_bytes(), name


def test_a_given_height_holds_in_the_world_and_others_are_estimated(recording):
    first, second = recording.people[0].height, recording.people[1].height
    assert (first.metres, first.origin) == (1.4, "given")
    assert second.origin == "estimated"


@pytest.mark.slow
def test_the_defaults_are_those_of_the_command():
    found = poselift.lift(demo_video(), **QUICK)
    assert found.people[0].skeleton == H36M17
    assert found.people[0].frame == "camera"
    assert found.camera.origin == "assumed"
    assert found.up_uncertainty is None


def test_people_are_exported_and_labelled(recording, tmp_path):
    (first, second) = recording.export("bvh", tmp_path / "people.bvh")
    assert (first.name, second.name) == ("people_1.bvh", "people_2.bvh")
    assert first.read_text().startswith("HIERARCHY")
    assert recording.export("trc", tmp_path / "all.trc") == [tmp_path / "all.trc"]
    with pytest.raises(InputError, match="no person 9"):
        recording.export("csv", tmp_path / "a.csv", people=[9])
    with pytest.raises(InputError, match="fbx"):
        recording.export("fbx", tmp_path / "a.fbx")
    pytest.importorskip("xarray", reason="pip install 'poselift[tables]'")
    labelled = recording.to_xarray()
    assert labelled.position.dims == ("time", "person", "joint", "space")
    motion = recording.people[0]
    ankle = labelled.position.sel(person=1, joint="left_ankle").dropna("time").values
    np.testing.assert_allclose(ankle, motion.joints[:, motion.skeleton.index("left_ankle")] + motion.root, atol=1e-6)


@pytest.mark.slow
def test_keypoints_in_memory_lift_as_those_of_the_detector(recording):
    tracks = [replace(motion.keypoints) for motion in recording.people]
    again = poselift.lift(keypoints=tracks, weights="tiny", height={1: 1.4})
    direct = poselift.lift(demo_video(), **QUICK, height={1: 1.4})
    for ours, theirs in zip(again.people, direct.people, strict=True):
        np.testing.assert_array_equal(ours.joints, theirs.joints)


@pytest.mark.slow
def test_keypoints_of_a_mirror_image_give_the_mirrored_motion(recording):
    tracks = [motion.keypoints for motion in recording.people[:1]]
    plain, back = (
        poselift.lift(keypoints=tracks, weights="tiny", mirrored=mirrored).people[0] for mirrored in (False, True)
    )
    sides = list(plain.skeleton.flip_indices)
    np.testing.assert_allclose(back.joints, plain.joints[:, sides] * [-1, 1, 1], atol=2e-3)
    np.testing.assert_allclose(back.root, plain.root * [-1, 1, 1], atol=2e-3)


def body(people=1):
    return np.random.default_rng(0).uniform(100, 300, (8, people, 17, 2))


def test_an_array_of_another_program():
    tracks = tracks_from_arrays(body(2), (640, 480), 30.0)
    found = poselift.lift(keypoints=tracks, weights="tiny")
    assert [len(motion) for motion in found.people] == [8, 8]
    with pytest.raises(InputError, match=r"shape \(8, 2, 17\)"):
        tracks_from_arrays(body(2)[..., 0], (640, 480), 30.0)


def test_results_of_ultralytics():
    def result(points, numbers):
        data = np.concatenate([points, np.full((*points.shape[:2], 1), 0.9)], -1)
        keypoints = SimpleNamespace(data=data)
        return SimpleNamespace(keypoints=keypoints, orig_shape=(480, 640), boxes=SimpleNamespace(id=np.array(numbers)))

    results = [result(points, [7, 3] if row % 2 else [3, 7]) for row, points in enumerate(body(2))]
    tracks = tracks_from_ultralytics(results, 30.0)
    assert [(track.person, track.image_size, len(track)) for track in tracks] == [
        (3, (640, 480), 8),
        (7, (640, 480), 8),
    ]
    np.testing.assert_array_equal(tracks[0].keypoints[:2], [body(2)[0, 0], body(2)[1, 1]])
    with pytest.raises(InputError, match="no results"):
        tracks_from_ultralytics([], 30.0)


def test_results_of_mediapipe():
    marks = [SimpleNamespace(x=0.5, y=0.25, visibility=0.8)] * 33
    results = [SimpleNamespace(pose_landmarks=[marks] * (row != 2)) for row in range(5)]
    (track,) = tracks_from_mediapipe(results, (640, 480), 25.0)
    assert track.seen.tolist() == [True, True, False, True, True]
    np.testing.assert_array_equal(track.keypoints[0, 0], [320, 120])
    with pytest.raises(InputError, match="nobody"):
        tracks_from_mediapipe([SimpleNamespace(pose_landmarks=[])], (640, 480), 25.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing to lift"),
        ({"keypoints": []}, "no tracks"),
        ({"video": "missing.mp4"}, "missing.mp4"),
        ({"video": demo_video(), "detector": "openpose"}, "openpose"),
        ({"video": demo_video(), "people": [0]}, "no person 0"),
        ({"video": demo_video(), "skeleton": "body"}, "body"),
    ],
)
def test_what_cannot_be_lifted_is_one_line(given, message):
    with pytest.raises(InputError, match=message) as caught:
        poselift.lift(**given)
    assert "\n" not in str(caught.value)


def test_two_tracks_of_one_number():
    (track,) = tracks_from_arrays(body(), (640, 480), 30.0)
    with pytest.raises(InputError, match="two tracks have one number"):
        poselift.lift(keypoints=[track, track])
    assert track.skeleton == COCO17


@pytest.mark.slow
def test_a_stream_gives_frames_with_people():
    with poselift.open_stream(demo_video(), world=False) as stream:
        (pose, *_) = next(frame.people for frame in stream if frame.people).values()
    assert pose.positions.shape == (28, 3)


@pytest.mark.slow
def test_importing_is_light_and_the_front_door_opens_in_threads():
    """Nothing heavy is loaded before it is asked for; several threads may ask first at once."""
    code = """
import sys, threading
import poselift
assert not {"numpy", "cv2", "torch", "onnxruntime", "av"} & set(sys.modules), sorted(sys.modules)
found = []
threads = [threading.Thread(target=lambda: found.append(poselift.lift)) for _ in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
assert len(found) == 8 and len(set(found)) == 1
"""
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'lift_video'"):
        poselift.lift_video  # noqa: B018


def test_unseen_joints_leave_the_boxes_of_tracks_as_they_are():
    points = np.linspace([10, 20], [50, 90], 17)
    hidden = points.copy()
    hidden[3] = np.nan
    scores = np.isfinite(hidden).all(-1).astype(float)
    track = Keypoints2D(
        np.stack([points, hidden]), np.stack([np.ones(17), scores]), np.arange(2) / 10, COCO17, (64, 96)
    )
    boxes = [found.boxes[0].tolist() for found, _ in TrackClip([track]).people()]
    assert boxes == [[10, 20, 50, 90]] * 2
