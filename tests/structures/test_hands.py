import dataclasses
import tracemalloc

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.kinematics import face_along_x
from poselift.skeleton.hand import HAND21
from poselift.structures import Hands, move, see_from_camera
from tests.kinematics.conftest import pose
from tests.recordings.conftest import with_hands

TIMES = np.arange(30) / 30
FLAT = np.random.default_rng(2).uniform([0, -0.04, 0], [0.16, 0.04, 0.005], (21, 3))
FLAT[[0, 5, 17]] = [0, 0, 0], [0.09, 0.03, 0], [0.09, -0.03, 0]  # wrist, index and little finger
REST = np.random.default_rng(0).normal(scale=0.05, size=(21, 3))


def hands(**changed):
    """A left hand that moves slowly, without a right one."""
    turn = 0.3 * TIMES[:, None, None]
    joints = np.full((30, 2, 21, 3), np.nan)
    joints[:, 0] = REST + 0.02 * turn
    keypoints = np.full((30, 2, 21, 2), np.nan)
    keypoints[:, 0] = 300 + 1000 * joints[:, 0, :, :2]
    scores = np.where(np.isfinite(joints[..., 0, 0]), 0.8, 0.0)
    return Hands(**{"keypoints": keypoints, "joints": joints, "scores": scores} | changed)


def test_a_slow_hand_stays_where_it_is():
    given = hands()
    steady = given.steady(TIMES)
    np.testing.assert_allclose(steady.joints[:, 0], given.joints[:, 0], atol=1e-3)
    assert steady.seen[:, 0].all()
    assert not steady.seen[:, 1].any()
    np.testing.assert_allclose(steady.scores[:, 0], 0.8, atol=0.02)


def test_a_short_gap_is_closed_and_a_long_one_stays():
    given = hands()
    given.joints[5:8, 0], given.joints[15:25, 0] = np.nan, np.nan
    seen = given.steady(TIMES).seen[:, 0]
    assert seen[5:8].all()
    assert not seen[15:25].any()


def test_a_look_at_another_thing_is_left_out():
    given = hands()
    given.joints[12, 0] = -REST
    steady = given.steady(TIMES)
    np.testing.assert_allclose(steady.joints[12, 0], hands().joints[12, 0], atol=2e-3)


def test_hands_that_are_seen_for_a_moment_are_none():
    given = hands()
    given.joints[2:, 0] = np.nan
    steady = given.steady(TIMES)
    assert not steady.seen.any()
    assert (steady.scores == 0).all()


def test_a_hand_that_trembles_is_less_sure():
    noise = np.random.default_rng(1).normal(scale=0.01, size=(30, 21, 3))
    given = hands()
    given.joints[10:20, 0] += noise[10:20]
    scores = given.steady(TIMES).scores[:, 0]
    assert scores[12:18].max() < 0.7
    assert scores[:8].min() > 0.75


def turned_over(first, end):
    """A hand whose back the model takes for its palm in some frames: half a turn about the fingers."""
    given = hands()
    given.joints[:, 0] = FLAT + 0.02 * TIMES[:, None, None]
    given.joints[first:end, 0] = given.joints[first:end, 0] * [1, -1, -1]
    return given


def test_a_hand_that_the_model_turns_over_for_a_moment_stays():
    steady = turned_over(12, 16).steady(TIMES)
    np.testing.assert_allclose(steady.joints[:, 0], turned_over(0, 0).joints[:, 0], atol=1e-3)


@pytest.mark.parametrize("flip", [10, 20])
def test_a_palm_turns_no_faster_than_hands_do(flip):
    """Half a turn needs 0.13 s, or four frames: three detections of the shorter part go, and none is averaged."""
    given = turned_over(flip, 30)
    steady = given.steady(TIMES)
    hidden = list(range(flip, flip + 3)) if flip > 15 else list(range(flip - 3, flip))
    assert np.flatnonzero(~steady.seen[:, 0]).tolist() == hidden
    assert (steady.scores[hidden, 0] == 0).all()
    np.testing.assert_allclose(
        np.delete(steady.joints[:, 0], hidden, 0), np.delete(given.joints[:, 0], hidden, 0), atol=1e-3
    )


def test_a_hand_that_turns_as_fast_as_hands_do_is_kept():
    angles = 2.0 * np.pi * TIMES  # 360 degrees a second
    given = hands()
    for row, angle in enumerate(angles):
        c, s = np.cos(angle), np.sin(angle)
        given.joints[row, 0] = FLAT @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
    assert given.steady(TIMES).seen[:, 0].all()


@pytest.mark.slow
def test_an_hour_of_a_hand_needs_little_memory():
    times = np.arange(20_000) / 30
    joints = np.full((20_000, 2, 21, 3), np.nan, np.float32)
    joints[:, 0] = REST
    given = Hands(joints[..., :2] + 300, joints, np.where(np.isfinite(joints[..., 0, 0]), 0.8, 0.0))
    tracemalloc.start()
    steady = given.steady(times)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6  # the square of the frames has 3.2e9 bytes
    np.testing.assert_allclose(steady.joints[[0, 9_999, -1], 0], np.tile(REST, (3, 1, 1)), atol=1e-6)


def test_noise_becomes_less():
    noise = np.random.default_rng(1).normal(scale=0.004, size=(30, 21, 3))
    given = hands()
    given.joints[:, 0] += noise
    left = given.steady(TIMES).joints[:, 0] - hands().joints[:, 0]
    assert left[5:-5].std() < 0.6 * noise.std()


def test_scores_are_shares():
    with pytest.raises(InputError, match="score of a hand"):
        hands(scores=np.full((30, 2), 1.5))


def test_hands_turn_with_axes_that_turn_or_not():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    given = hands()
    for R in (quarter, np.repeat(quarter[None], 30, 0)):
        turned = given.turn(R).joints[:, 0]
        np.testing.assert_allclose(turned[..., 0], -given.joints[:, 0, :, 1])
        np.testing.assert_allclose(turned[..., 1], given.joints[:, 0, :, 0])


def test_hands_turn_with_their_motion():
    motion = with_hands(pose(frames=4))
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    moved = move(motion, quarter, np.array([1.0, 2, 3]), "world")
    back = see_from_camera(moved, Camera(np.eye(3), (9, 9)).with_pose(quarter, np.array([1.0, 2, 3])))
    np.testing.assert_allclose(back.hands.joints, motion.hands.joints, atol=1e-6)
    upright = face_along_x(dataclasses.replace(motion, frame="camera")).hands.joints[0, 0]
    # By 180 degrees about x, and then from +Z, where hips of which the left is at +X face, to +X.
    x, y, z = motion.hands.joints[0, 0].T
    np.testing.assert_allclose(upright, np.stack([-z, -y, -x], -1), atol=1e-6)


def test_fingers_hang_on_the_wrists_of_the_body():
    motion = with_hands(pose(frames=4))
    joints, skeleton = motion.with_fingers()
    wrist, tip = (joints[:, skeleton.index(name)] for name in ("left_wrist", "left_hand_ring_tip"))
    np.testing.assert_allclose(tip - wrist, motion.hands.joints[:, 0, HAND21.index("ring_tip")], atol=1e-6)
    assert skeleton.parents[skeleton.index("left_hand_thumb_cmc")] == "left_wrist"
    assert len(motion[1:3].hands) == 2
    bare = pose()
    assert bare.with_fingers()[1] == bare.skeleton


def test_hands_of_other_frames_are_refused():
    with pytest.raises(InputError, match="hands of 4 frames, but the motion has 5"):
        dataclasses.replace(pose(), hands=with_hands(pose(frames=4)).hands)
