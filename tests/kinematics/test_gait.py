import dataclasses
from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import measure_gait
from poselift.kinematics.gait import AHEAD
from poselift.structures import Height
from tests.kinematics.conftest import pose
from tests.kinematics.walker import walker

CYCLE = 120 / 110


@pytest.mark.parametrize("turn", [0.0, 2.0])
@pytest.mark.parametrize("travel", [True, False])
def test_a_walk_over_ground_and_on_a_treadmill_have_the_same_events(travel, turn):
    found = measure_gait(walker(travel=travel, turn=turn))
    assert found.cadence == pytest.approx(110, abs=0.5)
    assert not found.running
    strikes = np.array([time for time, foot, name in found.events if name == "strike" and foot == 1])
    np.testing.assert_allclose(strikes, CYCLE * np.arange(1, 1 + len(strikes)), atol=0.03)
    assert [stride.stance for stride in found.strides] == pytest.approx([0.62] * len(found.strides), abs=0.05)
    double = [stride.double_support for stride in found.strides]
    assert double == pytest.approx([2 * 0.62 - 1] * len(double), abs=0.1)
    length = (
        1.3 * CYCLE / 2 / (1 if travel else AHEAD)
    )  # this walker's ankles do not rise before the other foot strikes
    assert [step.length for step in found.steps] == pytest.approx([length] * len(found.steps), abs=0.05)
    assert [step.width for step in found.steps] == pytest.approx([0.18] * len(found.steps), abs=1e-6)


def test_the_strides_of_a_walk_over_ground():
    found = measure_gait(walker(uncertainty=np.full((180, 17), 0.05), height=Height(1.7, 0.17)))
    assert not found.in_place
    assert [stride.length for stride in found.strides] == pytest.approx([1.3 * CYCLE] * len(found.strides), abs=0.02)
    assert [stride.speed for stride in found.strides] == pytest.approx([1.3] * len(found.strides), abs=0.03)
    assert [stride.noise for stride in found.strides] == pytest.approx([0.0465] * len(found.strides), abs=1e-4)
    assert found.scale == pytest.approx(0.1645)  # 1.645 of an SD of 10 %


def test_a_treadmill_has_lengths_if_the_speed_of_its_belt_is_known():
    found = measure_gait(walker(travel=False))
    assert found.in_place
    assert np.isnan([stride.length for stride in found.strides]).all()
    known = measure_gait(walker(travel=False), belt=1.3)
    assert [stride.length for stride in known.strides] == pytest.approx([1.3 * CYCLE] * len(known.strides), abs=0.05)
    assert [step.length for step in known.steps] == pytest.approx([1.3 * CYCLE / 2] * len(known.steps), abs=0.03)
    assert [stride.noise for stride in known.strides] == pytest.approx([1.3 / 30] * len(known.strides)), "a frame's way"
    assert measure_gait(walker(travel=True), belt=2.0).belt is None  # the person walks over ground
    for speed in (0.0, -1.3, 20.0):
        with pytest.raises(InputError, match="is not the speed of a belt; give metres a second"):
            measure_gait(walker(travel=False), belt=speed)


@pytest.mark.parametrize(("turn", "ahead", "uneven"), [(0.0, 2, 0.0), (np.pi / 2, 0, 0.2)])
def test_steps_on_a_belt_are_uneven_only_for_a_camera_that_sees_it(turn, ahead, uneven):
    motion = walker(travel=False, turn=turn)
    motion.joints[:, motion.skeleton.index("left_ankle"), ahead] += 0.1
    steps = measure_gait(motion, belt=1.3).steps
    left, right = (np.mean([step.length for step in steps if step.foot == foot]) for foot in (0, 1))
    assert left - right == pytest.approx(uneven, abs=0.02)
    assert (left + right) / 2 == pytest.approx(1.3 * CYCLE / 2, abs=0.02)


def test_nobody_runs_with_the_cadence_of_a_walk():
    assert not measure_gait(walker(cadence=110, stance=0.36, travel=False, bounce=0.04)).running


def test_a_fast_walk_whose_hips_sink_is_no_run():
    """Of the signs of a run it lacks one: its feet go back fast for half of the stride."""
    assert not measure_gait(walker(cadence=150, stance=0.53, fps=50, bounce=0.04)).running


@pytest.mark.parametrize("bounce", [-0.02, 0.0, 0.005])
def test_a_quick_walker_goes_over_straight_legs(bounce):
    """Short children walk with the cadence of a run, and lifted ankles of quick walks rest for as short a time."""
    assert not measure_gait(walker(cadence=168, stance=0.38, fps=50, bounce=bounce)).running


@pytest.mark.parametrize("travel", [True, False])
def test_a_run_has_spells_without_a_foot_down(travel):
    found = measure_gait(walker(cadence=168, speed=2.5, stance=0.36, fps=50, travel=travel, bounce=0.04))
    assert found.running
    assert found.cadence == pytest.approx(168, abs=1)
    assert np.median([stride.stance for stride in found.strides]) == pytest.approx(0.36, abs=0.08)
    assert np.median([stride.double_support for stride in found.strides]) == pytest.approx(-0.28, abs=0.2)
    lengths = [step.length for step in found.steps]
    if travel:  # with the flight in it
        assert np.median(lengths) == pytest.approx(2.5 * 60 / 168, abs=0.05)
    else:
        assert np.isnan(lengths).all()


