import dataclasses
from xml.etree import ElementTree

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export.angle_files import write_angles_mot
from poselift.export.opensim import write_opensim
from poselift.skeleton import CMU28, H36M17
from poselift.structures import Height
from tests.export.conftest import emptied, read_trc, recording_of
from tests.kinematics.conftest import pose, turn

pytestmark = pytest.mark.many_calls

ROOT = np.column_stack([np.linspace(6, 9, 20), np.full(20, 3.0), np.full(20, 8.0)])


@pytest.fixture(params=[CMU28, H36M17], ids=lambda skeleton: skeleton.name)
def walk(request):
    """A bending knee, 8 m from the origin, with an empty frame."""
    knee = turn("x", np.linspace(0, 90, 20))
    return emptied(pose({"left_knee": knee}, 20, skeleton=request.param, root=ROOT), 4)


@pytest.mark.parametrize("frame", ["world", "camera"])
def test_the_markers_are_near_the_origin_without_empty_frames(tmp_path, walk, frame):
    write_opensim(tmp_path / "a.opensim", recording_of([dataclasses.replace(walk, frame=frame)]))
    _, times, points = read_trc(tmp_path / "a.opensim" / "a.trc")
    np.testing.assert_allclose(times, np.delete(np.arange(20), 4) / 30, atol=1e-6)
    assert points[..., 1].min() == pytest.approx(0, abs=0.01)
    np.testing.assert_allclose(points.min((0, 1))[[0, 2]], -points.max((0, 1))[[0, 2]], atol=0.01)


def test_the_setups_name_markers_of_the_trc_and_files_of_the_folder(tmp_path, walk):
    write_opensim(tmp_path / "a.opensim", recording_of([walk]))
    folder = tmp_path / "a.opensim"
    names, times, _ = read_trc(folder / "a.trc")
    scale, tracking, placed = (
        ElementTree.parse(folder / f"{name}.xml").getroot() for name in ("scale", "inverse_kinematics", "markers")
    )
    assert [marker.get("name") for marker in placed.iter("Marker")] == names
    across = {marker.get("name"): float(marker.findtext("location").split()[2]) for marker in placed.iter("Marker")}
    assert all(across[f"left_{name[6:]}"] == -z for name, z in across.items() if name.startswith("right_"))
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


@pytest.mark.parametrize("heading", [0.0, 90.0, -120.0])
def test_pelvis_tilt_and_list_do_not_depend_on_the_heading(tmp_path, heading):
    """A person who leans ahead by 20 degrees tilts by -20 in the model, wherever the person faces."""
    write_angles_mot(tmp_path / "a.mot", recording_of([pose(world=turn("y", heading) @ turn("x", 20.0))]))
    lines = (tmp_path / "a.mot").read_text().splitlines()
    table = dict(zip(lines[6].split("\t"), map(float, lines[7].split("\t")), strict=True))
    for name, degrees in (("pelvis_tilt", -20), ("pelvis_list", 0), ("pelvis_rotation", 0)):
        assert table[name] == pytest.approx(degrees, abs=0.1)


def test_the_height_is_in_the_setup_of_scaling(tmp_path, walk):
    write_opensim(tmp_path / "a.opensim", recording_of([dataclasses.replace(walk, height=Height(1.72, 0.0, "given"))]))
    root = ElementTree.parse(tmp_path / "a.opensim" / "scale.xml").getroot()
    assert next(root.iter("height")).text == "1720.0"


@pytest.mark.parametrize("hidden", [True, False])
def test_the_torso_is_scaled_with_and_without_a_spine_that_keypoints_show(tmp_path, walk, hidden):
    if hidden:  # as by a detector of COCO-17
        scores = walk.keypoints.scores.copy()
        scores[:, walk.keypoints.skeleton.indices(["spine", "thorax"])] = 0
        walk = dataclasses.replace(walk, keypoints=dataclasses.replace(walk.keypoints, scores=scores))
    write_opensim(tmp_path / "a.opensim", recording_of([walk]))
    root = ElementTree.parse(tmp_path / "a.opensim" / "scale.xml").getroot()
    pairs = {
        pair.text
        for measurement in root.iter("Measurement")
        if any(body.get("name") == "torso" and "Y" in body.findtext("axes") for body in measurement.iter("BodyScale"))
        for pair in measurement.iter("markers")
    }
    assert pairs == ({"pelvis neck_base"} if hidden else {"spine thorax", "spine neck_base"})


def test_a_failure_leaves_the_folder_and_its_files_as_they_were(tmp_path, walk, monkeypatch):
    folder = tmp_path / "a.opensim"
    write_opensim(folder, recording_of([walk]))
    (folder / "scaled.osim").write_text("mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail(*_):
        raise InputError("no room")

    monkeypatch.setattr("poselift.export.opensim.write_coordinates", fail)
    with pytest.raises(InputError, match="no room"):
        write_opensim(folder, recording_of([dataclasses.replace(walk, root=walk.root + 1)]))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.opensim"]
