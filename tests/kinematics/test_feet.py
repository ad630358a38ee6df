import dataclasses

import numpy as np
import pytest

from benchmarks.characters import feet_figures
from poselift.core.errors import InputError
from poselift.kinematics import lock_feet, solve
from poselift.skeleton import CMU28, H36M17
from tests.kinematics.conftest import pose, turn

_LENGTHS = 0.42, 0.4
"""Thigh and shank of the body of `pose`, metres."""

_HIP = 0.1, 0.05
"""Its hips beside and below the pelvis, metres."""


def walker(skeleton=CMU28, frames=120, drift=0.0, sink=0.0, noise=0.0, fps=30.0):
    """A walk along +Z, whose feet truly stand; then it slides by `drift` m/s, and sinks by `sink` metres."""
    times = np.arange(frames) / fps
    speed, cycle, duty = 0.9, 1.1, 0.62
    turns, contacts = {}, np.zeros((frames, 2), bool)
    height = 0.87 + 0.01 * np.cos(4 * np.pi * times / cycle)
    for column, side in enumerate(("left", "right")):
        phase = (times / cycle + 0.5 * column) % 1
        reach = speed * cycle * duty / 2
        swing = (phase - duty) / (1 - duty)
        ahead = np.where(phase < duty, reach - 2 * reach * phase / duty, -reach + 2 * reach * swing)
        up = np.where(phase < duty, 0.0, 0.12 * np.sin(np.pi * swing.clip(0, 1)))
        contacts[:, column] = phase < duty
        down = height - _HIP[1] - up - 0.085
        length = np.hypot(ahead, down).clip(0.3, sum(_LENGTHS) - 1e-4)
        upper, lower = _LENGTHS
        knee = np.pi - np.arccos((upper**2 + lower**2 - length**2) / (2 * upper * lower))
        hip = -np.arctan2(ahead, down) - np.arccos((upper**2 + length**2 - lower**2) / (2 * upper * length))
        turns[f"{side}_hip"], turns[f"{side}_knee"] = turn("x", np.degrees(hip)), turn("x", np.degrees(knee))
        if skeleton is CMU28:
            turns[f"{side}_ankle"] = turn("x", np.degrees(-hip - knee))
    root = np.stack([0 * times, height - sink, (speed + drift) * times], 1)
    root += noise * np.random.default_rng(1).normal(size=root.shape)
    return pose(turns, frames, skeleton, fps, root=root, contacts=contacts)


@pytest.mark.parametrize("fps", [24.0, 60.0])
@pytest.mark.parametrize("skeleton", [CMU28, H36M17], ids=lambda skeleton: skeleton.name)
@pytest.mark.parametrize(("drift", "sink"), [(-0.1, 0.04), (0.0, -0.05)])
def test_feet_stand_still_on_the_ground_and_knees_keep_their_course(skeleton, drift, sink, fps):
    motion = walker(skeleton, int(4 * fps), drift, sink, fps=fps)
    before, rigged = solve(walker(skeleton, int(4 * fps), fps=fps)), solve(motion)
    locked = lock_feet(rigged, motion)
    usual, figures = feet_figures(before, motion.contacts), feet_figures(locked, motion.contacts)
    assert figures["slide cm/s, max"] < 0.5
    assert figures["under the ground cm, max"] < 0.5
    assert figures["floating cm, max"] < 0.5
    assert figures["knee step deg, max"] < usual["knee step deg, max"] + 4 * 30 / fps
    if drift or sink:
        assert feet_figures(rigged, motion.contacts)["slide cm/s, max"] > 5 or sink
    np.testing.assert_allclose(np.linalg.det(locked.rotations), 1, atol=1e-6)
    hand = rigged.rig.names.index("left_wrist")
    np.testing.assert_array_equal(locked.rotations[:, hand], rigged.rotations[:, hand])


