"""A clip whose camera turns, from the command to all that is written of its path."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import poselift
from poselift.cli.editable import read_result_for_page
from poselift.geometry import project
from poselift.recordings import read_recording
from poselift.skeleton import COCO17
from poselift.video import VideoWriter
from tests.camera_path.scenes import FPS, SIZE, K, angle, see, turns, wall
from tests.cli.running import assert_refused
from tests.cli.running import poselift as run
from tests.keypoints.writers import Person, coco_results
from tests.lifting.walking import render, standing_pose

COUNT = 20
PAN = turns(np.outer(np.linspace(0, 1, COUNT), [0.0, 8.0, 0.0]))
LENS = ",".join(str(K[at]) for at in ((0, 0), (1, 1), (0, 2), (1, 2)))


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """Results of somebody who stands before a wall, by a camera that pans: `folder`, `video`, `known`, `out`."""
    place = tmp_path_factory.mktemp("turned")
    video = place / "pan.mp4"
    with VideoWriter(video, *SIZE) as writer:
        for row, turn in enumerate(PAN):
            writer.write(see(wall(), turn), row / FPS)
    body = np.repeat(standing_pose()[None], COUNT, 0)
    motion = render(body, np.arange(COUNT) / FPS, skeleton=COCO17, distance=7.0).motion
    joints = np.einsum("txy,tjx->tjy", PAN, motion.joints + motion.root[:, None])
    people = [[Person(points, np.full(17, 0.9), 1)] for points in project(joints, K)]
    path = coco_results(place / "pan", people, COCO17, SIZE, FPS)
    known = ["--keypoints", path, "--fps", FPS, "--video", video, "--intrinsics", LENS, "--weights", "tiny"]
    ran = run("lift", *known, "--world", "--formats", "glb,html", "--no-render", "--out", place / "out")
    assert ran.code == 0, ran.err
    return SimpleNamespace(folder=place / "out", video=video, known=known, path=path, out=ran.out)


@pytest.mark.slow
def test_what_the_camera_does_is_said_and_kept(turned):
    summary = json.loads((turned.folder / "summary.json").read_text())
    assert summary["camera"]["found"] == "turning"
    assert summary["camera"]["text"] in turned.out
    assert summary["camera"]["shots"][0]["turns_deg"] == pytest.approx(8, abs=0.2)
    assert all("--tilt" in warning for warning in summary["warnings"])  # nobody steps


@pytest.mark.slow
def test_the_path_is_in_json_npz_and_glb(turned):
    camera = json.loads((turned.folder / "person_1.json").read_text())["camera"]
    assert camera["times"] == pytest.approx(np.arange(COUNT) / FPS, abs=1e-3)
    R = np.array(camera["R"])
    assert angle(PAN[0].T @ PAN, R[0].T @ R).max() < 0.2
    with np.load(turned.folder / "person_1.npz") as arrays:
        np.testing.assert_allclose(arrays["camera_R"], R, atol=1e-6)
        places, keypoints = arrays["joints"] + arrays["root"][:, None], arrays["keypoints"]
        skeleton = json.loads((turned.folder / "person_1.json").read_text())["skeleton"]["joints"]
        rows = [skeleton.index(f"{side}_{joint}") for joint in ("hip", "shoulder") for side in ("left", "right")]
        seen = np.einsum("txy,tjx->tjy", arrays["camera_R"], places - arrays["camera_t"][:, None])
        pixels = project(seen, arrays["camera_K"])[:, rows]
    # The person stands in the pictures where the keypoints are, in each frame's own camera.
    wanted = keypoints[:, COCO17.indices([skeleton[row] for row in rows])]
    assert np.linalg.norm(pixels - wanted, axis=-1).mean() < 4
    gltf = pytest.importorskip("pygltflib")
    file = gltf.GLTF2().load_binary(str(next(turned.folder.glob("*.glb"))))
    assert [node.name for node in file.nodes].count("camera") == 1
    assert len(file.cameras) == 1


def test_the_recording_comes_back_with_its_camera(turned):
    recording = read_recording(turned.folder)
    assert recording.camera.times is not None
    assert len(recording.camera.times) == COUNT


def test_edit_shows_the_keypoints_of_the_pictures(turned):
    result, video = read_result_for_page(turned.folder, turned.video)
    assert video == turned.video
    np.testing.assert_allclose(result["settings"]["K"], K, atol=1e-3)
    pixels = np.reshape(result["tracks"][0]["pixels"], (COUNT, 17, 2))
    with np.load(turned.folder / "person_1.npz") as arrays:
        np.testing.assert_allclose(pixels, arrays["keypoints"], atol=1e-4)
    across = np.ptp(pixels[:, :, 0].mean(1))
    assert across == pytest.approx(K[0, 0] * np.tan(np.radians(8)), rel=0.05)  # in the pictures the person moves


@pytest.mark.slow
def test_python_takes_the_camera(turned):
    arguments = {"keypoints": turned.path, "fps": FPS, "weights": "tiny", "world": True, "intrinsics": K}
    arguments["intrinsics"] = tuple(float(value) for value in LENS.split(","))
    found = poselift.lift(turned.video, camera="turning", **arguments)
    assert found.camera_report["mode"] == "turning"
    assert angle(PAN[0].T @ PAN, found.camera.R[0].T @ found.camera.R).max() < 0.2
    still = poselift.lift(turned.video, camera="still", **arguments)
    assert still.camera.still
    (told,) = (text for text in still.warnings if text.kind == "camera")
    assert "with --camera still, the world frame is only right for a still camera" in told


def test_a_mode_that_is_none_is_refused(turned):
    assert_refused("invalid choice: 'flying'", "lift", *turned.known, "--world", "--camera", "flying")
