from pathlib import Path

import pytest

from poselift.core.errors import InputError
from poselift.export.opensim import write_opensim
from poselift.export.opensim_run import find_model, run_opensim
from tests.export.conftest import recording_of
from tests.kinematics.walker import walker


def test_a_model_that_is_not_there_gets_one_line(tmp_path):
    with pytest.raises(InputError, match=r"no such file; give Rajagopal2015.osim"):
        find_model(str(tmp_path / "none.osim"))
    (tmp_path / "model.xml").write_text("<a/>", encoding="utf-8")
    with pytest.raises(InputError, match=r"ends with .osim"):
        find_model(str(tmp_path / "model.xml"))
    (tmp_path / "model.osim").write_text("<a/>", encoding="utf-8")
    assert find_model(str(tmp_path / "model.osim")).name == "model.osim"


def test_the_model_of_a_package_that_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match="pose2sim is not installed"):
        find_model("pose2sim")
    with pytest.raises(InputError, match=r"pip install 'poselift\[opensim\]'"):
        run_opensim(Path(), Path())


def test_a_walk_is_solved_with_small_marker_errors(tmp_path):
    pytest.importorskip("opensim", reason="the package opensim is not installed")
    try:
        model = find_model("pose2sim")
    except InputError:
        pytest.skip("pose2sim, which brings a model, is not installed")
    write_opensim(tmp_path / "walk", recording_of([walker(seconds=1.0)]))
    errors = run_opensim(tmp_path / "walk", model)
    assert errors.frames == 30
    assert errors.mean < 0.03
    assert (tmp_path / "walk" / "inverse_kinematics.mot").is_file()
