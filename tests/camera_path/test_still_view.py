from dataclasses import replace

import numpy as np

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.camera_path.still_view import frame_lenses, frame_rows, into_still_view, split_tracks
from poselift.geometry import project
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from tests.camera_path.scenes import SIZE, K, turns

TIMES = np.arange(10) / 25


def path_of(R: np.ndarray, zoom: np.ndarray) -> CameraPath:
    shot = ShotPath(0, len(R), "turning", False, 10.0, 1.0, 0.1)
    count = len(R)
    times = np.arange(count) / 25
    return CameraPath(times, R, zoom, np.zeros((count, 3)), np.ones(count), np.ones(count, bool), (shot,))


def test_keypoints_come_back_to_where_a_still_camera_sees_them():
    R, zoom = turns(np.outer(np.linspace(0, 1, 10), [3, 20, 5])), np.linspace(1, 1.4, 10)
    path = path_of(R, zoom)
    points = np.random.default_rng(0).uniform([-1, -1, 4], [1, 1, 6], (17, 3))
    seen = np.stack([project(points @ R[row], frame_lenses(path, K)[row]) for row in range(10)])
    track = Keypoints2D(seen, np.ones((10, 17)), TIMES, COCO17, SIZE)
    still = into_still_view(track, path, K, None)
    np.testing.assert_allclose(still.keypoints, np.tile(project(points, K), (10, 1, 1)), atol=1e-6)


def test_keypoints_outside_of_the_still_view_are_left_out():
    path = path_of(turns([[0, 120, 0]] * 10), np.ones(10))
    track = Keypoints2D(np.full((10, 17, 2), 90.0), np.ones((10, 17)), TIMES, COCO17, SIZE)
    still = into_still_view(track, path, K, None)
    assert np.isnan(still.keypoints).all()
    assert (still.scores == 0).all()


def test_the_nearest_frame_is_taken():
    path = path_of(turns([[0, 0, 0]] * 10), np.ones(10))
    np.testing.assert_array_equal(frame_rows(path, np.array([-1.0, 0.041, 0.079, 9.0])), [0, 1, 2, 9])


def seen(person: int, first: int, end: int) -> Keypoints2D:
    points = np.full((end - first, 17, 2), 50.0)
    return Keypoints2D(points, np.ones(points.shape[:2]), np.arange(first, end) / 25, COCO17, SIZE, person)


def test_people_are_split_at_a_cut_and_numbered_anew():
    path = path_of(turns([[0, 0, 0]] * 40), np.ones(40))
    (shot,) = path.shots
    path = replace(path, shots=(replace(shot, end=20), replace(shot, first=20)))
    parts = split_tracks([seen(1, 0, 40), seen(2, 0, 18), seen(3, 25, 40)], path)
    spans = [(part.person, len(part), round(float(part.timestamps[0]), 2)) for part in parts]
    assert spans == [(1, 20, 0.0), (2, 18, 0.0), (3, 20, 0.8), (4, 15, 1.0)]


def test_without_a_cut_nobody_is_split():
    people = [seen(1, 0, 40), seen(2, 0, 18)]
    assert split_tracks(people, None) == people
