import json
from pathlib import Path

import numpy as np
import pytest

import poselift
from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.recordings import read_motion, read_sidecar, write_motion
from poselift.recordings.camera_json import cameras_from_json
from poselift.skeleton import H36M17


def _refuse(name):
    raise AssertionError(f"{name} is not JSON")


def test_says_what_a_reader_needs(tmp_path, motion, about):
    write_motion(tmp_path / "a.npz", motion, **about, extra={"video": Path("walk.mp4")})
    # Strict: Python's reader would take NaN, which JSON does not have.
    content = json.loads((tmp_path / "a.json").read_text(), parse_constant=_refuse)
    assert content["person"] == 3
    assert (content["frames"], content["frames_interpolated"]) == (6, 1)
    assert content["skeleton"]["joints"] == list(H36M17.joints)
    assert content["skeleton"]["parents"]["left_knee"] == "left_hip"
    assert content["skeleton"]["parents"]["pelvis"] is None
    assert content["keypoints"]["name"] == "coco17"
    assert content["keypoints"]["image_size"] == [640, 480]
    assert content["units"] == {
        "joints": "metres",
        "root": "metres",
        "timestamps": "seconds",
        "keypoints": "pixels",
    }
    assert content["axes"]["frame"] == "camera"
    assert [content["axes"][axis] for axis in "xyz"] == ["right", "down", "forward"]
    assert content["camera"]["K"][0] == [800.0, 0.0, 319.5]
    assert content["camera"]["field_of_view"] == "assumed"
    assert content["weights"]["lifter"]["sha256"] == "ab" * 32
    assert content["versions"]["numpy"] == np.__version__
    assert content["versions"]["poselift"] == poselift.__version__
    assert content["versions"]["torch"]
    assert content["versions"]["onnxruntime"]
    assert content["video"] == "walk.mp4"
    assert not {"contacts", "height", "uncertainty"} & set(content)


def test_nan_and_unknown_types_are_refused_and_leave_no_file(tmp_path, motion, about):
    for value in (float("nan"), np.array([np.inf]), object()):
        with pytest.raises(InputError, match=r"a\.json"):
            write_motion(tmp_path / "a.npz", motion, **about, extra={"value": value})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as JSON"),
        ('{"format": "poselift motion", "format_version": 99}', "format_version 99"),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_sidecar(tmp_path / "a.json")
    with pytest.raises(InputError, match="no such file"):
        read_sidecar(tmp_path / "none.json")


def test_the_world_frame_its_contacts_and_its_camera(tmp_path, world_motion, about):
    write_motion(tmp_path / "a.npz", world_motion, **about, up_uncertainty=0.02)
    content = read_sidecar(tmp_path / "a.json")
    assert content["axes"]["frame"] == "world"
    assert [content["axes"][axis] for axis in "xyz"] == ["right", "up", "backward"]
    assert content["contacts"] == ["left_foot", "right_foot"]
    assert content["camera"]["pose"].startswith("R x + t is the world position of the point x in the camera frame")
    (found,) = cameras_from_json(content, tmp_path / "a.json")
    assert content["camera"]["up_uncertainty_degrees"] == 1.15
    assert (found.image_size, found.K[0].tolist(), found.R.tolist()) == (
        (640, 480),
        [800, 0, 319.5],
        np.eye(3).tolist(),
    )
    for damage in ({"K": [[1, 2]]}, {"R": "turned"}, {"t": [0, 0, float("nan")]}, {"image_size": [640]}):
        with pytest.raises(InputError, match=r"a\.json: the camera's K, R, t or image_size is damaged"):
            cameras_from_json({"camera": {**content["camera"], **damage}}, tmp_path / "a.json")
    assert cameras_from_json({}, tmp_path / "a.json") == ()


def test_cameras_that_turn_and_several_of_them_come_back(tmp_path, world_motion, about):
    """Lens, pose at each time, and name; a file of one still camera has none of these keys."""
    (still,) = about["cameras"]
    turned = np.stack([np.eye(3), np.diag([-1.0, 1.0, -1.0])])
    lens = np.array([-0.2, 0.1, 0.0, 0.01, 0.0])
    moving = Camera(still.K, (640, 480), "given", lens, turned, np.ones((2, 3)), np.array([0.0, 1.5]), "left")
    write_motion(tmp_path / "a.npz", world_motion, **{**about, "cameras": [moving, still]})
    content = read_sidecar(tmp_path / "a.json")
    first, second = cameras_from_json(content, tmp_path / "a.json")
    for name in ("K", "distortion", "R", "t", "times"):
        np.testing.assert_array_equal(getattr(first, name), getattr(moving, name))
    assert (first.name, first.origin, second.still, second.origin) == ("left", "given", True, "assumed")
    assert not {"times", "distortion", "name"} & set(content["cameras"][1])
    assert not any(name.startswith("camera") for name in np.load(tmp_path / "a.npz").files)
    content["cameras"][0]["times"] = [0.0]
    with pytest.raises(InputError, match="is damaged"):
        cameras_from_json(content, tmp_path / "a.json")


def test_a_single_camera_that_turns_is_in_the_npz_too(tmp_path, world_motion, about):
    """In the frames of the motion, for those who read no JSON."""
    (still,) = about["cameras"]
    turned = np.array([np.eye(3), np.diag([-1.0, 1, -1])])
    moving = Camera(still.K, (640, 480), "given", None, turned, np.ones((2, 3)), np.array([0.0, 1.5]))
    write_motion(tmp_path / "a.npz", world_motion, **{**about, "cameras": [moving]})
    with np.load(tmp_path / "a.npz") as arrays:
        there = moving.at(world_motion.timestamps)
        np.testing.assert_allclose(arrays["camera_R"], there.R)
        np.testing.assert_array_equal(arrays["camera_t"], there.t)
        np.testing.assert_array_equal(arrays["camera_K"], np.tile(still.K, (len(world_motion), 1, 1)))
    assert len(read_motion(tmp_path / "a.npz")) == len(world_motion)
    write_motion(tmp_path / "b.npz", world_motion, **about)
    assert not any(name.startswith("camera") for name in np.load(tmp_path / "b.npz").files)
