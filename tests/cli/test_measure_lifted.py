"""What is measured of people who were lifted from keypoints, and who do not walk as people walk."""

import numpy as np
import pytest

import poselift
from benchmarks.made_worlds import Scene, hop, see, sit, stand
from poselift.kinematics import measure_gait, measure_segment_angles
from poselift.lifting import lift, to_world
from poselift.models import load_weights


def lifted(path, **options):
    """The person of a file of keypoints, in the world."""
    seen = {"image_size": (1280, 720), "fps": 30, "world": True, "skeleton": "cmu28"}
    return poselift.lift(keypoints=path, **seen, **options).people[0]


def wave(times):
    """Stands and waves with the right arm."""
    joints = stand(times)
    beat = 0.2 * np.sin(4 * np.pi * times)
    joints[:, 8] = joints[:, 6] + [0, 0.1, 0.27]
    joints[:, 10] = joints[:, 8] + np.stack([0 * beat, np.sqrt(0.0625 - beat**2), beat], -1)
    return joints


def kick(times):
    """Sits on a chair and swings the shanks in turns."""
    joints = sit(times)
    for side, late in ((0, 0.0), (1, np.pi)):
        angle = 0.5 * np.sin(3 * times + late)
        away = 0.42 * np.stack([np.sin(angle), -np.cos(angle), 0 * angle], -1)
        joints[:, 15 + side] = joints[:, 13 + side] + away
    return joints


@pytest.mark.parametrize("body", [wave, hop, kick])
@pytest.mark.parametrize("heading", [0, 60])
def test_who_waves_hops_or_moves_the_legs_on_a_chair_does_not_step(body, heading):
    keypoints, camera, *_ = see(Scene("", body, heading, 5))
    world = to_world([lift(keypoints, load_weights("small"), camera)], camera)
    gait = measure_gait(world.motions[0])
    assert (gait.steps, gait.strides, gait.running) == ([], [], False)


@pytest.mark.parametrize(
    ("case", "why"), [("cycle_side", "go round without a rest, as on a bicycle"), ("walk_back_side", "walks backwards")]
)
def test_who_pedals_or_walks_backwards_has_no_steps_forwards(case, why, shared):
    gait = measure_gait(lifted(shared / "cases" / "world" / f"{case}.json"))
    assert gait.steps == []
    assert why in gait.why


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["small", "tiny"])
def test_marching_has_a_cadence_only(weights, shared):
    gait = measure_gait(lifted(shared / "cases" / "marching.json", height={1: 1.7}, weights=weights))
    assert gait.on_the_spot
    assert gait.cadence == pytest.approx(70, abs=1)
    assert np.isnan([step.length for step in gait.steps]).all()


def test_arms_that_are_raised_lean_from_0_to_180(shared):
    found = measure_segment_angles(lifted(shared / "cases" / "arms_overhead.json"))
    for side in ("left", "right"):
        for segment in ("forearm", "upper_arm"):
            lean = found.of(f"{side}_{segment}_lean_ahead")
            assert np.nanmin(lean) == pytest.approx(0, abs=10)
            assert np.nanmax(lean) == pytest.approx(180, abs=10)
            assert np.nanmax(np.abs(np.diff(lean))) < 15