def test_uneven_frames_and_a_gap_give_the_same_cadence():
    walk = walker(fps=60)
    kept = np.flatnonzero((np.random.default_rng(0).random(360) < 0.7) & (abs(np.arange(360) - 180) > 20))
    seen = {name: getattr(walk.keypoints, name)[kept] for name in ("keypoints", "scores", "timestamps")}
    fields = {name: getattr(walk, name)[kept] for name in ("joints", "root", "timestamps", "interpolated")}
    fewer = dataclasses.replace(walk, keypoints=dataclasses.replace(walk.keypoints, **seen), **fields)
    assert measure_gait(fewer).cadence == pytest.approx(110, abs=2)


def test_legs_outside_the_picture_have_no_steps():
    walk = walker()
    scores = walk.keypoints.scores.copy()
    scores[:, walk.skeleton.indices(["left_ankle", "right_ankle"])] = 0
    assert not measure_gait(
        dataclasses.replace(walk, keypoints=dataclasses.replace(walk.keypoints, scores=scores))
    ).steps


def test_who_stands_jumps_or_waits_has_no_steps():
    still = pose(frames=60)
    assert not measure_gait(still).steps
    assert not measure_gait(still).events
    joints = still.joints.copy()
    rows = still.skeleton.indices(
        [f"{side}_{joint}" for side in ("left", "right") for joint in ("ankle", "heel", "big_toe")]
    )
    joints[:, rows, 2] += 0.3 * np.sin(np.arange(60) / 5)[:, None]  # both feet at once
    assert not measure_gait(dataclasses.replace(still, joints=joints)).steps


def test_what_gait_needs():
    with pytest.raises(InputError, match="--world"):
        measure_gait(dataclasses.replace(walker(), frame="camera"))


def legs(course, hip=0.85, cadence=70.0, seconds=8.0):
    """Somebody in place whose ankles follow `course(phase)`, metres ahead and up; the legs are half a cycle apart."""
    motion = walker(travel=False, seconds=seconds)
    joints, index = motion.joints.copy(), motion.skeleton.index
    for side, late in (("right", 0.0), ("left", 0.5)):
        ahead, up = course((motion.timestamps * cadence / 120 + late) % 1.0)
        at = joints[:, index(f"{side}_hip")]
        away = np.stack([np.zeros_like(ahead), up - hip, ahead], -1)
        far = np.linalg.norm(away, axis=-1)
        knee = np.arctan2(ahead, hip - up) + np.arccos(np.clip(far, 0, 0.999))
        joints[:, index(f"{side}_knee")] = at + 0.5 * np.stack([0 * knee, -np.cos(knee), np.sin(knee)], -1)
        joints[:, index(f"{side}_ankle")] = at + away
    return replace(motion, joints=joints)


def test_marching_on_the_spot_has_a_cadence_and_no_lengths():
    """It was a walk on a treadmill with steps of 0.5 m."""

    def raised(phase):
        lift = np.sin(np.pi * np.clip((phase - 0.5) / 0.5, 0, 1))
        return 0.3 * lift**0.7, 0.4 * lift

    gait = measure_gait(legs(raised))
    assert gait.on_the_spot
    assert not gait.running
    assert gait.cadence == pytest.approx(70, abs=2)
    assert len(gait.steps) >= 6
    assert np.isnan([step.length for step in gait.steps]).all()
    assert np.isnan([stride.length for stride in gait.strides]).all()


def test_legs_that_pedal_or_move_on_a_chair_make_no_steps():
    """They were runs and walks."""

    def round_(phase):
        return 0.17 * np.cos(2 * np.pi * phase), 0.17 - 0.17 * np.sin(2 * np.pi * phase)

    def sitting(phase):
        return 0.3 + 0.15 * np.cos(2 * np.pi * phase), 0.05 * np.clip(-np.sin(2 * np.pi * phase), 0, 1)

    pedalled, sat = measure_gait(legs(round_, cadence=160.0)), measure_gait(legs(sitting, hip=0.5))
    for gait, why in ((pedalled, "round without a rest"), (sat, "somebody who sits")):
        assert (gait.steps, gait.strides, gait.events) == ([], [], [])
        assert why in gait.why


def test_a_walk_backwards_is_no_walk_forwards():
    """Its steps had -0.64 m."""
    forwards = walker()
    backwards = replace(forwards, joints=forwards.joints[::-1], root=forwards.root[::-1])
    gait = measure_gait(backwards)
    assert (gait.steps, measure_gait(forwards).why) == ([], "")
    assert "walks backwards" in gait.why


def test_a_single_step_is_no_gait():
    """Somebody who hopped once ran with one step and a cadence of 286."""
    assert measure_gait(walker(seconds=0.9)).steps == []
    assert len(measure_gait(walker(seconds=3.0)).steps) >= 3
