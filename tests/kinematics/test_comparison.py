import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import TrialMeasures, compare_trials, measure_numbers
from poselift.kinematics.comparison import student
from poselift.kinematics.repeatability import find_repeatability
from tests.kinematics.conftest import pose
from tests.kinematics.walker import walker


def draw(rng, person="", name="trial", **changed):
    """A trial whose measures scatter as repeated trials do."""
    usual = {"cadence_per_min": 110.0, "stride_length_m": 1.3, "left_knee_flexion_range_deg": 60.0}
    usual |= {f"{side}_{joint}_flexion_highest_deg": 30.0 for side in ("left", "right") for joint in ("hip", "elbow")}
    usual |= changed
    spread = {key: find_repeatability(key, True).of(value) for key, value in usual.items()}
    return TrialMeasures(name, {key: value + rng.normal(0, spread[key]) for key, value in usual.items()}, person)


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 3])
def test_nineteen_of_twenty_repeated_measures_are_not_called_changed(trials):
    rng = np.random.default_rng(0)
    found = [
        each
        for _ in range(300)
        for each in compare_trials([draw(rng) for _ in range(trials)], [draw(rng) for _ in range(trials)])
    ]
    share = np.mean([each.verdict == "changed" for each in found])
    assert 0.005 < share < 0.06


def test_a_change_well_beyond_its_doubt_is_shown_and_comes_first():
    rng = np.random.default_rng(1)
    found = compare_trials([draw(rng)], [draw(rng, cadence_per_min=135.0)])
    assert (found[0].measure, found[0].verdict) == ("cadence_per_min", "changed")
    assert abs(found[0].change - 25) < found[0].half


def test_many_trials_show_that_nothing_that_matters_changed():
    rng = np.random.default_rng(2)
    one = compare_trials([draw(rng)], [draw(rng)])
    many = compare_trials([draw(rng) for _ in range(80)], [draw(rng) for _ in range(80)])
    elbow = {each.measure: each for each in one}["left_elbow_flexion_highest_deg"]
    assert elbow.verdict == "not shown", "one trial of an elbow says nothing about 5 degrees"
    again = {each.measure: each for each in many}["left_elbow_flexion_highest_deg"]
    assert again.verdict == "no change larger than"
    assert again.bound < 5.0


def test_own_trials_that_scatter_more_widen_the_interval():
    rng = np.random.default_rng(3)
    steady = compare_trials([draw(rng) for _ in range(5)], [draw(rng)])
    wild = [draw(rng, cadence_per_min=110.0 + 15 * (-1) ** number) for number in range(5)]
    halves = [
        {each.measure: each.half for each in found}["cadence_per_min"]
        for found in (steady, compare_trials(wild, [draw(rng)]))
    ]
    assert halves[1] > 2 * halves[0]


def test_people_are_compared_with_themselves():
    rng = np.random.default_rng(4)
    people = {"a": 100.0, "b": 108.0, "c": 124.0, "d": 116.0, "e": 104.0}
    before = [draw(rng, who, cadence_per_min=rate) for who, rate in people.items()]
    after = [draw(rng, who, cadence_per_min=rate + 12) for who, rate in people.items()]
    cadence = {each.measure: each for each in compare_trials(before, after)}["cadence_per_min"]
    assert cadence.verdict == "changed"
    assert cadence.change == pytest.approx(12, abs=cadence.half)
    with pytest.raises(InputError, match="c, d, e has trials in one group alone"):
        compare_trials(before, after[:2])


def test_walks_and_other_movements_are_not_mixed():
    rng = np.random.default_rng(5)
    still = TrialMeasures("stands", {"left_knee_flexion_range_deg": 3.0}, walking=False)
    with pytest.raises(InputError, match="stands is no walk"):
        compare_trials([draw(rng)], [still])
    with pytest.raises(InputError, match="first group has no trial"):
        compare_trials([], [still])


@pytest.mark.slow
def test_two_speeds_of_a_walk_are_a_change_and_one_walk_is_none():
    slow, fast = (measure_numbers(walker(cadence=cadence, speed=speed)) for cadence, speed in ((95, 1.0), (120, 1.6)))
    found = {
        each.measure: each for each in compare_trials([TrialMeasures("slow", slow)], [TrialMeasures("fast", fast)])
    }
    assert {found[name].verdict for name in ("cadence_per_min", "speed_m_per_s", "stride_length_m")} == {"changed"}
    same = compare_trials(
        [TrialMeasures("one", slow)], [TrialMeasures("again", measure_numbers(walker(cadence=95, speed=1.0)))]
    )
    assert all(each.verdict != "changed" and each.change == 0 for each in same)


def test_every_angle_of_a_walk_with_feet_can_be_compared():
    measures = measure_numbers(pose(frames=10))
    assert {"left_ankle_dorsiflexion_range_deg", "right_foot_pitch_highest_deg"} <= measures.keys()
    assert [name for name in measures if find_repeatability(name, walking=True) is None] == []


def test_students_quantiles():
    assert [round(student(float(n)), 2) for n in (1, 2, 3, 5, 10, 30)] == [12.71, 4.30, 3.18, 2.57, 2.23, 2.04]
