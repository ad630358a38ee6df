"""The legs of a character by numpy alone, without Blender."""

import importlib.util
import sys

import numpy as np
import pytest

from tests.blender.conftest import ADD_ON
from tests.kinematics.conftest import turn

TIMES = np.arange(60) / 30
REST = np.array([[0.1, 0, 0.9], [0.1, 0, 0.48], [0.1, 0.02, 0.08], [0.1, -0.12, 0.02]])
HIPS = np.array([0.0, 0.0, 0.95])


@pytest.fixture(scope="module")
def legs():
    """The add-on's module, which Blender loads by its own rules."""
    spec = importlib.util.spec_from_file_location("legs_of_the_add_on", ADD_ON / "poselift_blender" / "legs.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def rolling(legs, shape, theirs=1.0):
    """Somebody whose foot rolls over its ball while the hips go ahead; and the character's leg of another shape."""
    still = np.tile(np.eye(3), (len(TIMES), 1, 1))
    foot = np.stack([turn("x", degrees) for degrees in np.linspace(0, 40, len(TIMES))])
    if (foot[-1] @ [0, 1, 0])[2] < 0:  # the heel rises
        foot = foot.swapaxes(1, 2)
    ball = np.tile(REST[3], (len(TIMES), 1))
    ankle = ball - foot @ (REST[3] - REST[2])
    leg = legs.Leg(REST, theirs * REST + shape, ankle, ball, foot, still, still)
    hips = HIPS + np.stack([0 * TIMES, -0.2 * TIMES, -0.05 + 0 * TIMES], 1)
    return leg, hips, still


def solved(legs, leg, hips, still, anchor):
    """Places of the character's hip, knee, ankle and ball."""
    way, (directions,) = legs.solve_legs([leg], hips, still, HIPS, anchor, 1 / 30)
    thigh, shin = directions.swapaxes(0, 1)
    upper, lower = leg.lengths
    hip = way + leg.theirs[0] - anchor
    knee = hip + upper * thigh
    ankle = knee + lower * shin
    return hip, knee, ankle, ankle + leg.foot @ (leg.theirs[3] - leg.theirs[2])


@pytest.mark.parametrize("size", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("longer", [0.0, 0.05])
def test_a_foot_that_rolls_over_its_ball_does_not_slide(legs, size, longer):
    shape = np.zeros((4, 3))
    shape[3, 1] = -longer
    leg, hips, still = rolling(legs, shape, size)
    assert legs.leg_scale([leg]) == pytest.approx(size)
    *_, ball = solved(legs, leg, hips, still, size * HIPS)
    assert np.linalg.norm(np.diff(ball, axis=0), axis=-1).max() * 30 < 0.001  # metres a second
    assert ball[:, 2] == pytest.approx(leg.theirs[3, 2], abs=1e-6)


@pytest.mark.parametrize("longer", [0.0, 0.05])
def test_a_flat_foot_stands_still_with_its_whole_sole(legs, longer):
    shape = np.zeros((4, 3))
    shape[3, 1] = -longer
    leg, hips, still = rolling(legs, shape)
    flat = legs.Leg(leg.rest, leg.theirs, np.tile(REST[2], (len(TIMES), 1)), leg.ball, still, still, still)
    for place in solved(legs, flat, hips, still, HIPS)[2:]:
        assert np.linalg.norm(np.diff(place, axis=0), axis=-1).max() * 30 < 0.001  # metres a second


def test_hips_sink_where_a_leg_would_not_reach_and_knees_do_not_pop(legs):
    leg, hips, still = rolling(legs, np.zeros((4, 3)))
    hips[:, 2] += 0.05 + 0.1 * np.exp(-(((TIMES - 1) / 0.2) ** 2))
    hip, knee, ankle, ball = solved(legs, leg, hips, still, HIPS)
    assert np.linalg.norm(np.diff(ball, axis=0), axis=-1).max() * 30 < 0.001
    assert np.linalg.norm(ankle - hip, axis=-1).max() <= leg.lengths.sum() * 0.9996
    thigh, shin = (part / np.linalg.norm(part, axis=-1, keepdims=True) for part in (knee - hip, ankle - knee))
    bends = np.degrees(np.arccos((thigh * shin).sum(-1).clip(-1, 1)))
    assert np.abs(np.diff(bends)).max() < 10  # from a leg that is 15 cm out of reach
    assert (knee[:, 1] <= np.maximum(hip[:, 1], ankle[:, 1])).all()  # knees bend ahead, which is -y


def test_the_heading_of_a_foot_has_no_jump_where_it_points_up(legs):
    pitched = np.stack([turn("z", 30.0) @ turn("x", degrees) for degrees in np.linspace(0, 170, 40)])
    headings = legs._heading(pitched)
    assert np.abs(np.diff(headings, axis=0)).max() < 0.05
    np.testing.assert_allclose(headings[0], turn("z", 30.0), atol=1e-9)
