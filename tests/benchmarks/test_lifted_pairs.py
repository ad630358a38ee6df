from dataclasses import replace

import numpy as np
import pytest

from benchmarks.lifted_pairs import distance_between, reference, rows_of, triangulate, view_of
from poselift.geometry import world_to_camera
from poselift.geometry.camera import Camera
from poselift.models import load_weights
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D, move
from tests.kinematics.conftest import pose

K = np.array([[900.0, 0, 540], [0, 900, 960], [0, 0, 1]])
ANGLE = np.radians(60)
TURN = np.array([[np.cos(ANGLE), 0, -np.sin(ANGLE)], [0, 1, 0], [np.sin(ANGLE), 0, np.cos(ANGLE)]])
LENS = np.array([0.05, -0.02, 0.0, 0.0, 0.0])
CAMERAS = [
    Camera.from_extrinsics(K, (1080, 1920), R, np.array([across, 0, 3.0]), LENS)
    for R, across in ((np.eye(3), 0.0), (TURN, 0.1))
]
BODY = np.random.default_rng(0).uniform(-0.6, 0.6, (17, 3))
TIMES = np.arange(30) / 30


def seen_by(camera, body=BODY):
    """Somebody who stands still."""
    here = world_to_camera(body, *camera.extrinsics)
    x, y = (here[:, :2] / here[:, 2:]).T
    bent = 1 + LENS[0] * (x**2 + y**2) + LENS[1] * (x**2 + y**2) ** 2
    pixels = np.stack([K[0, 0] * x * bent + K[0, 2], K[1, 1] * y * bent + K[1, 2]], -1)
    shape = (len(TIMES), 17)
    return Keypoints2D(np.broadcast_to(pixels, (*shape, 2)).copy(), np.full(shape, 0.9), TIMES, COCO17, (1080, 1920))


def test_two_cameras_give_the_places_back():
    people = [seen_by(camera) for camera in CAMERAS]
    one, other = (person.keypoints[0].copy() for person in people)
    np.testing.assert_allclose(triangulate(one, other, CAMERAS), BODY, atol=1e-4)
    other[3] = np.nan
    places = triangulate(one, other, CAMERAS)
    assert np.isnan(places[3]).all()
    assert np.isfinite(np.delete(places, 3, 0)).all()


def test_the_reference_has_the_limb_joints_that_both_cameras_see_at_one_place():
    first, second = (seen_by(camera) for camera in CAMERAS)
    wrist, elbow, hip = (COCO17.index(name) for name in ("left_wrist", "left_elbow", "left_hip"))
    second.keypoints[:, wrist, 1] += 300  # off the line
    second.scores[:, elbow] = 0.1
    first.scores[4, hip] = 0.1
    found = reference((first, second), CAMERAS)
    assert len(found) == len(TIMES) - 1, "a frame without a hip has no origin"
    known = np.isfinite(found[0]).all(-1)
    assert not known[[wrist, elbow, COCO17.index("nose")]].any()
    assert known.sum() == 10
    np.testing.assert_allclose(found[0][known], BODY[known], atol=1e-4)
    view = view_of(first, found, CAMERAS[0], "somebody")
    np.testing.assert_allclose((view.joints + view.root[:, None])[0][known], (BODY + (0, 0, 3))[known], atol=1e-3)


def test_two_cameras_that_give_the_same_body_are_not_apart():
    still = pose(frames=6)
    turned = move(still, np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([1.0, 2, 3]), "world")
    assert distance_between(still, turned[2:]) == pytest.approx(0, abs=1e-3)
    joints = still.joints.copy()
    joints[:, still.skeleton.index("left_wrist"), 0] += 0.12
    assert 5 < distance_between(still, replace(still, joints=joints)) < 25  # mm, on the mean of twelve joints


def test_a_row_has_the_errors_of_all_people_in_both_cameras():
    pair = tuple(seen_by(camera) for camera in CAMERAS)
    (cells,) = rows_of({"alone": [pair]}, ["alone"], CAMERAS, load_weights("tiny"))
    name, error, by_view, *others = cells
    assert name == "alone"
    assert float(error) == pytest.approx(np.mean([float(value) for value in by_view.split(",")]), abs=0.1)
    assert all(np.isfinite(float(value)) for value in others)
