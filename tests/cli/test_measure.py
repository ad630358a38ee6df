import csv
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from poselift.cli.measure.long_table import find_half
from poselift.cli.measure.measure_files import NAMES, write_files
from poselift.cli.measure.measure_tables import gait_tables, ranges_table, trials_table
from poselift.cli.measure.page import PAGE, write_page
from poselift.cli.measure.trial import measure_trial
from poselift.geometry.camera import camera_for
from poselift.kinematics import measure_gait, measure_joint_angles
from poselift.kinematics.gait_summary import summarise_gait
from poselift.kinematics.plug_in_gait import DIFFERENCES
from poselift.kinematics.repeatability import WALKING
from poselift.recordings import write_motion
from poselift.structures import Height
from tests.cli.running import emptied, poselift
from tests.kinematics.conftest import pose, turn
from tests.kinematics.walker import walker

CYCLE = 120 / 110


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """A walk over ground, its size estimated, and one on a treadmill."""
    radii = np.full((180, 17), 0.05, np.float32)
    over = walker(uncertainty=radii, height=Height(1.7, 0.17))
    belt = walker(uncertainty=radii, height=Height(1.7, 0.0, "given"), travel=False)
    return {
        name: measure_trial(tmp_path_factory.mktemp(name) / "person_1.npz", motion)
        for name, motion in (("over", over), ("belt", belt))
    }


def test_the_range_of_each_angle():
    lines = ranges_table(
        measure_joint_angles(pose({"left_knee": turn("x", np.linspace(10, 95, 30))}, frames=30))
    ).splitlines()
    assert "| left knee flexion | 10.0 | 95.0 | 85.0 | - |" in lines
    assert "| right hip rotation | - | - | - | - |" in lines


@pytest.mark.slow
def test_the_strides_of_a_walk_carry_the_uncertainty_of_the_size(trials):
    text = gait_tables(trials["over"])
    assert text.startswith("Walk: 9 steps, cadence 110.")
    assert "relative to an estimated height of 1.70 m, which alone makes ± 16 %" in text
    stride = next(line for line in text.splitlines() if line.startswith("| 1 |"))
    length, spread = map(float, stride.strip("| ").split(" | ")[-2:])
    assert length == pytest.approx(1.3 * CYCLE, abs=0.03)
    assert spread == pytest.approx(np.hypot(0.0465, 0.1645 * length), abs=0.01)
    found = summarise_gait(trials["over"].gait)
    assert found["speed_90_m_per_s"] > 0.16 * found["speed_m_per_s"]
    assert trials_table([trials["over"]]) == "", "one trial is no comparison"


@pytest.mark.slow
def test_a_treadmill_has_cadence_and_phases_but_no_lengths(trials, tmp_path):
    text = gait_tables(trials["belt"])
    assert text.startswith("Walk: 9 steps, cadence 110.")
    assert "treadmill" in text
    assert "Speed" not in text
    along, across = (
        measure_trial(tmp_path / "a.npz", walker(travel=False, turn=turned)) for turned in (0.0, np.pi / 2)
    )
    assert "camera looks along the walk" in gait_tables(along)
    assert "camera looks along the walk" not in gait_tables(across)
    assert "those of a person of 1.70 m, as given" in text, "steps have lengths on a treadmill too"
    over_ground = gait_tables(measure_trial(tmp_path / "a.npz", walker(), 1.3))
    assert "The belt of 1.3 m/s is not used" in over_ground
    assert np.isnan(summarise_gait(trials["belt"].gait)["stride_length_m"])


def test_a_belt_of_known_speed_gives_lengths(tmp_path):
    trial = measure_trial(tmp_path / "a.npz", walker(travel=False, height=Height(1.7, 0.17)), belt=1.3)
    assert "Speed 1.30 m/s." in gait_tables(trial)
    assert "a belt of 1.3 m/s" in gait_tables(trial)
    assert find_half(trial.gait, "speed_m_per_s") == (0.0, "this trial"), "given, so repeated walks do not tell of it"


def test_who_stands_has_no_steps(tmp_path):
    assert "fewer than two foot strikes" in gait_tables(measure_trial(tmp_path / "a.npz", pose(frames=20)))
    assert "lift with --world" in gait_tables(measure_trial(tmp_path / "a.npz", pose(frames=20, frame="camera")))


