import dataclasses

import numpy as np
import pytest
import torch

from poselift.kinematics.up import estimate_up, level_axes, rotation_to_y_up
from tests.kinematics.conftest import pose


def _stand(turn):
    """A person before a level camera, seen by one that is turned."""
    return pose(frame="camera", world=torch.from_numpy(turn @ np.diag([1.0, -1.0, -1.0])))


def _pitch(degrees):
    """Turns what a level camera sees into what one that is pitched down sees."""
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


@pytest.mark.parametrize("degrees", [0, 12, -20])
def test_finds_the_tilt_of_the_camera(degrees):
    motion = _stand(_pitch(degrees))
    np.testing.assert_allclose(estimate_up([motion]), _pitch(degrees) @ [0, -1, 0], atol=1e-3)
    rotation = rotation_to_y_up([motion])
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(rotation) == pytest.approx(1)
    np.testing.assert_allclose(rotation @ _pitch(degrees) @ [0, -1, 0], [0, 1, 0], atol=1e-3)


def test_leans_no_further_than_25_degrees():
    up = estimate_up([_stand(_pitch(40))])
    assert np.rad2deg(np.arccos(-up[1])) == pytest.approx(25, abs=0.1)


def test_lying_and_missing_people_say_nothing():
    lying = _stand(_pitch(85))
    empty = dataclasses.replace(_stand(np.eye(3)), joints=np.full((5, 28, 3), np.nan))
    np.testing.assert_array_equal(estimate_up([lying, empty]), [0, -1, 0])
    np.testing.assert_array_equal(estimate_up([]), [0, -1, 0])


def test_world_motions_are_upright_already():
    world = dataclasses.replace(_stand(np.eye(3)), frame="world")
    np.testing.assert_array_equal(rotation_to_y_up([world]), np.eye(3))
    with pytest.raises(ValueError, match="share a frame"):
        rotation_to_y_up([world, _stand(np.eye(3))])


def test_level_axes_keep_the_cameras_right():
    up = np.array([0.2, -0.9, -0.3]) / np.linalg.norm([0.2, -0.9, -0.3])
    axes = level_axes(up)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes @ up, [0, 1, 0], atol=1e-12)
    right, _, back = axes @ [1, 0, 0]
    assert right > 0
    assert back == pytest.approx(0)
