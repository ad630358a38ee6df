import numpy as np
import pytest

from benchmarks import gait
from benchmarks.gait import changes, differences, double_supports, events_of, stances
from poselift.kinematics import measure_gait
from tests.kinematics.walker import walker


def test_stances_and_differences_of_a_known_walk():
    events = events_of(measure_gait(walker()))
    assert np.mean(stances(events)) == pytest.approx(0.62, abs=0.05)
    assert np.mean(double_supports(events)) == pytest.approx(0.24, abs=0.1)
    later = {key: times + 0.05 for key, times in events.items()}
    assert differences(later, events, "strike") == pytest.approx([0.05] * len(differences(later, events, "strike")))


def test_events_of_feet_that_go_down_and_up():
    down = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], bool)
    found = changes(down, np.arange(4.0))
    assert {key: times.tolist() for key, times in found.items()} == {
        (0, "strike"): [0.5],
        (0, "toe-off"): [2.5],
        (1, "strike"): [],
        (1, "toe-off"): [1.5],
    }


def test_the_tables(files, table):
    gait.main(files)
    rows = table()
    assert "exact motion" in rows[0]
    assert rows[-1][:2] == ["all", "2"]
