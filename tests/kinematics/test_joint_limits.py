import dataclasses

import numpy as np
import pytest

from poselift.kinematics import measure_joint_angles, solve
from poselift.kinematics.joint_limits import BALLS
from tests.kinematics.conftest import pose, turn


def steps(rigged):
    """Turns of all segments from frame to frame, degrees."""
    turned = rigged.rotations[1:].swapaxes(-1, -2) @ rigged.rotations[:-1]
    return np.degrees(np.arccos(np.clip((np.trace(turned, axis1=-2, axis2=-1) - 1) / 2, -1, 1)))


def residual(rigged, joint):
    return rigged.residuals[:, rigged.rig.names.index(joint)]


@pytest.mark.parametrize("world", [turn("y", 0.0), turn("x", 180.0)], ids=["upright", "upside down"])
def test_a_knee_that_bends_backwards_is_held_at_its_limit_and_the_residual_says_so(world):
    motion = pose({"left_knee": turn("x", np.linspace(0, -40, 60))}, 60, world=world)
    rigged = solve(motion)
    angles = measure_joint_angles(rigged)
    knee = angles.of("left_knee_flexion")
    np.testing.assert_allclose(knee[30:], np.degrees(-0.17), atol=0.1)
    # The shank of 40 cm stops 30 degrees before the motion's.
    assert residual(rigged, "left_ankle")[-1] == pytest.approx(2 * 0.4 * np.sin(np.radians(40 - 9.74) / 2), abs=0.01)
    assert residual(rigged, "right_ankle").max() < 1e-6
    assert residual(rigged, "left_knee").max() < 1e-6
    assert steps(rigged).max() < 10
    free = solve(motion, limits=False)
    assert residual(free, "left_ankle").max() < 1e-6


def test_a_motion_within_the_limits_is_unchanged_to_the_last_digit(skeleton):
    rng, frames = np.random.default_rng(2), 40
    swings = {joint: np.cumsum(rng.normal(0, 3, (3, frames)), 1) for joint in ("spine", "neck_base", "left_hip")}
    turns = {
        joint: turn("x", x.clip(-30, 30)) @ turn("z", z.clip(-20, 20)) @ turn("y", y.clip(-30, 30))
        for joint, (x, z, y) in swings.items()
    }
    for joint, axis, start, end in (
        ("left_knee", "x", 0, 140),
        ("left_shoulder", "z", -90, 80),
        ("left_elbow", "y", 0, -150),
        ("right_hip", "x", 20, -110),
    ):
        turns[joint] = turn(axis, np.linspace(start, end, frames))
    motion = pose(turns, frames, skeleton)
    bent = {joint: turn("x", 50.0) for joint in ("left_knee", "right_knee")}
    bent |= {"left_elbow": turn("y", -50.0), "right_elbow": turn("y", 50.0)}
    noisy = pose(turns | bent, frames, skeleton)
    noisy = dataclasses.replace(noisy, joints=noisy.joints + rng.normal(0, 1e-3, noisy.joints.shape))
    for each in (motion, noisy):
        limited, free = solve(each), solve(each, limits=False)
        np.testing.assert_array_equal(limited.rotations, free.rotations)
        np.testing.assert_array_equal(limited.residuals, free.residuals)


BEYOND = [
    ("spine", "x", 125.0, "trunk_flexion", 109.0, "neck_base"),
    ("neck_base", "z", -110.0, "neck_bending", -75.0, "head_top"),
    ("left_hip", "x", -175.0, "left_hip_flexion", 150.0, "left_knee"),
    ("right_hip", "x", 100.0, "right_hip_flexion", -60.0, "right_knee"),
    ("left_hip", "z", -80.0, "left_hip_adduction", 60.0, "left_knee"),
    ("right_ankle", "x", 110.0, "right_ankle_dorsiflexion", -80.0, "right_big_toe"),
    ("left_elbow", "y", -175.0, "left_elbow_flexion", 165.0, "left_wrist"),
]
"""A joint that is turned about an axis, degrees; its angle at the limit; a joint that is then missed."""


@pytest.mark.parametrize(("joint", "axis", "degrees", "name", "limit", "missed"), BEYOND, ids=lambda value: str(value))
def test_a_joint_beyond_its_limit_is_held_there_without_a_jump(joint, axis, degrees, name, limit, missed):
    motion = pose({joint: turn(axis, np.linspace(0, degrees, 100))}, 100)
    rigged = solve(motion)
    assert measure_joint_angles(rigged).of(name)[-1] == pytest.approx(limit, abs=6)
    assert residual(rigged, missed)[-1] > 0.02
    assert residual(rigged, missed)[:30].max() < 1e-6
    assert steps(rigged).max() < 10


def test_a_head_that_turns_all_around_does_not_jump():
    rigged = solve(pose({"neck_base": turn("y", np.linspace(0, 360, 120))}, 120))
    assert np.abs(measure_joint_angles(rigged).of("neck_rotation")).max() == pytest.approx(90, abs=0.1)
    assert steps(rigged).max() < 10


@pytest.mark.parametrize("name", BALLS)
def test_a_held_rotation_is_within_the_limits(name):
    ball = BALLS[name]
    rotations = np.linalg.qr(np.random.default_rng(4).normal(size=(500, 3, 3))).Q
    rotations *= np.linalg.det(rotations)[:, None, None]
    held = ball.hold(rotations)
    np.testing.assert_allclose(np.linalg.det(held), 1)
    assert (held != rotations).any((1, 2)).sum() > 100
    np.testing.assert_allclose(ball.hold(held), held, atol=1e-6)
