from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import world
from benchmarks.world import f1, knees, table, true_contacts
from poselift.skeleton import CMU28
from tests.lifting.walking import standing_pose, walk


def test_contacts_of_a_walk_whose_footfalls_are_known():
    times = np.arange(0, 3, 1 / 50)
    joints, down = walk(times)
    found = true_contacts(joints, times, SimpleNamespace(skeleton=CMU28, subject="12"))
    assert f1(found, down) > 0.95


@pytest.mark.parametrize(("subject", "held_is_down"), [("12", False), ("03", True)])
def test_a_foot_held_in_the_air_is_down_on_uneven_terrain_only(subject, held_is_down):
    times = np.arange(0, 3, 1 / 50)
    joints = np.repeat(walk(times[:1])[0], len(times), 0)
    joints[120:, CMU28.indices(["left_heel", "left_big_toe"]), 1] += 0.3
    found = true_contacts(joints, times, SimpleNamespace(skeleton=CMU28, subject=subject))
    assert found[:118].all()
    assert found[125:, 0].all() == held_is_down


def test_f1_by_hand():
    true = np.array([[1, 1], [1, 0], [0, 0]], bool)
    found = np.array([[1, 0], [1, 0], [1, 0]], bool)
    assert f1(found, true) == pytest.approx(2 * 2 / (3 + 3))


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


def test_angles_have_the_median_over_views_and_the_rest_means_over_subjects():
    rows = [{"up error deg": angle, "x": angle} for angle in (1.0, 2.0, 9.0)]
    _, angle, most, other = table(["a", "a", "b"], rows)
    assert angle == "| up error deg, median over views | 2.00 | 1.50 | 9.00 |"
    assert most.startswith("| up error deg, 90 % of views | 7.60 |")
    assert other == "| x | 5.25 | 1.50 | 9.00 |"


def test_the_table_of_two_views(files, capsys):
    world.main(files)
    printed = capsys.readouterr().out
    assert "|  | all | subject s02 |" in printed
    assert "| contact F1 | " in printed
    assert "nan" not in printed
