"""The JavaScript of web/src/numbers gives what Python gives for the same keypoints."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.made_worlds import Scene, lie, pedal, see, sit
from poselift.cli.editable import track_for_page
from poselift.export.bvh import write_bvh
from poselift.export.glb import write_glb
from poselift.export.unseen import unseen_spans
from poselift.export.zero import count_from_zero
from poselift.geometry import axis_angle_to_matrix
from poselift.kinematics.angles import measure_joint_angles
from poselift.kinematics.height import take_height
from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.recordings import read_motion, read_sidecar
from poselift.recordings.camera_json import cameras_from_json
from poselift.skeleton import COCO17, H36M17
from poselift.skeleton.hand import SIDES
from poselift.structures import Detections, Keypoints2D
from poselift.tracking import Tracker
from tests.export.conftest import recording_of
from tests.kinematics.conftest import turn
from tests.kinematics.test_fingers import made_hand

pytestmark = pytest.mark.slow

WEB = Path(__file__).parents[2] / "web"
GRAPHS = WEB.parent / "poselift" / "viz" / "site" / "numbers"
WEIGHTS = Path(__file__).parents[2] / "poselift" / "weights"
NOBODY = [np.nan, np.nan, 0.0]


def people():
    """Keypoints of a man of the demo clip: as detected, and with what happens in videos."""
    frames = json.loads((Path(__file__).parent / "man.json").read_text())["frames"]
    man = np.array([[point or NOBODY for point in frame or [NOBODY] * 17] for frame in frames])
    half, gap, long_gap = man.copy(), np.concatenate([man, man[::-1], man]), man.copy()
    half[1::2] = NOBODY  # a detector that looks at every second frame
    gap[150:172], gap[:, 9] = NOBODY, NOBODY  # filled from a repetition; a wrist that is never seen
    long_gap[60:100] = NOBODY
    sideways = np.stack([539 - man[..., 1], man[..., 0], man[..., 2]], -1)
    for person, (values, rate, size) in enumerate(
        [
            (man, 30, (960, 540)),
            (half, 30, (960, 540)),
            (gap, 30, (960, 540)),
            (long_gap, 30, (960, 540)),
            (man[::3], 10, (960, 540)),
            (man, 60, (960, 540)),
            (sideways, 30, (540, 960)),
        ],
        1,
    ):
        times = 100 + np.arange(len(values)) / rate
        yield Keypoints2D(values[..., :2], values[..., 2], times, COCO17, size, person)
    for person, body in ((8, sit), (9, pedal), (10, lie)):  # up by the shape of the body
        yield replace(see(Scene("", body, 30, 20, seconds=1.6))[0], person=person)


def crowd():
    """Detections of three people who walk past each other; one is hidden for two seconds."""
    random = np.random.default_rng(0)
    body = random.uniform(0, 60, (3, 17, 2)) * [1, 3]
    starts, speeds = np.array([[100, 200], [500, 210], [300, 190]]), np.array([[120, 0], [-90, 0], [10, 5]])
    frames = []
    for frame in range(120):
        order = [k for k in random.permutation(3).tolist() if not (k == 1 and 40 <= frame < 100)]
        places = body[order] + starts[order, None] + speeds[order, None] * frame / 30
        pixels = (places + random.normal(0, 2, places.shape)).astype(np.float32)
        scores = random.uniform(0.3, 1, (len(order), 17)).astype(np.float32)
        found = Detections(np.tile([0.0, 0, 960, 540], (len(order), 1)), scores.mean(1), pixels, scores, COCO17)
        frames.append((frame / 30, None if frame % 3 == 1 else found))
    return frames


def hands(frames):
    """Hands of somebody as the page has them, made, steady; the right one is seen now and then, and late."""
    palms = {side: turn("y", 30.0) @ turn("x", 50.0) for side in SIDES}
    joints = np.stack([made_hand(side, frames) @ palms[side].numpy().swapaxes(-1, -2) for side in SIDES], 1)
    waves = np.stack([turn("z", degrees).numpy() for degrees in np.linspace(-40, 40, frames)])
    joints = np.einsum("tab,tsjb->tsja", waves, joints)
    joints[10:40, 0], joints[np.arange(frames) % 17 > 2, 1], joints[:30, 1] = np.nan, np.nan, np.nan
    scores = 0.8 * np.isfinite(joints[..., 0, 0])
    return {"pixels": numbers(300 + 900 * joints[..., :2]), "joints": numbers(joints), "scores": numbers(scores)}


def numbers(values):
    """As JSON has them."""
    return [None if value != value else value for value in np.asarray(values, float).reshape(-1).tolist()]


def needs_modules():
    """Skips the test where node or the packages of web/ are missing."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (WEB / "node_modules" / "onnxruntime-web").is_dir():
        pytest.skip("web/node_modules lacks onnxruntime-web: npm ci --prefix web")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder with everything that node wrote."""
    needs_modules()
    folder = tmp_path_factory.mktemp("numbers")
    tracks = [track_for_page(track) for track in people()]
    tracks[1]["hands"] = hands(len(tracks[1]["times"]))
    for track in tracks[:4]:  # of one window, of many, and of parts; others have nothing of their own there
        track["drag"] = True
    frames = [
        {
            "time": time,
            "people": found
            and [
                {
                    "pixels": numbers(found.keypoints[k]),
                    "scores": numbers(found.scores[k]),
                    "score": found.box_scores[k],
                }
                for k in range(len(found))
            ],
        }
        for time, found in crowd()
    ]
    request = {"folders": [str(GRAPHS), str(WEIGHTS)], "modules": str(WEB / "x.js"), "tracks": tracks, "crowd": frames}
    (folder / "request.json").write_text(json.dumps(request, default=float))
    command = ["node", WEB / "test" / "numbers.mjs", folder / "request.json", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def expected():
    """The motions of Python, with heights."""
    weights = load_weights("small")
    return [lift(track, weights, camera_for(track.image_size)) for track in people()]


def distance(found, wanted):
    """Largest distance, millimetres; the same values are unknown in both."""
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    return 1000 * np.nanmax(np.linalg.norm(found - wanted, axis=-1))


def test_motions_are_those_of_python_and_python_reads_them(ran, expected):
    for wanted in expected:
        found = read_motion(ran / f"person_{wanted.keypoints.person}.npz")
        assert distance(found.joints, wanted.joints) < 2
        assert distance(found.root, wanted.root) < 20
        np.testing.assert_allclose(found.uncertainty, wanted.uncertainty, atol=1e-3)
        np.testing.assert_array_equal(found.interpolated, wanted.interpolated)
        np.testing.assert_array_equal(found.timestamps, wanted.timestamps)
        np.testing.assert_allclose(found.keypoints.keypoints, wanted.keypoints.keypoints, atol=1e-4)
        assert (found.skeleton, found.pelvis, found.threshold) == (wanted.skeleton, wanted.pelvis, wanted.threshold)
        assert found.keypoints.skeleton == COCO17
        height = take_height(wanted, None).height
        assert abs(found.height.metres - height.metres) < 0.002
        assert found.height.origin == "estimated"
        about = read_sidecar(ran / f"person_{wanted.keypoints.person}.json")
        assert about.get("unseen_s", {}) == unseen_spans(found)
        assert unseen_spans(replace(found, hands=None)) == unseen_spans(wanted)
        arrays = {name: np.array(values, float) for name, values in about["arrays"].items()}
        assert set(arrays) == {
            "joints", "root", "timestamps", "interpolated", "uncertainty", "keypoints", "keypoint_scores",
            "angles_degrees", *(("hand_joints", "hand_keypoints", "hand_scores") if found.hands else ()),
        }  # fmt: skip
        assert arrays["angles_degrees"].shape == (len(found), len(about["angles"]))
        np.testing.assert_allclose(arrays["joints"], found.joints, atol=1e-5)
        np.testing.assert_allclose(arrays["keypoints"], found.keypoints.keypoints, atol=1e-5)
        np.testing.assert_allclose(arrays["keypoint_scores"], found.keypoints.scores, atol=1e-5)


def moving_cameras(ran, name):
    """The camera of a JSON, if it moves."""
    path = ran / f"{name}.json"
    return [camera for camera in cameras_from_json(read_sidecar(path), path) if camera.times is not None]


def test_a_camera_that_moves_is_read_by_python(ran):
    """It is that of `placePeople`: `tests/web/test_camera_path.py` compares it."""
    motion, (camera,) = read_motion(ran / "moving.npz"), moving_cameras(ran, "moving")
    still = read_motion(ran / "person_1.npz")
    assert motion.frame == "world"
    np.testing.assert_array_equal(camera.times, motion.timestamps)
    rows = np.arange(len(motion))
    turned = axis_angle_to_matrix(np.stack([rows / 900, -rows / 300, np.full(len(rows), 0.01)], 1))
    level = camera.R[0] @ turned[0].T
    np.testing.assert_allclose(camera.R, level @ turned, atol=1e-6)
    np.testing.assert_allclose(camera.K[:, 0, 0], camera.K[0, 0, 0] * (1 + rows / 200))
    np.testing.assert_allclose(motion.joints, still.joints @ level.T, atol=1e-5)
    np.testing.assert_allclose(motion.root - camera.t, still.root @ level.T, atol=1e-5)
    with np.load(ran / "moving.npz") as arrays:
        for name in ("K", "R", "t"):
            np.testing.assert_allclose(arrays[f"camera_{name}"], getattr(camera, name))


def test_a_dragged_keypoint_gives_what_lifting_from_scratch_gives(ran):
    answers = json.loads((ran / "answer.json").read_text())["answers"]
    assert [answer["apart"] for answer in answers if "apart" in answer] == [0] * 4


def test_people_are_told_apart_as_by_python(ran):
    tracker = Tracker((960, 540))
    for time, found in crowd():
        tracker.update(found, time)
    wanted, found = tracker.tracks(), json.loads((ran / "answer.json").read_text())["followed"]
    assert [track["person"] for track in found] == [track.person for track in wanted] == [1, 2, 3]
    for track, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(track["times"], other.timestamps)
        np.testing.assert_allclose(track["scores"], other.scores.reshape(-1))


def test_angles_and_guessed_joints(ran, expected):
    answers = json.loads((ran / "answer.json").read_text())["answers"]
    for answer, motion in zip(answers, expected, strict=True):
        wanted = measure_joint_angles(motion).degrees
        found = np.array([np.nan if value is None else value for value in answer["degrees"]]).reshape(wanted.shape)
        both = np.isfinite(found) & np.isfinite(wanted)
        assert (np.isfinite(found) == np.isfinite(wanted)).mean() > 0.999  # an angle at the edge of being shown
        assert np.percentile(np.abs(found - wanted)[both], 99) < 0.1
        np.testing.assert_array_equal(np.reshape(answer["guessed"], motion.guessed().shape), motion.guessed())


def test_the_usual_joints_are_those_of_python(ran):
    for person in (1, 2):
        wanted = read_motion(ran / f"person_{person}.npz").restrict(H36M17)
        with np.load(ran / f"person_{person}.usual.npz") as found:
            np.testing.assert_allclose(found["joints"], wanted.joints, atol=2e-5)
            np.testing.assert_allclose(found["uncertainty"], wanted.uncertainty, atol=2e-5)


def test_bvh_files_are_those_of_python(ran, tmp_path):
    for person in (1, 2):  # the second one with fingers
        name = f"person_{person}.bvh"
        motion = read_motion(ran / f"person_{person}.npz")
        (motion,) = count_from_zero([motion], motion.timestamps[0] - 1)
        write_bvh(tmp_path / name, recording_of([motion], start=0.0))
        found, wanted = ((place / name).read_text().splitlines() for place in (ran, tmp_path))
        assert len(found) == len(wanted)
        for line, other in zip(found, wanted, strict=True):
            words, others = (text.replace("\t", " \t ").split(" ") for text in (line, other))
            assert len(words) == len(others)
            for word, same in zip(words, others, strict=True):
                if word != same:
                    assert abs(float(word) - float(same)) < 0.02, (line, other)  # centimetres and degrees


@pytest.mark.parametrize(("name", "bones"), [("person_1", 28), ("person_2", 68), ("moving", 28)])
def test_glb_has_the_bones_and_the_body_of_python(name, bones, ran, tmp_path):
    """The second one has hands, so fingers; the last one a camera that turns and zooms."""
    gltf, motion = pytest.importorskip("pygltflib"), read_motion(ran / f"{name}.npz")
    start = motion.timestamps[0] - 1
    cameras = [replace(camera, times=camera.times - start) for camera in moving_cameras(ran, name)]
    write_glb(tmp_path / f"{name}.glb", recording_of(count_from_zero([motion], start), cameras=cameras))
    found, wanted = (gltf.GLTF2().load(str(place / f"{name}.glb")) for place in (ran, tmp_path))
    assert len(found.skins[0].joints) == bones
    assert [node.name for node in found.nodes] == [node.name for node in wanted.nodes]
    for node, other in zip(found.nodes, wanted.nodes, strict=True):
        assert (node.children or []) == (other.children or [])
        assert node.extras.get("unseen_s") == other.extras.get("unseen_s")
        if other.translation:
            np.testing.assert_allclose(node.translation, other.translation, atol=1e-5)

    def values(file, index):
        accessor = file.accessors[index]
        view, kind = file.bufferViews[accessor.bufferView], {5126: "<f4", 5123: "<u2", 5121: "u1"}
        content = file.binary_blob()[view.byteOffset : view.byteOffset + view.byteLength]
        return np.frombuffer(content, kind[accessor.componentType]).reshape(accessor.count, -1)

    (mesh,), (other,) = found.meshes, wanted.meshes
    for name in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0"):
        pair = (
            values(file, getattr(part.primitives[0].attributes, name))
            for file, part in ((found, mesh), (wanted, other))
        )
        np.testing.assert_allclose(*pair, atol=2e-3 if name == "NORMAL" else 1e-5)
    np.testing.assert_array_equal(
        values(found, mesh.primitives[0].indices), values(wanted, other.primitives[0].indices)
    )
    targets = [[(c.target.node, c.target.path) for c in file.animations[0].channels] for file in (found, wanted)]
    assert targets[0] == targets[1]
    assert found.extensionsUsed == wanted.extensionsUsed
    assert len(found.cameras) == len(wanted.cameras) == len(cameras)
    for camera, other in zip(found.cameras, wanted.cameras, strict=True):
        assert camera.type == other.type
        lenses = [[each.perspective.yfov, each.perspective.aspectRatio] for each in (camera, other)]
        assert lenses[0] == pytest.approx(lenses[1])
        assert found.nodes[-1].rotation == pytest.approx(wanted.nodes[-1].rotation)
        assert found.nodes[-1].extras["focal_px"] == pytest.approx(wanted.nodes[-1].extras["focal_px"])
        pointers = [file.animations[0].channels[-1].target.extensions for file in (found, wanted)]
        assert pointers[0] == pointers[1]
    for sampler, same in zip(found.animations[0].samplers, wanted.animations[0].samplers, strict=True):
        turned, other = values(found, sampler.output), values(wanted, same.output)
        # 2e-4 of a quaternion are 0.02 degrees; a quaternion and its opposite are one rotation.
        sign = np.sign((turned * other).sum(1, keepdims=True)) if turned.shape[1] == 4 else 1
        np.testing.assert_allclose(sign * turned, other, atol=2e-4)
        np.testing.assert_allclose(values(found, sampler.input), values(wanted, same.input), atol=1e-6)
