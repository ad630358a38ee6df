import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export import read_motion, write_npz, write_sidecar


@pytest.fixture
def written(tmp_path, motion, about):
    write_npz(tmp_path / "person_3.npz", motion)
    write_sidecar(tmp_path / "person_3.json", motion, **about)
    return tmp_path / "person_3.npz"


def test_round_trip(written, motion):
    back = read_motion(written)
    for name in ("joints", "root", "timestamps", "interpolated"):
        np.testing.assert_array_equal(getattr(back, name), getattr(motion, name))
    for name in ("keypoints", "scores", "timestamps"):
        np.testing.assert_array_equal(getattr(back.keypoints, name), getattr(motion.keypoints, name))
    assert (back.skeleton, back.frame) == (motion.skeleton, motion.frame)
    assert back.keypoints.skeleton == motion.keypoints.skeleton
    assert back.keypoints.image_size == (640, 480)
    assert back.keypoints.person == 3


def test_the_threshold_comes_back_and_has_to_be_a_score(tmp_path, motion, about):
    path = tmp_path / "a.npz"
    write_npz(path, motion)
    write_sidecar(tmp_path / "a.json", replace(motion, threshold=0.05), **about)
    assert read_motion(path).threshold == 0.05
    _edit(path, lambda content: content["keypoints"].update(threshold="low"))
    with pytest.raises(InputError, match="threshold 'low' is not a number"):
        read_motion(path)


def test_what_an_uncertainty_has_for_the_whole_body_comes_back(tmp_path, motion, about):
    """Files without it have nothing for the body in them."""
    path = tmp_path / "a.npz"
    sure = replace(motion, uncertainty=np.full(motion.joints.shape[:2], 0.1, np.float32), body_share=0.155)
    write_npz(path, sure)
    write_sidecar(tmp_path / "a.json", sure, **about)
    assert read_motion(path).body_share == 0.155
    _edit(path, lambda content: content["uncertainty"].update(body_share="wide"))
    with pytest.raises(InputError, match="body_share 'wide' is not a number"):
        read_motion(path)
    _edit(path, lambda content: content.pop("uncertainty"))
    assert read_motion(path).body_share == 0.0


def _edit(written, change):
    path = written.with_suffix(".json")
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_files_that_do_not_belong_together(written):
    def drop_a_joint(content):
        content["skeleton"]["joints"].remove("head_top")

    _edit(written, drop_a_joint)
    with pytest.raises(InputError, match=r"17 joints, but person_3\.json names 16"):
        read_motion(written)


def test_a_damaged_json_is_named(written):
    _edit(written, lambda content: content["skeleton"].pop("parents"))
    with pytest.raises(InputError, match=r"person_3\.json: the key 'parents'"):
        read_motion(written)
    _edit(written, lambda content: content.update(skeleton=None))
    with pytest.raises(InputError, match=r"person_3\.json"):
        read_motion(written)


def test_a_skeleton_of_two_roots_is_refused(written):
    """It would end the inverse kinematics of `poselift view` in a traceback."""
    _edit(written, lambda content: content["skeleton"]["parents"].update(right_shoulder=None))
    with pytest.raises(InputError, match=r"person_3\.json: the skeleton of a motion has one root"):
        read_motion(written)


def test_a_motion_in_the_world_comes_back(tmp_path, world_motion, about):
    write_npz(tmp_path / "a.npz", world_motion)
    write_sidecar(tmp_path / "a.json", world_motion, **about)
    back = read_motion(tmp_path / "a.npz")
    assert back.frame == "world"
    np.testing.assert_array_equal(back.contacts, world_motion.contacts)
    np.testing.assert_array_equal(back.uncertainty, world_motion.uncertainty)