def test_the_files_hold_what_the_tables_show(trials, tmp_path):
    write_files(tmp_path, list(trials.values()))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)
    tables = {}
    for name in NAMES:
        if name.endswith(".csv"):
            with open(tmp_path / name, encoding="utf-8", newline="") as file:
                tables[name] = list(csv.DictReader(file))
    over, belt = tables["trials.csv"]
    assert (over["steps"], over["strides"]) == ("9", "8")
    assert float(over["cadence_per_min"]) == pytest.approx(110, abs=1)
    assert float(over["stride_length_m"]) == pytest.approx(1.3 * CYCLE, abs=0.03)
    assert belt["stride_length_m"] == ""
    assert float(over["left_stance_percent"]) + float(over["left_swing_percent"]) == pytest.approx(100, abs=1e-3)
    assert {row["event"] for row in tables["events.csv"]} == {"strike", "toe-off"}
    knee = [row for row in tables["cycles.csv"] if row["angle"] == "knee_flexion" and row["foot"] == "left"]
    assert [float(row["percent"]) for row in knee] == 2 * list(range(101))
    assert max(float(row["mean_deg"]) for row in knee) > 30
    assert {row["angle"] for row in tables["ranges.csv"]} >= {"left_knee_flexion", "trunk_lean_ahead"}
    rows = {(row["trial"], row["side"], row["measure"]): row for row in tables["measures.csv"]}
    walked = over["trial"]
    speed, knee_range = rows[walked, "", "speed_m_per_s"], rows[walked, "left", "knee_flexion_range_deg"]
    assert float(speed["value"]) == pytest.approx(float(over["speed_m_per_s"]))
    assert speed["uncertainty_of"] == knee_range["uncertainty_of"] == "this trial"
    stance = rows[walked, "right", "stance_percent"]
    assert (stance["person"], stance["uncertainty_of"], stance["seen_percent"]) == ("1", "repeated trials", "100.0000")
    assert float(stance["uncertainty_90"]) == pytest.approx(1.645 * WALKING["stance_percent"], abs=1e-3)
    assert all(row["value"] for row in tables["measures.csv"])
    first, second = json.loads((tmp_path / "measure.json").read_text(encoding="utf-8"))["trials"]
    assert first["gait"]["kind"] == "walk"
    assert second["gait"]["stride_length_m"] is None
    assert second["gait"]["in_place"] is True
    assert first["angles"]["left_knee_flexion"]["uncertainty_90_deg"] > 0


@pytest.mark.slow
def test_the_page_has_every_trial_and_a_picture(trials, tmp_path):
    write_page(tmp_path, [replace(trial, name=f"<i>{trial.name}") for trial in trials.values()])
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "&lt;i&gt;" in page, "names cannot become markup"
    assert page.count("data:image/png;base64,") == 2
    assert page.count("typically developing children") == 2, "the normal bands are credited"
    assert '<th scope="col" class="label">angle</th><th scope="col">lowest °</th>' in page, "as their columns"
    for name in ("All trials", "Segments in space", "between pelvis, hips and lumbar spine"):
        assert name in page
    head, _, over, belt = trials_table(list(trials.values())).splitlines()
    assert head.endswith("| ± of the size % (90 %) |")
    assert over.endswith("| 16 |")
    assert belt.endswith("| 0 |")


def test_without_matplotlib_the_page_says_what_draws_the_plots(trials, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_page(tmp_path, list(trials.values()))
    page = unescape((tmp_path / PAGE).read_text(encoding="utf-8"))
    assert page.count("not drawn: matplotlib is not installed; run: pip install 'poselift[plots]'") == 2
    assert "Segments in space" in page


@pytest.mark.slow
@pytest.mark.parametrize("world", [True, False])
def test_the_command_prints_and_writes_everything(world, stored, tmp_path):
    stored.lift("--out", tmp_path / "walk", "--no-render", *(["--world"] if world else []))
    (tmp_path / ".out.a1b2c3d4").mkdir()  # of a killed process
    ran = poselift("measure", tmp_path / "walk" / "person_1.npz", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert not (tmp_path / ".out.a1b2c3d4").exists()
    assert "| left knee flexion |" in ran.out
    assert ("lift with --world" in ran.out) == (not world)
    (trial,) = json.loads((tmp_path / "out" / "measure.json").read_text(encoding="utf-8"))["trials"]
    for shown in (ran.out, (tmp_path / "out" / PAGE).read_text(encoding="utf-8")):
        assert ("Floor angle" in shown) == (len(trial["floors"]) == 1) == world
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted([*NAMES, PAGE])


@pytest.mark.slow
def test_times_count_from_the_first_frame_of_the_run(tmp_path):
    walk = walker()
    times, place = walk.timestamps + 9, tmp_path / "walk" / "person_1.npz"
    late = replace(walk, timestamps=times, keypoints=replace(walk.keypoints, timestamps=times))
    write_motion(place, late, extra={"start_s": 7.0})
    assert poselift("measure", place, "--out", tmp_path / "out").code == 0
    with open(tmp_path / "out" / "events.csv", encoding="utf-8", newline="") as file:
        found = [float(row["time_s"]) for row in csv.DictReader(file)]
    np.testing.assert_allclose(found, [2 + time for time, _, _ in measure_gait(walk).events], atol=1e-4)


def test_lengths_without_a_known_height_have_its_doubt():
    share = {}
    for spread, origin in ((0.0, "given"), (0.17, "estimated")):
        gait = measure_gait(walker(height=Height(1.7, spread, origin)))
        value = summarise_gait(gait)["left_step_length_m"]
        half, source = find_half(gait, "left_step_length_m")
        share[origin] = half / value
        assert source == "repeated trials"
    assert share["given"] == pytest.approx(1.645 * WALKING["step_length_m"], rel=1e-3)
    assert share["estimated"] == pytest.approx(np.hypot(share["given"], 0.1645), rel=1e-3)
    assert find_half(gait, "left_stance_percent")[0] == pytest.approx(1.645 * WALKING["stance_percent"], rel=1e-3)
    assert find_half(gait, "left_swing_percent") == find_half(gait, "left_stance_percent"), "what is left of the stride"
    assert np.isnan(find_half(gait, "flight_percent")[0])
    without = measure_gait(replace(walker(height=Height(1.7, 0.17, "estimated")), uncertainty=None))
    speed, _ = find_half(without, "speed_m_per_s")
    assert speed / summarise_gait(without)["speed_m_per_s"] > 0.1645, "the size is in the speed too"


@pytest.mark.slow
def test_the_report_of_a_walk_prints_as_one_page(tmp_path):
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium is installed")
    write_motion(tmp_path / "walk" / "person_1.npz", walker(height=Height(1.7, 0.0, "given")))
    assert poselift("measure", tmp_path / "walk", "--out", tmp_path / "out", "--reports").code == 0
    (page,) = (tmp_path / "out").glob("report_*.html")
    printed = tmp_path / "report.pdf"
    call = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    subprocess.run([*call, f"--print-to-pdf={printed}", page.as_uri()], check=True, capture_output=True, timeout=120)
    assert len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes())) == 1


