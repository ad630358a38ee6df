import inspect
import math
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera, camera_for

K = np.array([[500.0, 0, 320], [0, 510, 240], [0, 0, 1]])
STILL = {"R": np.eye(3), "t": np.zeros(3), "times": None}


def turned(degrees):
    """Rotations about the camera's y."""
    angle = np.radians(degrees)
    sine, cosine, zero = np.sin(angle), np.cos(angle), np.zeros_like(angle)
    rows = [cosine, zero, sine, zero, zero + 1, zero, -sine, zero, cosine]
    return np.stack(rows, -1).reshape(*np.shape(degrees), 3, 3)


def test_a_calibration_s_camera_projects_as_opencv_does():
    R, t, lens = turned(20.0), np.array([0.1, -0.2, 3.0]), np.array([-0.2, 0.1, 0.01, 0.02, -0.03])
    points = np.random.default_rng(0).uniform(-0.8, 0.8, (20, 3))
    camera = Camera.from_extrinsics(K, (640, 480), R, t, lens)
    expected, _ = cv2.projectPoints(points, cv2.Rodrigues(R)[0], t, K, lens)
    np.testing.assert_allclose(camera.project(points), expected[:, 0], atol=1e-9)
    for found, given in zip(camera.extrinsics, (R, t), strict=True):
        np.testing.assert_allclose(found, given, atol=1e-12)


def test_rays_are_the_inverse_of_project():
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (9, 3)) + [0, 0, 3]
    camera = Camera(K, (640, 480), distortion=np.array([-0.2, 0.1, 0.01, 0.02, -0.03]))
    np.testing.assert_allclose(camera.rays(camera.project(points)), points / points[:, 2:], atol=1e-6)


def test_a_camera_that_turns_walks_and_zooms_between_its_times():
    zoom = np.stack([K, K * [[2, 2, 1], [2, 2, 1], [1, 1, 1]]])
    camera = Camera(
        zoom,
        (640, 480),
        R=turned(np.array([0.0, 40.0])),
        t=np.array([[0.0, 0, 0], [1, 0, 0]]),
        times=np.array([1.0, 3.0]),
    )
    found = camera.at(np.array([0.0, 1.0, 1.5, 3.0, 9.0]))
    share = np.array([0.0, 0.0, 0.25, 1.0, 1.0])
    np.testing.assert_allclose(found.R, turned(40.0 * share), atol=1e-12)
    np.testing.assert_allclose(found.t[:, 0], share)
    np.testing.assert_allclose(found.K[:, 0, 0], 500 * (1 + share))
    assert not found.still
    assert camera.at(np.array([2.0])).project(np.array([[[0.5, 0, 2.0]]])).shape == (1, 1, 2)


def test_a_camera_that_only_turns():
    camera = Camera(K, (640, 480), R=turned(np.array([0.0, 90.0])), times=np.array([0.0, 1.0]))
    ahead = np.array([[0.0, 0, 2.0]])
    np.testing.assert_allclose(camera.project(ahead)[0], [[320, 240]])
    assert np.isnan(camera.project(ahead)[1]).all(), "it looks to the right by then"
    np.testing.assert_allclose(camera.at(np.array([0.5])).project(ahead), [[[320 - 500, 240]]])


def test_a_still_camera_is_the_same_at_any_time():
    camera = camera_for((640, 480))
    assert camera.still
    assert camera.at(np.arange(3.0)) is camera


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920)])
def test_field_of_view_is_across_the_longer_side(size):
    camera = camera_for(size, 60.0)
    assert float(camera.K[0, 0]) == pytest.approx(960 / math.tan(math.radians(30)), rel=1e-3)
    assert camera.fov == pytest.approx(60.0, abs=0.1)
    assert camera.origin == "given"


def test_intrinsics_as_a_calibration_gives_them():
    camera = camera_for((640, 480), None, (K[0, 0], K[1, 1], K[0, 2], K[1, 2]))
    assert camera.K.tolist() == K.tolist()
    assert camera.K.dtype == np.float32


@pytest.mark.parametrize(
    ("fov", "intrinsics", "message"),
    [
        (60.0, (500.0, 510.0, 320.0, 240.0), "both given"),
        (None, (0.9, 1.6, 0.5, 0.5), "the field of view is 180 degrees, not 5 to 150; give pixels"),
        (None, (500.0, 500.0, 320.0, 2400.0), "cx and cy are far outside"),
        (None, (1, 2, 3), "give four numbers"),
        ("60", None, "give numbers"),
        (0.0, None, "5 to 150"),
        (179.0, None, "5 to 150"),
        (math.nan, None, "5 to 150"),
    ],
)
def test_lenses_that_are_none(fov, intrinsics, message):
    with pytest.raises(InputError, match=message):
        inspect.unwrap(camera_for)((640, 480), fov, intrinsics)  # past the types, which are checked in tests alone


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"K": np.eye(4)}, r"K is of the shape \(4, 4\); give the 3 x 3 matrix"),
        ({"K": np.eye(3).tolist()}, "K is a list; give .* as a numpy array"),
        ({"K": np.diag([np.nan, 1.0, 1.0])}, "must have finite numbers"),
        ({"K": np.diag([-1.0, 1.0, 1.0])}, "positive focal lengths"),
        (
            {"distortion": np.zeros((1, 5))},
            r"distortion is float64 of the shape \(1, 5\); give k1, k2, p1, p2, k3 as an",
        ),
        ({"distortion": np.full(5, np.nan)}, "distortion has NaN or infinity"),
        ({"distortion": np.full(5, "a")}, "distortion is <U1 of the shape"),
        ({"distortion": [0.0] * 5}, "distortion is a list; give k1"),
        ({"R": np.eye(2)}, r"the camera's R is of the shape \(2, 2\); give the shape \(3, 3\), or \(t, 3, 3\)"),
        ({"R": np.diag([1.0, 1.0, -1.0])}, "R is no rotation"),
        ({"R": np.diag([2.0, 1.0, 1.0])}, "R is no rotation"),
        ({"t": np.array([0.0, np.nan, 0.0])}, "the camera's t has NaN"),
        ({"t": np.zeros((3, 3))}, "the camera's t changes, but without times"),
        ({"t": np.zeros((3, 3)), "times": np.arange(2.0)}, "2 times, but 3 entries of t"),
        ({"times": np.arange(2.0)}, "nothing changes"),
        ({"t": np.zeros((2, 3)), "times": np.array([1.0, 1.0])}, "increasing seconds"),
    ],
)
def test_no_camera(changed, message):
    given = {"K": np.eye(3), "image_size": (640, 480), "distortion": None, "fisheye": None, **STILL, **changed}
    with pytest.raises(InputError, match=message):
        Camera.__post_init__(SimpleNamespace(**given))  # past the types, which are checked in tests alone


@pytest.mark.parametrize("size", [(0, 480), "640x480", (math.nan, 3)])
def test_sizes_that_are_none(size):
    with pytest.raises(InputError, match="is not a size; give"):
        Camera.__post_init__(SimpleNamespace(K=np.eye(3), image_size=size))
