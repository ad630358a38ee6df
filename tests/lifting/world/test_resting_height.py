import numpy as np
import pytest

from poselift.kinematics.foot_contacts import Feet
from poselift.kinematics.ground import Ground
from poselift.lifting.world.resting_height import find_resting_moves

TIMES = np.arange(0, 6, 1 / 50)
GROUND = Ground(np.array([0.0, -1.0, 0.0]), -1.4, 0.0, True, np.ones(1))
REST = np.array([0.02, 0.03])


def _moves(over, down=True):
    """Moves for the heights of both feet over their resting height; (t, 2), and when each is down."""
    heights = np.broadcast_to(np.asarray(over, float), (len(TIMES), 2))[..., None] + REST
    points = np.zeros((len(TIMES), 2, 2, 3))
    points[..., 1] = 1.4 - heights
    flags = np.broadcast_to(np.asarray(down), (len(TIMES), 2))[..., None] & np.ones(2, bool)
    return find_resting_moves(Feet(points, ("heel", "big_toe"), REST, flags), flags, GROUND, TIMES)


def test_a_walker_who_wanders_up_and_down_walks_on_the_ground():
    stance = np.stack([TIMES % 1 < 0.6, (TIMES + 0.5) % 1 < 0.6], 1)
    wander = 0.05 * np.sin(2 * np.pi * TIMES / 5)[:, None]
    moved = wander + _moves(wander + np.where(stance, 0.0, 0.1), stance)[:, None]
    assert np.abs(moved).max() < 0.02
    assert np.abs(np.diff(moved, axis=0)).max() < 0.002


def test_the_moves_pass_over_a_jump_and_do_not_flatten_it():
    aloft = (TIMES > 2.5) & (TIMES < 3.2)
    height = np.where(aloft, 0.4, 0.0) - 0.03
    moves = _moves(height[:, None], ~aloft[:, None])
    np.testing.assert_allclose(moves, 0.03, atol=0.002)


@pytest.mark.parametrize(("stands", "most"), [(0.15, 0.015), (0.5, 0.001), (-0.17, 0.015)])
def test_who_stands_on_a_stair_or_a_box_stays_there(stands, most):
    assert np.abs(_moves(stands)).max() < most


@pytest.mark.parametrize(
    ("over", "down", "raised"),
    [
        pytest.param([0.02, -0.02], [True, True], 0.0, id="two errors that even out"),
        pytest.param([0.0, -0.05], [True, True], 0.02, id="no standing foot floats"),
        pytest.param([0.0, -0.03], [True, False], 0.015, id="a foot in the air does not sink in"),
    ],
)
def test_feet_at_two_heights_share_the_error_within_limits(over, down, raised):
    np.testing.assert_allclose(_moves(over, down), raised, atol=1e-3)


def test_nobody_moves_without_a_contact():
    assert not _moves([0.03, 0.03], False).any()