@pytest.mark.slow
def test_angles_as_a_gait_laboratory_has_them(tmp_path):
    radii = np.full((120, 17), 0.03, np.float32)
    walk = walker(seconds=4.0, turn=np.pi / 2, uncertainty=radii, height=Height(1.7, 0.0, "given"))
    write_motion(tmp_path / "walk" / "person_1.npz", walk)
    found = {}
    for name, options in (("own", ()), ("theirs", ("--plug-in-gait", "--reports"))):
        ran = poselift("measure", tmp_path / "walk", "--out", tmp_path / name, *options)
        assert ran.code == 0, ran.err
        (found[name],) = json.loads((tmp_path / name / "measure.json").read_text(encoding="utf-8"))["trials"]
    own, theirs = (found[name]["angles"] for name in ("own", "theirs"))
    assert (found["own"]["plug_in_gait"], found["theirs"]["plug_in_gait"]) == (False, True)
    assert "neck_flexion" in own
    assert "neck_flexion" not in theirs
    knees = [each["left_knee_flexion"]["highest_deg"] for each in (own, theirs)]
    assert knees[0] - knees[1] == pytest.approx(DIFFERENCES["knee_flexion"].constants[1], abs=1e-3), "from the side"
    for page in (tmp_path / "theirs" / PAGE, *(tmp_path / "theirs").glob("report_*.html")):
        assert "Angles are as Plug-in Gait has them" in page.read_text(encoding="utf-8")
    ran = poselift("measure", tmp_path / "walk", "--plug-in-gait", "--movement", "jumps")
    assert ran.code == 2
    assert "--plug-in-gait is for the angles of a walk" in ran.err


@pytest.mark.slow
def test_somebody_without_a_pose_is_left_out(walk, tmp_path):
    shutil.copytree(walk, tmp_path / "walk")
    one, two = tmp_path / "walk" / "person_1.npz", tmp_path / "walk" / "person_2.npz"
    emptied(one)
    ran = poselift("measure", one, two)
    assert ran.code == 0, ran.err
    assert f"{one} is left out: no frame has a pose" in ran.out
    assert f"## {two}" in ran.out


@pytest.mark.parametrize(
    ("movement", "words"),
    [
        ("balance", "sway needs somebody who stands; the person moves"),
        ("up-and-go", "no timed up and go: the person does not sit at the start and at the end"),
    ],
)
def test_a_walk_is_no_other_movement(movement, words, tmp_path):
    write_motion(tmp_path / "person_1.npz", walker())
    ran = poselift("measure", tmp_path / "person_1.npz", "--movement", movement)
    assert ran.code == 2
    assert words in ran.err


def test_several_cameras_have_no_constants_of_one(tmp_path):
    write_motion(tmp_path / "person_1.npz", walker(), [camera_for((640, 480)).with_pose(np.eye(3), np.zeros(3))] * 2)
    ran = poselift("measure", tmp_path / "person_1.npz", "--plug-in-gait")
    assert ran.code == 2
    assert "2 cameras saw it, and --plug-in-gait takes off what one camera errs by" in ran.err
