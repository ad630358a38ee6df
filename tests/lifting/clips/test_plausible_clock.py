import re
from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting.clips.plausible_clock import doubt_clock
from tests.kinematics.conftest import pose, turn


def walk(pace, seconds=4.0, fps=30.0, swing=25.0, shape=np.sin):
    """Legs that swing against each other, so many steps a minute."""
    phase = np.pi * pace / 60 * np.arange(round(seconds * fps)) / fps
    angles = swing * shape(phase)
    return pose({"left_hip": turn("x", angles), "right_hip": turn("x", -angles)}, len(angles), fps=fps)


def slowed(motion, factor):
    """The same with a clock that runs too slowly."""
    times = factor * motion.timestamps
    return replace(motion, timestamps=times, keypoints=replace(motion.keypoints, timestamps=times))


@pytest.mark.parametrize("pace", [60, 250])
def test_people_walk_and_run_so(pace):
    assert doubt_clock(walk(pace)) is None


@pytest.mark.parametrize("factor", [4, 8])
def test_slow_motion(factor):
    said = doubt_clock(slowed(walk(110, fps=240.0), factor))
    steps = re.fullmatch(r"takes (\d+) even steps a minute, slower than people walk", said or "")
    assert steps
    assert float(steps[1]) == pytest.approx(110 / factor, abs=1)


def test_time_lapse():
    said = doubt_clock(slowed(walk(110), 1 / 3))
    steps = re.fullmatch(r"takes (\d+) steps a minute, faster than people", said or "")
    assert steps
    assert float(steps[1]) == pytest.approx(330, abs=3)


def test_joints_faster_than_anybodys():
    said = doubt_clock(slowed(walk(110), 1 / 12))
    assert said is not None
    assert said.endswith("m/s, faster than people")


def pausing(phase):
    """Quick steps with a rest between them, as of slow exercises."""
    return np.tanh(20 * np.sin(phase))


@pytest.mark.parametrize(
    "motion",
    [
        pose(frames=100),
        walk(14, 30.0, shape=pausing),
        slowed(walk(110, 0.5, fps=240.0), 8),
    ],
    ids=["still", "slow exercise", "two steps"],
)
def test_no_gait_tells_nothing(motion):
    assert doubt_clock(motion) is None
