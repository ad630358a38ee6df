import numpy as np
import pytest

from poselift.cli.measure import gait_tables, ranges_table
from tests.cli.running import emptied, poselift
from tests.kinematics.conftest import pose, turn


def test_the_range_of_each_angle():
    lines = ranges_table(pose({"left_knee": turn("x", np.linspace(10, 95, 30))}, frames=30)).splitlines()
    assert "| left knee flexion | 10.0 | 95.0 | 85.0 |" in lines
    assert "| right hip rotation | - | - | - |" in lines


def test_the_strides_of_a_walk():
    frames = 121
    root = np.zeros((frames, 3))
    root[:, 2] = np.arange(frames) / 30
    contacts = np.stack([np.arange(frames) % 30 < 18, (np.arange(frames) + 15) % 30 < 18], 1)
    walk = pose(frames=frames, root=root, contacts=contacts, uncertainty=np.full((frames, 28), 0.05))
    lines = gait_tables(walk).splitlines()
    assert lines[0].startswith(
        "7 steps, cadence 120.0 ± 1.1 steps a minute, 6 strides. The ± of the cadence is an error of one frame"
    )
    assert lines[4] == "| 1 | right | 0.50 | 1.50 | 1.00 | 0.05 |"


@pytest.mark.parametrize("world", [True, False])
def test_the_command_prints_both(world, stored, tmp_path):
    stored.lift("--out", tmp_path / "walk", "--no-render", *(["--world"] if world else []))
    ran = poselift("measure", tmp_path / "walk" / "person_1.npz")
    assert ran.code == 0, ran.err
    assert "| left knee flexion |" in ran.out
    assert ("lift with --world" in ran.out) == (not world)


def test_somebody_without_a_pose_is_left_out(stored, tmp_path):
    stored.lift("--out", tmp_path / "walk", "--no-render")
    one, two = tmp_path / "walk" / "person_1.npz", tmp_path / "walk" / "person_2.npz"
    emptied(one)
    ran = poselift("measure", one, two)
    assert ran.code == 0, ran.err
    assert f"{one} is left out: no frame has a pose" in ran.out
    assert f"## {two}" in ran.out
