import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.lifting import camera_for
from poselift.lifting.camera_model import CameraModel


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920)])
def test_field_of_view_is_across_the_longer_side(size):
    camera = camera_for(size, 60.0)
    assert float(camera.K[0, 0]) == pytest.approx(960 / math.tan(math.radians(30)), rel=1e-3)
    assert camera.fov == pytest.approx(60.0, abs=0.1)
    assert camera.origin == "given"


def test_intrinsics_as_a_calibration_gives_them():
    K = np.array([[500.0, 0.0, 320.0], [0.0, 510.0, 240.0], [0.0, 0.0, 1.0]])
    camera = camera_for((640, 480), None, (K[0, 0], K[1, 1], K[0, 2], K[1, 2]))
    assert camera.K.tolist() == K.tolist()
    assert camera.K.dtype == CameraModel(K, (640, 480), "given").K.dtype == np.float32


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
    ],
)
def test_no_camera(changed, message):
    given = {"K": np.eye(3), "image_size": (640, 480), "distortion": None, **changed}
    with pytest.raises(InputError, match=message):
        CameraModel.__post_init__(SimpleNamespace(**given))  # past the types, which are checked in tests alone


@pytest.mark.parametrize("size", [(0, 480), "640x480", (math.nan, 3)])
def test_sizes_that_are_none(size):
    with pytest.raises(InputError, match="is not a size; give"):
        CameraModel.__post_init__(SimpleNamespace(K=np.eye(3), image_size=size))
