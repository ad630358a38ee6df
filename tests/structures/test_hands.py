import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.structures.hands import HandMotion

TIMES = np.arange(30) / 30
REST = np.random.default_rng(0).normal(scale=0.05, size=(21, 3))


def hands(**changed):
    """A left hand that moves slowly, without a right one."""
    turn = 0.3 * TIMES[:, None, None]
    joints = np.full((30, 2, 21, 3), np.nan)
    joints[:, 0] = REST + 0.02 * turn
    keypoints = np.full((30, 2, 21, 2), np.nan)
    keypoints[:, 0] = 300 + 1000 * joints[:, 0, :, :2]
    scores = np.where(np.isfinite(joints[..., 0, 0]), 0.8, 0.0)
    return HandMotion(
        **{"keypoints": keypoints, "joints": joints, "scores": scores, "timestamps": TIMES, "person": 1} | changed
    )


def test_a_slow_hand_stays_where_it_is():
    given = hands()
    steady = given.steady()
    np.testing.assert_allclose(steady.joints[:, 0], given.joints[:, 0], atol=1e-3)
    assert steady.seen[:, 0].all()
    assert not steady.seen[:, 1].any()
    np.testing.assert_allclose(steady.scores[:, 0], 0.8)


def test_a_short_gap_is_closed_and_a_long_one_stays():
    given = hands()
    given.joints[5:8, 0], given.joints[15:25, 0] = np.nan, np.nan
    seen = given.steady().seen[:, 0]
    assert seen[5:8].all()
    assert not seen[15:25].any()


def test_a_look_at_another_thing_is_left_out():
    given = hands()
    given.joints[12, 0] = -REST
    steady = given.steady()
    np.testing.assert_allclose(steady.joints[12, 0], hands().joints[12, 0], atol=2e-3)


def test_hands_that_are_seen_for_a_moment_are_none():
    given = hands()
    given.joints[2:, 0] = np.nan
    steady = given.steady()
    assert not steady.seen.any()
    assert (steady.scores == 0).all()


def test_noise_becomes_less():
    noise = np.random.default_rng(1).normal(scale=0.004, size=(30, 21, 3))
    given = hands()
    given.joints[:, 0] += noise
    left = given.steady().joints[:, 0] - hands().joints[:, 0]
    assert left[5:-5].std() < 0.6 * noise.std()


def test_scores_are_shares():
    with pytest.raises(InputError, match="score of a hand"):
        hands(scores=np.full((30, 2), 1.5))
