import numpy as np

from poselift.camera_path.camera_path import CameraPath, ShotPath
from poselift.camera_path.still_view import frame_lenses, frame_rows, into_still_view
from poselift.geometry import project
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from tests.camera_path.scenes import SIZE, K, turns

TIMES = np.arange(10) / 25


def path_of(R: np.ndarray, zoom: np.ndarray) -> CameraPath:
    shot = ShotPath(0, len(R), "turning", False, 10.0, 1.0, 0.1)
    count = len(R)
    return CameraPath(TIMES, R, zoom, np.zeros((count, 3)), np.ones(count), np.ones(count, bool), (shot,))


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
