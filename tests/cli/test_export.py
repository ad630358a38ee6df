import json
import shutil
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from poselift.export.export_formats import FORMATS
from poselift.recordings import read_motion
from tests.cli.running import assert_refused, emptied, poselift


@pytest.fixture
def person(walk):
    """A motion that `poselift lift` wrote."""
    return walk / "person_1.npz"


@pytest.mark.slow
def test_every_format_takes_a_folder_whose_name_is_no_utf8(person, tmp_path):
    formats = [name for name, form in FORMATS.items() if form.package is None or find_spec(form.package[0])]
    out = tmp_path / "out\udcff"
    ran = poselift("export", person, "--to", ",".join([*formats, "html"]), "--out", out)
    assert ran.code == 0, ran.err
    assert len(list(out.iterdir())) == len(formats) + 1


@pytest.mark.parametrize("command", ["export", "lift"])
def test_a_format_that_fails_leaves_the_others(command, stored, person, tmp_path, monkeypatch):
    def fail(path, recording, options):
        raise RuntimeError("no words")

    monkeypatch.setitem(FORMATS, "mot", replace(FORMATS["mot"], writer=fail))
    if command == "export":
        ran = poselift("export", person, "--to", "mot,trc,html", "--out", tmp_path / "out")
        assert ran.code == 2
        assert "person_1.mot: no words" in ran.err
    else:
        stored.lift("--out", tmp_path / "out", "--no-render", "--formats", "mot,trc,html")
        assert "mot of person_1: no words" in json.loads((tmp_path / "out" / "summary.json").read_text())["warnings"]
    assert {"person_1.trc", "page.html"} <= {path.name for path in (tmp_path / "out").iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["export --to csv", "measure", "figure --kind skeleton"])
def test_a_folder_stands_for_its_people(command, person, tmp_path):
    name, *options = command.split()
    out = tmp_path / "out.png" if name == "figure" else tmp_path
    ran = poselift(name, person.parent, *options, "--out", out)
    assert ran.code == 0, ran.err
    ran = poselift(name, tmp_path, *options, "--out", out)
    assert (ran.code, f"error: {tmp_path} has no person_*.npz; give a folder" in ran.err) == (2, True)


