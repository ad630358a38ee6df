from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import world
from benchmarks.world import f1, knees, true_contacts
from poselift.skeleton import CMU28
from tests.lifting.walking import standing_pose, walk


def test_contacts_of_a_walk_whose_footfalls_are_known():
    times = np.arange(0, 3, 1 / 50)
    joints, down = walk(times)
    found = true_contacts(joints, times, SimpleNamespace(skeleton=CMU28, subject="12"))
    assert f1(found, down) > 0.95


def test_knees_by_hand():
    """Straight, then bent by 90 degrees; an unknown frame counts for nothing."""
    joints = np.repeat(standing_pose()[None], 3, 0)
    for side in ("left", "right"):
        hip, knee, ankle = CMU28.indices([f"{side}_{joint}" for joint in ("hip", "knee", "ankle")])
        joints[:, [hip, knee, ankle]] = [[0, 0.8, 0], [0, 0.4, 0], [0, 0, 0]]
        if side == "left":
            joints[1, ankle] = [0, 0.4, 0.4]
    joints[2] = np.nan
    found = knees(SimpleNamespace(joints=joints, skeleton=CMU28))
    assert list(found.values()) == pytest.approx([100, 45, 90])


def test_the_table_of_two_views(files, capsys):
    world.main(files)
    printed = capsys.readouterr().out
    assert "|  | all | subject s02 |" in printed
    assert "| contact F1 | " in printed
    assert "nan" not in printed
