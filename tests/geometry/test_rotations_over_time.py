import numpy as np
import pytest

from poselift.geometry.rotation import rotation_z
from poselift.geometry.rotations_over_time import interpolate_rotations, nearest_rotation, turn_partly


def turns(*degrees):
    return rotation_z(np.radians(np.array(degrees, float)))


def test_the_nearest_rotation_is_none_that_mirrors():
    np.testing.assert_allclose(nearest_rotation(3.0 * turns(20.0)), turns(20.0), atol=1e-12)
    mirrored = np.diag([1.0, 1.0, -0.5])
    np.testing.assert_allclose(nearest_rotation(mirrored), np.eye(3), atol=1e-12)


def test_a_part_of_a_turn():
    parts = turn_partly(turns(80.0, 80.0, 0.0), np.array([0.25, 1.0, 0.5]))
    np.testing.assert_allclose(parts, turns(20.0, 80.0, 0.0), atol=1e-12)


@pytest.mark.parametrize(("time", "degrees"), [(-1.0, 0.0), (0.5, 10.0), (1.0, 20.0), (2.0, 30.0), (9.0, 40.0)])
def test_rotations_at_other_times(time, degrees):
    found = interpolate_rotations(turns(0.0, 20.0, 40.0), np.array([0.0, 1.0, 3.0]), np.array([time]))
    np.testing.assert_allclose(found, turns(degrees), atol=1e-9)
