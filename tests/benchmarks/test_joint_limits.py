import numpy as np
import pytest

from benchmarks import joint_limits
from benchmarks.joint_limits import changed, largest_step
from poselift.kinematics import solve
from tests.kinematics.conftest import pose, turn


def test_frames_in_which_a_limit_acts_are_counted():
    bends = np.r_[np.full(40, 60.0), np.linspace(60, -40, 101)]
    motion = pose({"left_knee": turn("x", bends)}, 141)
    acts = changed(solve(motion), solve(motion, limits=False))
    assert acts.shape == (141, 13)
    assert not acts[:60].any()
    assert acts[112:].any(1).all()


def test_the_largest_step_is_that_of_the_fastest_segment():
    assert largest_step(solve(pose({"left_knee": turn("x", np.linspace(0, 60, 31))}, 31))) == pytest.approx(2, abs=0.01)


def test_both_tables(short_demo, cmu_files, table):
    joint_limits.main(["--corpus", str(cmu_files[0]), "--split", "test"])
    rows = {row[0]: row[1:] for row in table()}
    assert {"sample, person 1", "sample, person 2", "CMU, test", "left_knee"} <= set(rows)
    assert all(float(cell) >= 0 for cell in rows["CMU, test"])
