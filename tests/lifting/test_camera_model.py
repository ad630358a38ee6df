import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.lifting import camera_for
from poselift.lifting.camera_model import CameraModel

_camera_for = inspect.unwrap(camera_for)
"""Past the types, which are checked in tests alone."""


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


def test_one_of_field_of_view_and_intrinsics():
    with pytest.raises(InputError, match="both given"):
        camera_for((640, 480), 60.0, (500.0, 510.0, 320.0, 240.0))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((0.9, 1.6, 0.5, 0.5), "the field of view is 180 degrees, not 5 to 150; give pixels"),
        ((500.0, 500.0, 320.0, 2400.0), "cx and cy are far outside"),
    ],
)
def test_intrinsics_in_other_units(values, message):
    with pytest.raises(InputError, match=message):
        camera_for((640, 480), None, values)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.eye(4), "give the 3 x 3 matrix"),
        (np.eye(3).tolist(), "as a numpy array"),
        (np.diag([np.nan, 1.0, 1.0]), "must have finite numbers"),
        (np.diag([-1.0, 1.0, 1.0]), "positive focal lengths"),
    ],
)
def test_no_camera(K, message):
    with pytest.raises(InputError, match=message):
        CameraModel.__post_init__(
            SimpleNamespace(K=K, image_size=(640, 480))
        )  # past the types, which are checked in tests alone


@pytest.mark.parametrize("fov", [0.0, 179.0, math.nan])
def test_impossible_fields_of_view(fov):
    with pytest.raises(InputError, match="5 to 150"):
        camera_for((640, 480), fov)


@pytest.mark.parametrize("size", [(0, 480), "640x480", (math.nan, 3)])
def test_sizes_that_are_none(size):
    with pytest.raises(InputError, match="is not a size; give"):
        CameraModel.__post_init__(SimpleNamespace(K=np.eye(3), image_size=size))


@pytest.mark.parametrize(("fov", "intrinsics"), [("60", None), (None, (1, 2, 3))])
def test_words_are_no_numbers(fov, intrinsics):
    with pytest.raises(InputError, match=r"give numbers|give four numbers"):
        _camera_for((640, 480), fov, intrinsics)
