from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.world import knees
from poselift.kinematics.foot_contacts import feet_of
from poselift.lifting.world.planted_feet import bend_limb, plant_feet
from poselift.skeleton import CMU28, H36M17
from tests.lifting.walking import render, standing_pose, walk


def _limb(rng, count):
    start = rng.normal(size=(count, 3))
    middle = start + rng.normal(size=(count, 3))
    return start, middle, middle + rng.normal(size=(count, 3))


@given(st.integers(0, 1000))
def test_bends_to_what_can_be_reached(seed):
    rng = np.random.default_rng(seed)
    start, middle, end = _limb(rng, 20)
    upper, lower = np.linalg.norm(middle - start, axis=-1), np.linalg.norm(end - middle, axis=-1)
    direction = rng.normal(size=(20, 3))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    distance = np.abs(upper - lower) + rng.uniform(0.05, 0.95, 20) * (upper + lower - np.abs(upper - lower))
    target = start + distance[:, None] * direction
    new_middle, new_end = bend_limb(start, middle, end, target)
    np.testing.assert_allclose(new_end, target, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(new_middle - start, axis=-1), upper, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(new_end - new_middle, axis=-1), lower, atol=1e-6)


@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=["feet", "ankles"])
def test_planted_feet_stand_still_and_bones_keep_their_length(skeleton):
    times = np.arange(0, 4, 1 / 50)
    joints, down = walk(times)
    motion = render(joints, times, down, skeleton=skeleton, noise=0.01).motion
    feet = feet_of(motion)
    flags = np.repeat(down[..., None], feet.points.shape[2], -1)
    planted, moved = plant_feet(motion.joints, feet, flags, skeleton, times)
    for side, name in enumerate(("left", "right")):
        hip, knee, ankle = skeleton.indices([f"{name}_{joint}" for joint in ("hip", "knee", "ankle")])
        for a, b in ((hip, knee), (knee, ankle)):
            before, after = (np.linalg.norm(x[:, a] - x[:, b], axis=-1) for x in (motion.joints, planted))
            np.testing.assert_allclose(after, before, atol=1e-5)
        both = down[1:, side] & down[:-1, side]
        places = (
            feet_of(replace(motion, joints=x, root=motion.root + y)).points[:, side].mean(1)
            for x, y in ((motion.joints, 0 * moved), (planted, moved))
        )
        slid, slides = (np.linalg.norm(np.diff(place, axis=0), axis=-1)[both] for place in places)
        # A knee follows noise from frame to frame in part only, and so does the root.
        assert slides.mean() < 0.5 * slid.mean()
    upper_body = [row for row, joint in enumerate(skeleton.joints) if "left" not in joint and "right" not in joint]
    np.testing.assert_array_equal(planted[:, upper_body], motion.joints[:, upper_body])


def test_the_foot_comes_along():
    times = np.arange(0, 2, 1 / 50)
    joints, down = walk(times)
    motion = render(joints, times, down, noise=0.01).motion
    feet = feet_of(motion)
    planted, _ = plant_feet(motion.joints, feet, np.repeat(down[..., None], 2, -1), CMU28, times)
    ankle, toe = CMU28.indices(["left_ankle", "left_big_toe"])
    assert np.abs(planted - motion.joints)[:, ankle].max() > 1e-3
    np.testing.assert_allclose(
        planted[:, toe] - planted[:, ankle], motion.joints[:, toe] - motion.joints[:, ankle], atol=1e-5
    )


def test_a_foot_is_not_drawn_to_where_it_stood_before_frames_were_lacking():
    times = np.r_[np.arange(0, 1, 1 / 30), 1.5 + np.arange(0, 1, 1 / 30)]
    joints = np.repeat(standing_pose()[None], len(times), 0)
    joints[30:, :, 0] += 0.4
    motion = render(joints, times).motion
    planted, _ = plant_feet(motion.joints, feet_of(motion), np.ones((len(times), 2, 2), bool), CMU28, times)
    np.testing.assert_allclose(planted, motion.joints, atol=1e-5)


def test_a_root_that_drifts_far_does_not_tear_the_leg_out():
    times = np.arange(0, 20, 1 / 25)
    motion = render(np.repeat(standing_pose()[None], len(times), 0), times).motion
    motion.root[:, 2] += np.linspace(-1, 1, len(times))
    flags = np.ones((len(times), 2, 2), bool)
    planted, _ = plant_feet(motion.joints, feet_of(motion), flags, CMU28, times)
    assert np.linalg.norm(planted - motion.joints, axis=-1).max() < 0.31


@pytest.mark.parametrize("lifted", [0.02, -0.02], ids=["too high", "too low"])
def test_a_foot_out_of_reach_moves_the_body_and_does_not_straighten_the_knee(lifted):
    """Halfway through a stand on nearly straight legs, the root jumps up or down."""
    times = np.arange(0, 2, 1 / 50)
    pose = standing_pose()
    pose[CMU28.indices(["left_knee", "right_knee"]), 2] += 0.02
    motion = render(np.repeat(pose[None], len(times), 0), times).motion
    motion.root[50:, 1] -= lifted
    flags = np.ones((len(times), 2, 2), bool)
    planted, moved = plant_feet(motion.joints, feet_of(motion), flags, CMU28, times)
    before, after = (knees(replace(motion, joints=joints)) for joints in (motion.joints, planted))
    assert after["a knee under 0.5 deg, % of frames"] == before["a knee under 0.5 deg, % of frames"] == 0
    assert after["largest step of a knee deg/frame"] < 5
    assert moved[:25, 1].mean() * lifted < 0 < moved[75:, 1].mean() * lifted
    feet = feet_of(replace(motion, joints=planted, root=motion.root + moved)).points[..., 1]
    # The root follows slowly, so the feet are back a third of a second from the jump.
    assert np.ptp(feet[np.r_[0:33, 67:100]], axis=0).max() < 0.3 * abs(lifted)
