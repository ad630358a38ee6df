import numpy as np
import pytest

from benchmarks.two_models import epipolar_distances, pair_people, score_rows
from poselift.geometry import world_to_camera
from poselift.geometry.camera import Camera
from poselift.skeleton import COCO17

K = np.array([[900.0, 0, 540], [0, 900, 960], [0, 0, 1]])
TURN = np.array([[0.5, 0, -(0.75**0.5)], [0, 1, 0], [0.75**0.5, 0, 0.5]])
CAMERAS = [Camera.from_extrinsics(K, (1080, 1920), R, np.array([0.0, 0, 3])) for R in (np.eye(3), TURN)]
PEOPLE = np.random.default_rng(0).uniform(-0.6, 0.6, (2, 23, 3))


def seen(camera, person):
    here = world_to_camera(PEOPLE[person], *camera.extrinsics)
    return here[:, :2] / here[:, 2:] * 900 + (540, 960)


def test_joints_seen_at_one_place_lie_on_the_lines():
    one, other = (seen(camera, 0) for camera in CAMERAS)
    np.testing.assert_allclose(epipolar_distances(one, other, CAMERAS), 0, atol=1e-6)
    away = epipolar_distances(one, other + (0, 30), CAMERAS)
    assert ((away > 10) & (away < 60)).all()


def test_people_are_paired_and_doubted_joints_are_counted_by_their_scores():
    scores, wrist = np.full(23, 0.75), COCO17.index("left_wrist")
    scores[wrist] = 0.3
    away = np.zeros((23, 2))
    away[wrist, 1] = 60
    poses = [
        [{0: (seen(camera, person) + number * away, scores)} for person in order]
        for number, (camera, order) in enumerate(zip(CAMERAS, ((0, 1), (1, 0)), strict=True))
    ]
    pairs = pair_people(poses, CAMERAS)
    assert sorted(pairs) == [(0, 1), (1, 0)]
    limbs, feet = score_rows({"both": poses}, pairs, CAMERAS)
    doubted, sure = limbs[2], limbs[6]
    assert doubted.endswith("(2)")
    assert float(doubted.split()[0]) > 2
    assert float(sure.split()[0]) == pytest.approx(0, abs=0.5)
    assert sure.endswith("(22)")
    assert feet[0] == "both, feet"
    assert feet[6].endswith("(8)")
