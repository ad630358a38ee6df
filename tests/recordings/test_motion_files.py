import json
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.recordings import read_motion, write_motion
from tests.recordings.conftest import with_hands


@pytest.fixture
def written(tmp_path, motion, about):
    write_motion(tmp_path / "person_3.npz", motion, **about)
    return tmp_path / "person_3.npz"


@pytest.mark.parametrize("kind", ["motion", "world_motion"])
def test_round_trip(kind, tmp_path, about, request):
    motion = replace(request.getfixturevalue(kind), threshold=0.05, body_share=0.155 if kind == "world_motion" else 0.0)
    motion = replace(motion, filters=({"name": "Hampel", "frames": 5},))
    write_motion(tmp_path / "a.npz", motion, **about)
    back = read_motion(tmp_path / "a.npz")
    for name in ("joints", "root", "timestamps", "interpolated", "uncertainty", "contacts"):
        np.testing.assert_array_equal(getattr(back, name), getattr(motion, name))
    for name in ("keypoints", "scores", "timestamps"):
        np.testing.assert_array_equal(getattr(back.keypoints, name), getattr(motion.keypoints, name))
    for name in ("skeleton", "frame", "threshold", "body_share", "height", "pelvis", "filters"):
        assert getattr(back, name) == getattr(motion, name)
    assert back.keypoints.skeleton == motion.keypoints.skeleton
    assert (back.keypoints.image_size, back.keypoints.person) == ((640, 480), 3)


def test_hands_come_back_and_the_json_says_how_sure_they_are(tmp_path, motion, about):
    motion = with_hands(motion)
    write_motion(tmp_path / "a.npz", motion, **about)
    back = read_motion(tmp_path / "a.npz").hands
    for name in ("joints", "keypoints", "scores"):
        np.testing.assert_array_equal(getattr(back, name), getattr(motion.hands, name))
    said = json.loads((tmp_path / "a.json").read_text())["hands"]
    assert said["joints"][:2] == ["wrist", "thumb_cmc"]
    assert said["left"] == {"seen_share": 0.833, "mean_score": 0.75}
    assert said["right"] == {"seen_share": 0.0, "mean_score": None}


def test_a_part_of_the_hands_is_refused(tmp_path, motion, about):
    write_motion(tmp_path / "a.npz", with_hands(motion), **about)
    with np.load(tmp_path / "a.npz") as arrays:
        kept = {name: arrays[name] for name in arrays.files if name != "hand_scores"}
    np.savez(tmp_path / "a.npz", **kept)
    with pytest.raises(InputError, match=r"a\.npz: array 'hand_scores' is missing beside 'hand_joints'"):
        read_motion(tmp_path / "a.npz")


def _edit(written, change):
    path = written.with_suffix(".json")
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["skeleton"]["joints"].remove("head_top"), r"17 joints, but person_3\.json names 16"),
        (lambda content: content["skeleton"].pop("parents"), r"person_3\.json: the key 'parents'"),
        (lambda content: content.update(skeleton=None), r"person_3\.json"),
        (lambda content: content["skeleton"]["parents"].update(right_shoulder=None), "the skeleton .* has one root"),
        (lambda content: content["keypoints"].update(threshold="low"), "threshold 'low' is not a number"),
        (lambda content: content["keypoints"].update(threshold=1.5), "threshold 1.5 is not a number from 0 to 1"),
        (lambda content: content["keypoints"].update(image_size=[640]), "image_size .640. is not a size"),
        (lambda content: content.update(uncertainty={"body_share": "wide"}), "body_share 'wide' is not a number"),
        (lambda content: content.update(uncertainty=[]), r"uncertainty \[\] is not a group of keys"),
        (lambda content: content.update(height="tall"), "height 'tall' is not a group of keys"),
        (lambda content: content.update(keypoints=["nose"]), r"person_3\.json"),
        (lambda content: content.update(person=0), "person 0 is not"),
        (lambda content: content.update(filters=5), "filters 5 is not a list of groups"),
        (lambda content: content["axes"].update(frame="floor"), "frame 'floor'"),
        (lambda content: content.update(height={"metres": 11, "spread": 0, "origin": "given"}), "metres 11"),
        (lambda content: content.update(height={"metres": 1, "spread": 0, "origin": "told"}), "'told' is unknown"),
    ],
)
def test_a_damaged_json_is_named(written, change, message):
    _edit(written, change)
    with pytest.raises(InputError, match=message):
        read_motion(written)
