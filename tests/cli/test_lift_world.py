import json

import numpy as np
import pytest

from poselift.export import read_motion


@pytest.fixture(scope="module")
def out(stored, tmp_path_factory):
    """The stored people in both frames."""
    folder = tmp_path_factory.mktemp("lifted")
    stored.lift("--no-render", "--out", folder / "camera")
    stored.lift("--no-render", "--out", folder / "world", "--world")
    return folder


def test_both_frames_can_be_had(out):
    about = json.loads((out / "world" / "person_1.json").read_text())
    assert about["axes"]["frame"] == "world"
    assert about["contacts"] == ["left_foot", "right_foot"]
    assert 0 < about["camera"]["up_uncertainty_degrees"] < 10
    R, t = np.array(about["camera"]["R"]), np.array(about["camera"]["t"])
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-6)
    camera, world = (read_motion(out / frame / "person_1.npz") for frame in ("camera", "world"))
    assert (camera.frame, world.frame) == ("camera", "world")
    assert camera.contacts is None
    assert world.contacts.shape == (len(world), 2)
    # One ground for everybody sets the size, and standing feet move legs and root a little; else it is the same motion.
    before = json.loads((out / "camera" / "person_1.json").read_text())
    size = about["height"]["metres"] / before["height"]["metres"]
    assert 0.8 < size < 1.25
    np.testing.assert_allclose((world.root - t) @ R, size * camera.root, atol=0.2)
    trunk = world.skeleton.indices(["thorax", "head_top"])
    np.testing.assert_allclose((world.joints @ R)[:, trunk], size * camera.joints[:, trunk], atol=1e-4)


def test_the_first_person_is_on_the_ground(out):
    motion = read_motion(out / "world" / "person_1.npz")
    places = motion.joints + motion.root[:, None]
    assert np.nanmin(places[..., 1]) == pytest.approx(0.05, abs=0.2)
    assert np.nanmax(places[..., 1]) > 1.0
    np.testing.assert_allclose(motion.root[0, [0, 2]], 0, atol=1e-4)
