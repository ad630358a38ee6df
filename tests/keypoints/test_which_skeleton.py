import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.data.synthetic import synthetic_corpus
from poselift.geometry import project
from poselift.keypoints import read_keypoints
from poselift.keypoints.which_skeleton import choose_skeleton
from poselift.skeleton import BODY25, BODY25B, CMU28, COCO17, H36M17

PAIRS = [
    (BODY25, (BODY25, BODY25B)),
    (BODY25B, (BODY25, BODY25B)),
    (COCO17, (COCO17, H36M17)),
    (H36M17, (COCO17, H36M17)),
]
UNSEEN = {
    "all seen": (),
    "no head": ("nose", "neck_base", "mid_shoulders", "head_top", "left_eye", "right_eye", "left_ear", "right_ear"),
    "no legs": ("left_knee", "right_knee", "left_ankle", "right_ankle", "left_big_toe", "right_big_toe"),
    "one arm": ("left_elbow", "left_wrist", "left_shoulder"),
}


def walking(skeleton, angle, unseen=(), frames=40, noise=0.01):
    """A made person who walks, seen from an angle in degrees, as x, y and score of the joints of a skeleton."""
    corpus = synthetic_corpus(1, frames, seed=int(angle))
    turn = np.radians(angle)
    around = torch.tensor([[np.cos(turn), 0, np.sin(turn)], [0, -1, 0], [np.sin(turn), 0, -np.cos(turn)]]).float()
    points = corpus.joints @ around.T + torch.tensor([0.0, 0, 4])
    K = torch.tensor([[1000.0, 0, 500], [0, 1000, 500], [0, 0, 1]])
    pixels = {joint: project(points[:, row], K).numpy() for row, joint in enumerate(CMU28.joints)}
    for middle, side in (("pelvis", "hip"), ("mid_shoulders", "shoulder")):
        pixels[middle] = (pixels[f"left_{side}"] + pixels[f"right_{side}"]) / 2
    chance = np.random.default_rng(int(angle))
    person = np.zeros((frames, len(skeleton), 3))
    for row, joint in enumerate(skeleton.joints):
        if joint in pixels and joint not in unseen:
            person[:, row, :2] = pixels[joint] + 400 * noise * chance.standard_normal((frames, 2))
            person[:, row, 2] = 0.9
    return person


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("angle", [0, 160])
@pytest.mark.parametrize(("skeleton", "candidates"), PAIRS, ids=lambda part: getattr(part, "name", ""))
def test_made_people_have_the_set_of_their_names(skeleton, candidates, angle, unseen):
    people = list(walking(skeleton, angle, UNSEEN[unseen]))
    assert choose_skeleton(people, candidates) == (skeleton, ())


def test_nobody_has_the_usual_set():
    chance = np.random.default_rng(0)
    nobody = [np.column_stack((chance.uniform(100, 400, (17, 2)), np.ones(17))) for _ in range(20)]
    for people in ([], [np.zeros((17, 3))] * 5, [np.ones((17, 3))] * 5, nobody):
        assert choose_skeleton(people, (COCO17, H36M17)) == (COCO17, ())
        assert choose_skeleton(people, (H36M17, COCO17)) == (H36M17, ())


def test_an_undecided_file_asks_for_the_set(tmp_path, write, monkeypatch):
    monkeypatch.setattr("poselift.keypoints.which_skeleton._CLEAR", np.inf)
    points = walking(BODY25, 20)[0]
    write_one = {"people": [{"person_id": [-1], "pose_keypoints_2d": points.ravel().tolist()}]}
    write("clip_0_keypoints.json", write_one)
    with pytest.raises(InputError, match=r"may be body25 or body25b.*--keypoint-set body25, or body25b"):
        read_keypoints(tmp_path)
    assert read_keypoints(tmp_path, BODY25B).skeleton == BODY25B
