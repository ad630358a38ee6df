import dataclasses
from xml.etree import ElementTree

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export.opensim import write_opensim
from poselift.skeleton import CMU28, H36M17
from poselift.structures import Height
from tests.kinematics.conftest import pose, turn

ROOT = np.column_stack([np.linspace(6, 9, 20), np.full(20, 3.0), np.full(20, 8.0)])


@pytest.fixture(params=[CMU28, H36M17], ids=lambda skeleton: skeleton.name)
def walk(request):
    """A bending knee, 8 m from the origin, with an empty frame."""
    motion = pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20, skeleton=request.param, root=ROOT)
    joints, root = motion.joints.copy(), motion.root.copy()
    joints[4], root[4] = np.nan, np.nan
    return dataclasses.replace(motion, joints=joints, root=root)


def read_trc(path):
    lines = path.read_text().splitlines()
    rows = np.array([[float(cell) for cell in line.split("\t")] for line in lines[6:]])
    return lines[3].split("\t")[2::3], rows[:, 1], rows[:, 2:].reshape(len(rows), -1, 3)


@pytest.mark.parametrize("frame", ["world", "camera"])
def test_the_markers_are_near_the_origin_without_empty_frames(tmp_path, walk, frame):
    write_opensim(tmp_path / "a.opensim", dataclasses.replace(walk, frame=frame))
    _, times, points = read_trc(tmp_path / "a.opensim" / "a.trc")
    np.testing.assert_allclose(times, np.delete(np.arange(20), 4) / 30, atol=1e-6)
    assert points[..., 1].min() == pytest.approx(0, abs=0.01)
    np.testing.assert_allclose(points.min((0, 1))[[0, 2]], -points.max((0, 1))[[0, 2]], atol=0.01)


def test_the_setups_name_markers_of_the_trc_and_files_of_the_folder(tmp_path, walk):
    write_opensim(tmp_path / "a.opensim", walk)
    folder = tmp_path / "a.opensim"
    names, times, _ = read_trc(folder / "a.trc")
    scale, tracking, placed = (
        ElementTree.parse(folder / f"{name}.xml").getroot() for name in ("scale", "inverse_kinematics", "markers")
    )
    assert [marker.get("name") for marker in placed.iter("Marker")] == names
    assert [task.get("name") for task in tracking.iter("IKMarkerTask")] == names
    pairs = [pair.text.split() for pair in scale.iter("markers")]
    assert {joint for pair in pairs for joint in pair} <= set(names)
    scaled = {(body.get("name"), axis) for body in scale.iter("BodyScale") for axis in body.findtext("axes").split()}
    assert {(f"femur_{side}", axis) for side in "lr" for axis in "XYZ"} <= scaled
    assert (("calcn_r", "X") in scaled) == ("left_heel" in names)
    for setup in (scale, tracking):
        assert next(setup.iter("marker_file")).text == "a.trc"
        assert [float(time) for time in next(setup.iter("time_range")).text.split()] == [times[0], times[-1]]
    assert next(scale.iter("output_model_file")).text == next(tracking.iter("model_file")).text


def test_the_height_is_in_the_setup_of_scaling(tmp_path, walk):
    write_opensim(tmp_path / "a.opensim", dataclasses.replace(walk, height=Height(1.72, 0.0, "given")))
    root = ElementTree.parse(tmp_path / "a.opensim" / "scale.xml").getroot()
    assert next(root.iter("height")).text == "1720.0"


def test_a_failure_leaves_the_folder_and_its_files_as_they_were(tmp_path, walk, monkeypatch):
    folder = tmp_path / "a.opensim"
    write_opensim(folder, walk)
    (folder / "scaled.osim").write_text("mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail(*_):
        raise InputError("no room")

    monkeypatch.setattr("poselift.export.opensim.write_angles_mot", fail)
    with pytest.raises(InputError, match="no room"):
        write_opensim(folder, dataclasses.replace(walk, root=walk.root + 1))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.opensim"]
