from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.world import f1, subject_mean, true_contacts
from poselift.skeleton import CMU28
from tests.lifting.walking import walk


def test_contacts_of_a_walk_whose_footfalls_are_known():
    times = np.arange(0, 3, 1 / 50)
    joints, down = walk(times)
    found = true_contacts(joints, times, SimpleNamespace(skeleton=CMU28, subject="12"))
    assert f1(found, down) > 0.95


def test_a_foot_held_in_the_air_is_not_down_but_on_uneven_terrain():
    times = np.arange(0, 3, 1 / 50)
    joints = np.repeat(walk(times[:1])[0], len(times), 0)
    joints[120:, CMU28.indices(["left_heel", "left_big_toe"]), 1] += 0.3
    for subject, held in (("12", False), ("03", True)):
        found = true_contacts(joints, times, SimpleNamespace(skeleton=CMU28, subject=subject))
        assert found[:118].all()
        assert found[125:, 0].all() == held


def test_f1_and_means_by_hand():
    true = np.array([[1, 1], [1, 0], [0, 0]], bool)
    found = np.array([[1, 0], [1, 0], [1, 0]], bool)
    assert f1(found, true) == pytest.approx(2 * 2 / (3 + 3))
    assert subject_mean(["a", "a", "b"], [1.0, 3.0, 6.0]) == 4.0
    assert subject_mean(["a", "b"], [np.nan, 6.0]) == 6.0
