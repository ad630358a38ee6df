import json

import numpy as np
import pytest

import poselift
from poselift.core.errors import InputError
from poselift.kinematics.height import SPREAD, estimate_height
from poselift.kinematics.up import up_of_tilt
from poselift.kinematics.whole_body import CHILD_SIZE
from poselift.lifting.request import LiftRequest
from poselift.recordings import read_motion


@pytest.fixture(scope="module")
def world(stored, tmp_path_factory):
    """The stored people in the world frame."""
    folder = tmp_path_factory.mktemp("world")
    stored.lift("--no-render", "--out", folder, "--world")
    return folder


def test_both_frames_can_be_had(walk, world):
    about, before = (json.loads((folder / "person_1.json").read_text()) for folder in (world, walk))
    assert about["axes"]["frame"] == "world"
    assert about["contacts"] == ["left_foot", "right_foot"]
    assert 0 < about["camera"]["up_uncertainty_degrees"] < 10
    R, t = np.array(about["camera"]["R"]), np.array(about["camera"]["t"])
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-6)
    camera, placed = (read_motion(folder / "person_1.npz") for folder in (walk, world))
    assert (camera.frame, placed.frame) == ("camera", "world")
    assert camera.contacts is None
    assert placed.contacts.shape == (len(placed), 2)
    # One ground for everybody sets the size, and standing feet move legs and root a little; else it is the same motion.
    size = about["height"]["metres"] / before["height"]["metres"]
    assert 0.8 < size < 1.25
    np.testing.assert_allclose((placed.root - t) @ R, size * camera.root, atol=0.2)
    trunk = placed.skeleton.indices(["thorax", "head_top"])
    np.testing.assert_allclose((placed.joints @ R)[:, trunk], size * camera.joints[:, trunk], atol=1e-4)


def test_the_first_person_is_on_the_ground(world):
    motion = read_motion(world / "person_1.npz")
    places = motion.joints + motion.root[:, None]
    assert np.nanmin(places[..., 1]) == pytest.approx(0.05, abs=0.2)
    assert np.nanmax(places[..., 1]) > 1.0
    np.testing.assert_allclose(motion.root[0, [0, 2]], 0, atol=1e-4)


@pytest.mark.parametrize(("person", "share"), [(1, SPREAD), (2, CHILD_SIZE)])
def test_a_height_is_estimated_with_its_spread(person, share, walk):
    """Person 2 of the made people has a large head, as children have."""
    motion = read_motion(walk / f"person_{person}.npz")
    told = json.loads((walk / f"person_{person}.json").read_text())["height"]
    assert told["origin"] == "estimated"
    assert told["metres"] == pytest.approx(estimate_height(motion.joints, motion.skeleton).metres, rel=1e-4)
    assert told["spread"] == pytest.approx(share * told["metres"])
    assert 1.0 < told["metres"] < 2.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "tilt", "options", "most"),
    [
        ("wc_1ms", 0, {"height": 1.72}, 6),
        ("above65", 65, {}, 5),
        ("aboveturn35", 35, {}, 5),
        ("aboveturn35", 35, {"tilt": 35}, 1),
        ("cycle_side", 0, {}, 4),
        ("lie_high", 25, {"tilt": 25}, 1),
    ],
)
def test_people_who_roll_and_cameras_above_them_have_a_level_world(case, tilt, options, most, shared):
    keypoints = shared / "cases" / "world" / f"{case}.json"
    made = poselift.lift(keypoints=keypoints, image_size=(1280, 720), fps=30, world=True, **options)
    off = np.degrees(np.arccos(made.cameras[0].R[1] @ up_of_tilt(np.radians(tilt))))
    assert off < most
    assert np.degrees(made.up_uncertainty) < 7
    doubtful = any("up is known" in warning for warning in map(str, made.warnings))
    assert doubtful == (np.degrees(made.up_uncertainty) > 6)
    if case == "wc_1ms":
        assert np.ptp(made.people[0].root[:, 1]) < 0.1


@pytest.mark.slow
def test_up_over_somebody_who_lies_is_found_and_told_to_be_rough(shared):
    keypoints = shared / "cases" / "world" / "lie_high.json"
    made = poselift.lift(keypoints=keypoints, image_size=(1280, 720), fps=30, world=True)
    assert np.degrees(np.arccos(made.cameras[0].R[1] @ up_of_tilt(np.radians(25)))) < 8
    assert 8 < np.degrees(made.up_uncertainty) < 15
    assert any("measure the camera's --tilt" in warning for warning in map(str, made.warnings))


@pytest.mark.parametrize(("tilt", "word"), [(91, "-90 to 90"), (float("nan"), "-90 to 90"), ("steep", "-90 to 90")])
def test_a_tilt_that_no_camera_has_is_refused(tilt, word):
    with pytest.raises(InputError, match=word):
        LiftRequest(world=True, tilt=tilt)


def test_a_tilt_without_the_world_is_refused():
    with pytest.raises(InputError, match="add --world"):
        LiftRequest(tilt=20.0)
