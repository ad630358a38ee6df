import json

import numpy as np
import pytest

from poselift.kinematics.height import SPREAD, estimate_height
from poselift.kinematics.whole_body import CHILD_SIZE
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