def test_together_is_one_file_and_z_points_up(person, tmp_path):
    ran = poselift("export", person, "--formats", "trc", "--together", "--up", "z", "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["people.trc"]


def test_two_motions_of_one_name_do_not_overwrite_each_other(person, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(person.parent, other)
    both = [person, other / person.name]
    assert_refused("two folders", "export", *both, "--to", "trc", "--out", tmp_path / "out")
    assert_refused("in 2 folders", "export", *both, "--to", "html", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_somebody_without_a_pose_is_left_out(person, tmp_path):
    folder = tmp_path / "walk"
    shutil.copytree(person.parent, folder)
    one, two = folder / "person_1.npz", folder / "person_2.npz"
    emptied(two)
    ran = poselift("export", one, two, "--to", "trc,html", "--out", tmp_path / "each")
    assert ran.code == 0, ran.err
    assert f"{two} is left out: no frame has a pose" in ran.out
    assert {path.name for path in (tmp_path / "each").iterdir()} == {"person_1.trc", "page.html"}
    assert poselift("export", one, two, "--to", "trc", "--together", "--out", tmp_path / "all").code == 0
    assert_refused("no frame has a pose; choose", "export", two, "--to", "trc", "--out", tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_characters_have_their_bones_rate_and_filter(person, tmp_path):
    pytest.importorskip("pygltflib")
    arguments = ["--to", "bvh,glb", "--rig", "unreal", "--rest", "t", "--fps", "24", "--smooth", "6"]
    ran = poselift("export", person, *arguments, "--out", tmp_path / "a")
    assert ran.code == 0, ran.err
    text = (tmp_path / "a" / "person_1.bvh").read_text()
    assert "JOINT clavicle_l" in text
    assert "Frame Time: 0.04166667" in text
    poselift("export", person, "--to", "csv", "--fps", "24", "--out", tmp_path / "raw")
    poselift("export", person, "--to", "csv", "--fps", "24", "--smooth", "3", "--out", tmp_path / "smooth")
    raw, smooth = (
        np.genfromtxt(tmp_path / name / "person_1.csv", delimiter=",", names=True) for name in ("raw", "smooth")
    )
    np.testing.assert_allclose(raw["time_s"] * 24, np.round(raw["time_s"] * 24), atol=1e-4)
    jerks = [np.abs(np.diff(values["left_wrist_x_m"], 2)).mean() for values in (raw, smooth)]
    assert jerks[1] < 0.9 * jerks[0]


def test_whole_frames_count_from_the_start_of_the_run(person, tmp_path):
    path = tmp_path / "person_1.npz"
    shutil.copy(person, path)
    about = json.loads(person.with_suffix(".json").read_text())
    path.with_suffix(".json").write_text(json.dumps(about | {"start_s": -0.013}))
    ran = poselift("export", path, "--to", "csv", "--fps", "24")
    assert ran.code == 0, ran.err
    times = np.genfromtxt(tmp_path / "person_1.csv", delimiter=",", names=True)["time_s"]
    np.testing.assert_allclose(times * 24, np.round(times * 24), atol=1e-4)


def test_both_commands_smooth_and_say_so(stored, person, tmp_path):
    stored.lift("--out", tmp_path / "walk", "--no-render", "--smooth", "3")
    out = tmp_path / "smooth.npz"
    ran = poselift("smooth", person, "--cutoff", "3", "--out", out)
    assert ran.code == 0, ran.err
    for smooth in (tmp_path / "walk" / "person_1.npz", out):
        raw, now = (np.abs(np.diff(read_motion(path).joints, 2, axis=0)).mean() for path in (person, smooth))
        assert now < 0.9 * raw
        about = json.loads(smooth.with_suffix(".json").read_text())
        assert about["filters"] == [{"name": "Butterworth, dual pass", "order": 4, "cutoff_hz": 3.0}]


def test_npz_is_no_format_to_ask_for_and_no_error(stored, person, tmp_path):
    stored.lift("--out", tmp_path / "walk", "--no-render", "--no-csv", "--formats", "npz,json,trc")
    files = json.loads((tmp_path / "walk" / "summary.json").read_text())["files"]
    assert {path.rpartition(".")[2] for path in files} == {"npz", "json", "trc"}
    stored.lift("--out", tmp_path / "plain", "--no-render", "--formats", "npz")
    assert_refused("the motions are npz and JSON already; name another format", "export", person, "--to", "npz")


@pytest.mark.slow
def test_lift_writes_formats_and_replaces_those_of_the_run_before(stored, tmp_path):
    out = tmp_path / "walk"
    stored.lift("--out", out, "--no-render", "--formats", "trc,bvh,csv,html")
    files = json.loads((out / "summary.json").read_text())["files"]
    assert sorted([*files, "summary.json"]) == sorted(path.name for path in out.iterdir())
    assert {"person_1.trc", "person_1.bvh", "page.html"} <= set(files)
    (out / "person_1.mot").write_text("of poselift export")
    stored.lift("--out", out, "--no-render", "--formats", "trc")
    names = {path.name for path in out.iterdir()}
    assert {"person_1.trc", "person_1.mot"} <= names
    assert not {"person_1.bvh", "page.html"} & names
    refused = stored.run("--out", out, "--no-render", "--formats", "mot")
    assert "person_1.mot does not come from an earlier run" in refused.err


def test_the_height_that_was_given_is_read_back(stored, tmp_path):
    stored.lift("--out", tmp_path / "walk", "--no-render", "--height", "1:1.8")
    height = read_motion(tmp_path / "walk" / "person_1.npz").height
    assert (height.metres, height.origin) == (1.8, "given")
    sidecar = tmp_path / "walk" / "person_1.json"
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"height": {"metres": "tall"}}))
    assert_refused("the key 'origin' is missing", "export", sidecar.with_suffix(".npz"), "--to", "trc")


def test_a_recording_of_everybody(stored, tmp_path):
    pytest.importorskip("rerun", reason="rerun-sdk is not installed")
    out, first, second = tmp_path / "walk", tmp_path / "a.rrd", tmp_path / "people.rrd"
    stored.lift("--out", out, "--no-render", "--rerun", first)
    people = sorted(out.glob("person_*.npz"))
    ran = poselift("export", *people, "--to", "rerun", "--together", "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert first.stat().st_size == pytest.approx(second.stat().st_size, rel=0.01)
    assert len(people) == 2


@pytest.mark.parametrize(("name", "message"), [("a.rrd", "pip install 'poselift[rerun]'"), ("a.mp4", "ends in .rrd")])
def test_a_recording_that_cannot_be_written_stops_before_the_work(name, message, stored, tmp_path, monkeypatch):
    monkeypatch.setattr("poselift.core.optional.importlib.util.find_spec", lambda name: None)
    ran = stored.run("--out", tmp_path / "walk", "--rerun", tmp_path / name)
    assert (ran.code, message in ran.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("key", "value", "message"), [("note", float("nan"), "NaN"), ("filters", 5, "filters 5 is not a list of groups")]
)
def test_smooth_writes_both_files_or_none(key, value, message, person, tmp_path):
    """An npz of 3 Hz stood beside a JSON that said 6 Hz."""
    given = tmp_path / "person_1.npz"
    shutil.copy(person, given)
    about = json.loads(person.with_suffix(".json").read_text())
    given.with_suffix(".json").write_text(json.dumps({**about, key: value}))
    out = tmp_path / "smooth.npz"
    poselift("smooth", person, "--cutoff", "6", "--out", out)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert_refused(message, "smooth", given, "--cutoff", "3", "--out", out)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
