import math

import pytest

from poselift.core.errors import InputError
from poselift.lifting import camera_for
from poselift.lifting.camera import DEFAULT_FOV


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920)])
def test_field_of_view_is_across_the_longer_side(size):
    camera = camera_for(size, 60.0)
    assert float(camera.K[0, 0]) == pytest.approx(960 / math.tan(math.radians(30)), rel=1e-3)
    assert camera.fov == pytest.approx(60.0, abs=0.1)
    assert camera.source == "given"


def test_nothing_known_is_said():
    camera = camera_for((640, 480))
    assert camera.source == "assumed"
    assert camera.fov == pytest.approx(DEFAULT_FOV, abs=0.1)


def test_intrinsics_go_first():
    camera = camera_for((640, 480), 60.0, (500.0, 510.0, 320.0, 240.0))
    assert camera.K.tolist() == [[500, 0, 320], [0, 510, 240], [0, 0, 1]]


@pytest.mark.parametrize("fov", [0.0, -3.0, 179.0, math.nan])
def test_impossible_fields_of_view(fov):
    with pytest.raises(InputError, match="5 to 150"):
        camera_for((640, 480), fov)


@pytest.mark.parametrize("values", [(0.0, 1.0, 1.0, 1.0), (math.nan, 1.0, 1.0, 1.0), (-5.0, 5.0, 1.0, 1.0)])
def test_impossible_intrinsics(values):
    with pytest.raises(InputError, match="must be positive"):
        camera_for((640, 480), None, values)
