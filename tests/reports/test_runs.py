"""Evaluations are read as they were written, and anything else is refused by name."""

import json

import pytest

from poselift.core.errors import InputError
from poselift.reports.runs import read_runs
from tests.reports.results import poses, results, write


def test_folders_and_files_are_read_once(tmp_path):
    write(tmp_path / "a", results(name="one"))
    write(tmp_path / "b", results(name="two"))
    runs = read_runs([tmp_path / "b", tmp_path / "a" / "metrics.json", str(tmp_path / "a")])
    assert [run.name for run in runs] == ["two", "one"]
    assert runs[0].results == results(name="two")


def test_texts_that_no_page_can_show_are_escaped(tmp_path):
    content = results(name="a\ud800\0")
    content["model"] = {"name": "L", "config": {}, "window": 9, "weights": "a\udcff.safetensors", "sha256": ""}
    (run,) = read_runs([write(tmp_path, content)])
    assert run.name == r"a\ud800\x00"
    assert run.results["model"]["weights"] == "a\udcff.safetensors"


def test_a_metric_may_have_no_joints(tmp_path):
    content = results()
    content["metrics"]["mpjpe"]["joints"] = None
    content["metrics"]["mpjpe"]["groups"]["29"] = None
    (run,) = read_runs([write(tmp_path, content)])
    assert run.results == content


def test_nothing_to_read(tmp_path):
    with pytest.raises(InputError, match="no run is given"):
        read_runs([])
    with pytest.raises(InputError, match=r"no such file: .*metrics\.json; give a folder that poselift evaluate"):
        read_runs([tmp_path])
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match=r"other/metrics\.json, .*x\.json; .*, and leave these out"):
        read_runs([tmp_path / "other", tmp_path / "x.json"])


@pytest.mark.parametrize("text", ["{", '{"a": NaN}', "[1, 2]"])
def test_other_files_are_refused(text, tmp_path):
    (tmp_path / "metrics.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"metrics\.json (is not|cannot be read)"):
        read_runs([tmp_path])


def _set(*keys):
    """Sets the last key of a path to a value; deletes it where the value is `...`."""
    *path, last, value = keys

    def change(content):
        for key in path:
            content = content[key]
        if value is ...:
            del content[last]
        else:
            content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("version", 2), "has version 2, not 1; run poselift evaluate again"),
        (_set("metrics", "mpjpe", "unit", ...), r"metrics\.mpjpe\.unit is missing"),
        (_set("protocol", "../x"), "'../x' cannot be the name of a protocol"),
        (_set("curves", "pdj", "mean", [1.0]), r"lists of curves\.pdj are not of one length"),
        (_set("poses", [{"kind": "best"}]), r"an entry of poses\.view is missing"),
        (_set("poses", [{**poses(50.0)[0], "prediction": [[0.0, "1", 0.0]] * 17}]), "prediction of a pose must be"),
    ],
)
def test_what_is_wrong_is_named(change, message, tmp_path):
    content = json.loads(json.dumps(results()))
    change(content)
    write(tmp_path, content)
    with pytest.raises(InputError, match=message):
        read_runs([tmp_path])
