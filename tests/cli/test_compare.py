import csv
from dataclasses import replace

import numpy as np
import pytest

from poselift.recordings import read_motion, write_motion
from poselift.structures import Height
from tests.cli.running import poselift
from tests.kinematics.walker import walker


def store(folder, cadence=110.0, speed=1.3, height=1.7, person=1, **about):
    """A folder as `poselift lift --world` leaves it, with one walk."""
    folder.mkdir(parents=True, exist_ok=True)
    radii = np.full((round(30 * about.get("seconds", 6.0)), 17), 0.05, np.float32)
    motion = walker(cadence, speed, uncertainty=radii, height=Height(height, 0.0, "given"), **about)
    write_motion(folder / f"person_{person}.npz", motion)
    return folder


@pytest.mark.slow
def test_two_speeds_are_a_change_and_the_files_say_so(tmp_path):
    slow, fast = store(tmp_path / "slow", 95.0, 1.0), store(tmp_path / "fast", 120.0, 1.6)
    ran = poselift("compare", slow, fast, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert next(line for line in ran.out.splitlines() if line.startswith("| cadence")).endswith("| changed |")
    with open(tmp_path / "out" / "compare.csv", encoding="utf-8", newline="") as file:
        rows = {row["measure"]: row for row in csv.DictReader(file)}
    assert rows["speed_m_per_s"]["verdict"] == "changed"
    assert float(rows["speed_m_per_s"]["change"]) == pytest.approx(0.6, abs=0.03)
    assert rows["step_width_m"]["verdict"] != "changed"
    page = (tmp_path / "out" / "compare.html").read_text(encoding="utf-8")
    assert page.index("Before: ") < page.index("without a change that matters") < page.index("<table>")
    assert "data:image/png;base64," in page


def test_one_take_lifted_again_shows_no_change(tmp_path):
    ran = poselift("compare", store(tmp_path / "one"), store(tmp_path / "again"))
    assert ": 0 changed," in ran.out
    assert "| not shown: no change larger than " in ran.out, "the bound stands with both verdicts"


@pytest.mark.slow
def test_a_table_names_groups_and_people(tmp_path):
    for who, cadence in (("a", 100.0), ("b", 112.0)):
        store(tmp_path / who / "before", cadence)
        store(tmp_path / who / "after", cadence + 20)
    table = tmp_path / "trials.csv"
    rows = [f"{who}/{when},{when},{who}" for who in "ab" for when in ("before", "after")]
    table.write_text("\n".join(["trial,group,person", *rows]), encoding="utf-8")
    ran = poselift("compare", "--table", table)
    assert ran.code == 0, ran.err
    assert "before and after" in ran.out
    assert "| cadence | / min | 106.0 |" in ran.out
    table.write_text("\n".join(["trial,group,person", *rows[:3]]), encoding="utf-8")
    assert "b has trials in one group alone" in poselift("compare", "--table", table).err
    table.write_text("trial\na/before", encoding="utf-8")
    assert "lacks the column group" in poselift("compare", "--table", table).err


def test_what_cannot_be_compared_gets_one_line(tmp_path):
    one, other = store(tmp_path / "one"), store(tmp_path / "other", height=1.4)
    assert "two people" in poselift("compare", one, other).err
    short = store(tmp_path / "short", seconds=0.8)
    assert "short/person_1.npz is no walk, and other trials are" in (err := poselift("compare", one, short).err)
    assert "no foot strikes twice" in err
    both = store(store(tmp_path / "both"), person=2)
    assert "has 2 people; choose one with --person" in poselift("compare", one, both).err
    assert poselift("compare", one, both, "--person", "1").code == 0
    assert "no such file" in poselift("compare", one, tmp_path / "none").err
    assert "takes two trials" in poselift("compare", one).err
    assert "is both trials" in poselift("compare", one, one).err


def test_a_given_height_is_not_compared_with_an_estimated_one(tmp_path):
    before, after = store(tmp_path / "before", seconds=4.0), store(tmp_path / "after", seconds=4.0)
    path = after / "person_1.npz"
    write_motion(path, replace(read_motion(path), height=Height(1.95, 0.19, "estimated")))
    ran = poselift("compare", before, after)
    assert ran.code == 2
    for part in ("given height of 1.70 m", "an estimated one of 1.95 m", "--height"):
        assert part in ran.err
    write_motion(path, replace(read_motion(path), height=Height(1.71, 0.02, "estimated")))
    assert poselift("compare", before, after).code == 0, "calibrated cameras know the size"


@pytest.mark.slow
def test_a_lying_person_and_hidden_feet_are_no_walk_and_the_cause_is_said(tmp_path):
    walk = store(tmp_path / "walk")
    motion = read_motion(walk / "person_1.npz")
    fallen = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    lying = replace(motion, joints=np.repeat(motion.joints[:1] @ fallen.T, len(motion), 0))
    scores = motion.keypoints.scores.copy()
    scores[:, motion.keypoints.skeleton.indices(["left_ankle", "right_ankle"])] = 0
    footless = replace(motion, keypoints=replace(motion.keypoints, scores=scores))
    causes = {"lying": (lying, "the person lies"), "footless": (footless, "the feet are in sight in 0 % of the frames")}
    for name, (trial, cause) in causes.items():
        for number in "12":
            write_motion(tmp_path / f"{name}{number}" / "person_1.npz", trial)
        ran = poselift("compare", walk, tmp_path / f"{name}1")
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert f"No whole stride: {cause}" in ran.err
        ran = poselift("compare", tmp_path / f"{name}1", tmp_path / f"{name}2")
        assert ": 0 changed," in ran.out
        assert f"because none is a walk. No whole stride: {cause}" in ran.out
        assert f"No steps: {cause}" in poselift("measure", tmp_path / f"{name}1").out
        jumps = poselift("measure", tmp_path / f"{name}1", "--movement", "jumps").out
        assert (f"Jumps show by the feet, and {cause}" in jumps) == (name == "footless")


def test_an_angle_that_is_mostly_hidden_is_not_compared(tmp_path):
    whole = store(tmp_path / "whole")
    motion = read_motion(whole / "person_1.npz")
    for name, share, compared in (("often", 0.2, True), ("seldom", 0.5, False)):
        scores = motion.keypoints.scores.copy()
        scores[: round(share * len(motion)), motion.keypoints.skeleton.index("left_elbow")] = 0
        write_motion(
            tmp_path / name / "person_1.npz", replace(motion, keypoints=replace(motion.keypoints, scores=scores))
        )
        ran = poselift("compare", whole, tmp_path / name)
        assert "| right elbow flexion range |" in ran.out
        assert ("| left elbow flexion range |" in ran.out) == compared


def test_without_the_model_or_the_extra_opensim_says_so(tmp_path):
    walk = store(tmp_path / "walk")
    assert "--model none.osim: no such file" in poselift("opensim", walk, "--model", "none.osim").err


def test_measure_takes_a_movement(tmp_path):
    folder = store(tmp_path / "walk")
    ran = poselift("measure", folder, "--movement", "jumps", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "None found." in ran.out
    assert (tmp_path / "out" / "movements.csv").read_text(encoding="utf-8").startswith("trial,movement")
    assert "does not sit" in poselift("measure", folder, "--movement", "up-and-go").err
    assert "sway needs somebody who stands" in poselift("measure", folder, "--movement", "balance").err
