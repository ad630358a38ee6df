from dataclasses import replace
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


@pytest.fixture
def model():
    """Pose2Sim's, for OpenSim."""
    pytest.importorskip("opensim", reason="the package opensim is not installed")
    try:
        return find_model("pose2sim")
    except InputError:
        pytest.skip("pose2sim, which brings a model, is not installed")


def _upright_walker():
    """The made walker with the trunk of the body that the markers are of: its own pelvis lies between the hips."""
    motion = walker(seconds=0.5)
    joints = motion.joints.copy()
    places = {"pelvis": (0.096, -0.044), "spine": (0.23, -0.02), "thorax": (0.42, -0.03), "neck_base": (0.62, -0.04)}
    for name, (up, ahead) in places.items():
        joints[:, motion.skeleton.index(name)] = [0.0, up, ahead]
    return replace(motion, joints=joints)


def test_walks_are_solved_with_small_marker_errors(tmp_path, model, capfd):
    for name in ("first", "second"):
        write_opensim(tmp_path / name, recording_of([_upright_walker()]))
        errors = run_opensim(tmp_path / name, model)
        assert errors.frames == 15
        assert errors.mean < 0.025
        assert errors.worst >= errors.mean
        assert (tmp_path / name / "inverse_kinematics.mot").is_file()
        assert "completed 15 frames" in (tmp_path / name / "opensim.log").read_text(encoding="utf-8")
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "")


def test_a_model_of_other_bodies_gets_one_line(tmp_path, model):
    other = tmp_path / "other.osim"
    for text, said in (
        ('<OpenSimDocument Version="40000"><Model name="empty"></Model></OpenSimDocument>', "/bodyset/pelvis"),
        ("no model", "Xml"),
    ):
        other.write_text(text, encoding="utf-8")
        write_opensim(tmp_path / "walk", recording_of([walker(seconds=0.2)]))
        with pytest.raises(InputError, match=f"OpenSim cannot use .*{said}.*bodies must be those of") as error:
            run_opensim(tmp_path / "walk", other)
        assert "\n" not in str(error.value)