def test_a_foot_that_rolls_from_heel_to_toes_within_a_frame_slides_only_if_its_place_moves():
    rigged = solve(pose({}, 4, CMU28, 30.0, contacts=np.ones((4, 2), bool)))
    at, ankles = rigged.rig.landmarks(), [rigged.rig.names.index(f"{side}_ankle") for side in ("left", "right")]
    for slip, expected in ((0.0, 0.0), (0.01, 30.0)):
        turned, root = rigged.rotations.copy(), rigged.root.copy()
        for frame, (degrees, end) in enumerate([(-6, "heel"), (-5, "heel"), (5, "big_toe"), (6, "big_toe")]):
            rolled = turn("x", degrees).numpy()
            foot = at[f"left_{end}"] - at["left_ankle"]
            turned[frame, ankles] = rolled
            root[frame] += foot - rolled @ foot + [0, 0, slip * (frame > 1)]
        figures = feet_figures(dataclasses.replace(rigged, rotations=turned, root=root), np.ones((4, 2), bool))
        assert figures["slide cm/s, max"] == pytest.approx(expected, abs=1e-3)


def test_a_foot_on_a_stair_stays_at_its_height():
    motion = walker()
    raised = dataclasses.replace(motion, root=motion.root + [0, 0.5, 0])
    locked = lock_feet(solve(raised), raised)
    low = locked.positions()[..., 1].min(1)
    assert abs(np.median(low) - 0.5 - solve(motion).rig.sole) < 0.03


def test_empty_frames_stay_empty_and_one_frame_is_enough():
    motion = walker()
    motion.joints[50:60] = np.nan
    locked = lock_feet(solve(motion), motion)
    np.testing.assert_array_equal(np.isnan(locked.root).all(1), np.isin(np.arange(120), np.arange(50, 60)))
    single = walker(frames=1)
    assert np.isfinite(lock_feet(solve(single), single).rotations).all()


def test_without_any_contact_feet_only_keep_above_the_ground():
    motion = walker(sink=0.05)
    motion = dataclasses.replace(motion, contacts=np.zeros_like(motion.contacts))
    locked = lock_feet(solve(motion), motion)
    assert feet_figures(locked, motion.contacts)["under the ground cm, max"] < 0.5
    np.testing.assert_allclose(locked.root[:, [0, 2]], motion.root[:, [0, 2]], atol=1e-9)


def test_a_foot_that_really_slides_takes_a_step():
    root = np.tile([0.0, 0.955, 0.0], (90, 1))
    root[:, 2] = np.interp(np.arange(90), [40, 55], [0, 0.4])
    motion = pose({}, 90, root=root, contacts=np.ones((90, 2), bool))
    locked = lock_feet(solve(motion), motion)
    stands = np.repeat(locked.contacts.all(1, keepdims=True), 2, axis=1)
    np.testing.assert_array_equal(locked.contacts, stands)
    assert stands[:38].all()
    assert stands[58:].all()
    assert not stands[42:54].any()
    figures = feet_figures(locked, locked.contacts)
    assert figures["slide cm/s, max"] < 0.5
    assert figures["floating cm, max"] < 0.5
    assert locked.positions()[45:51, :, 1].min() > locked.rig.sole + 0.01
    assert np.linalg.norm(locked.root - motion.root, axis=-1).max() < 0.25


def test_residuals_are_those_of_the_locked_joints():
    motion = walker(drift=0.1)
    locked = lock_feet(solve(motion), motion)
    np.testing.assert_allclose(
        locked.residuals, np.linalg.norm(locked.positions() - motion.joints - motion.root[:, None], axis=-1)
    )


@pytest.mark.parametrize("change", [{"contacts": None}, {"frame": "camera"}])
def test_without_the_ground_feet_cannot_be_locked(change):
    motion = dataclasses.replace(walker(frames=5), **change)
    with pytest.raises(InputError, match="lift with --world"):
        lock_feet(solve(motion), motion)
