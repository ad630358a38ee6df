import dataclasses

import numpy as np
import pytest

from poselift.viz.up import estimate_up, rotation_to_y_up


def _pitch(degrees):
    """Turns what a level camera sees into what one that is pitched down sees."""
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


@pytest.mark.parametrize("degrees", [0, 12, -20])
def test_finds_the_tilt_of_the_camera(make_motion, degrees):
    motion = make_motion(turn=_pitch(degrees))
    np.testing.assert_allclose(estimate_up([motion]), _pitch(degrees) @ [0, -1, 0], atol=1e-3)
    rotation = rotation_to_y_up([motion])
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(rotation) == pytest.approx(1)
    np.testing.assert_allclose(rotation @ _pitch(degrees) @ [0, -1, 0], [0, 1, 0], atol=1e-3)


def test_leans_no_further_than_25_degrees(make_motion):
    up = estimate_up([make_motion(turn=_pitch(40))])
    assert np.rad2deg(np.arccos(-up[1])) == pytest.approx(25, abs=0.1)


def test_lying_and_missing_people_say_nothing(make_motion):
    lying = make_motion(turn=_pitch(85))
    empty = dataclasses.replace(make_motion(), joints=np.full((50, 17, 3), np.nan, np.float32))
    np.testing.assert_array_equal(estimate_up([lying, empty]), [0, -1, 0])
    np.testing.assert_array_equal(estimate_up([]), [0, -1, 0])


def test_world_motions_are_upright_already(make_motion):
    world = dataclasses.replace(make_motion(), frame="world")
    np.testing.assert_array_equal(rotation_to_y_up([world]), np.eye(3))
    with pytest.raises(ValueError, match="share a frame"):
        rotation_to_y_up([world, make_motion()])
