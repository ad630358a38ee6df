import dataclasses

import numpy as np
import pytest
from scipy.io import netcdf_file

from poselift.core.errors import InputError
from poselift.export import write_angles_mot
from poselift.export.bvh import write_bvh
from poselift.export.c3d import write_c3d
from poselift.export.formats import FORMATS
from poselift.export.markers import markers
from poselift.export.netcdf import write_netcdf
from poselift.export.parquet import write_parquet
from poselift.export.table import columns
from poselift.export.trc import write_trc
from poselift.kinematics import solve
from poselift.skeleton import COCO17
from tests.kinematics.conftest import pose, turn


def emptied(motion, frames):
    joints, root = motion.joints.copy(), motion.root.copy()
    joints[frames], root[frames] = np.nan, np.nan
    return dataclasses.replace(motion, joints=joints, root=root)


def test_markers_at_uneven_times_are_even_and_keep_gaps(motion):
    found = markers([motion])
    assert found.resampled
    assert np.allclose(np.diff(found.times), 1 / found.rate)
    expected = 1000 * (motion.joints[0] + motion.root[0]) * [1, -1, -1]
    np.testing.assert_allclose(found.positions[0], expected, rtol=1e-5)
    assert np.isnan(found.positions).any()


def test_trc_has_millimetres_and_nan_in_gaps(tmp_path):
    walk = emptied(pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20), [4])
    write_trc(tmp_path / "a.trc", [walk])
    lines = (tmp_path / "a.trc").read_text().splitlines()
    assert lines[0].split("\t") == ["PathFileType", "4", "(X/Y/Z)", "a.trc"]
    assert lines[2].split("\t")[:5] == ["30", "30", "20", "28", "mm"]
    assert lines[3].split("\t")[2::3] == list(walk.skeleton.joints)
    rows = np.array([[float(cell) for cell in line.split("\t")] for line in lines[6:]])
    assert rows.shape == (20, 2 + 3 * 28)
    assert np.isnan(rows[4, 2:]).all()
    np.testing.assert_allclose(rows[7, 2:].reshape(-1, 3), 1000 * walk.joints[7], atol=1e-3)


def test_c3d_reads_back_with_the_uncertainty_as_residual(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    radii = np.full((20, 28), 0.05, np.float32)
    walk = emptied(pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20, uncertainty=radii), [4])
    write_c3d(tmp_path / "a.c3d", [walk])
    file = ezc3d.c3d(str(tmp_path / "a.c3d"))
    assert file["parameters"]["POINT"]["LABELS"]["value"] == list(walk.skeleton.joints)
    assert file["parameters"]["POINT"]["RATE"]["value"][0] == pytest.approx(30)
    points = file["data"]["points"][:3].transpose(2, 1, 0)
    np.testing.assert_allclose(points[7], 1000 * walk.joints[7], atol=1e-3)
    assert np.isnan(points[4]).all()
    residuals = file["data"]["meta_points"]["residuals"][0]
    assert (residuals[:, 4] == -1).all()
    np.testing.assert_allclose(residuals[:, 5], 50, atol=0.5)


def read_bvh(path):
    """Names, offsets, parents, and positions of each frame, by the definition of the format."""
    words = iter(path.read_text().split())
    names, parents, offsets, stack = [], [], [], []
    for word in words:
        if word in ("ROOT", "JOINT"):
            names.append(next(words))
            parents.append(stack[-1] if stack else -1)
            offsets.append(None)
            pending = len(names) - 1
        elif word == "End":
            next(words)
            pending = None
        elif word == "{":
            stack.append(pending)
        elif word == "}":
            stack.pop()
        elif word == "OFFSET":
            offset = np.array([float(next(words)) for _ in range(3)])
            if stack[-1] is not None:
                offsets[stack[-1]] = offset
        elif word == "MOTION":
            break
    _, count, _, _, interval = (next(words) for _ in range(5))
    table = np.array([float(word) for word in words]).reshape(int(count), -1)
    angles = table[:, 3:].reshape(len(table), -1, 3)
    places = []
    turned = []
    for joint, (parent, offset) in enumerate(zip(parents, offsets, strict=True)):
        z, x, y = angles[:, joint].T
        local = (turn("z", z) @ turn("x", x) @ turn("y", y)).numpy()
        turned.append(local if parent < 0 else turned[parent] @ local)
        places.append(table[:, :3] if parent < 0 else places[parent] + turned[parent] @ offset)
    return names, float(interval), np.stack(places, 1), angles


def test_bvh_puts_joints_where_the_rig_has_them_and_angles_are_continuous(tmp_path):
    knee, spin = turn("x", np.linspace(0, 100, 90)), turn("y", np.linspace(0, 700, 90))
    motion = pose({"left_knee": knee, "left_shoulder": turn("z", np.linspace(0, 175, 90)), "pelvis": spin}, 90)
    rigged = solve(motion)
    write_bvh(tmp_path / "a.bvh", motion)
    names, interval, places, angles = read_bvh(tmp_path / "a.bvh")
    assert interval == pytest.approx(1 / 30)
    order = [rigged.rig.names.index(name) for name in names]
    assert sorted(order) == list(range(28))
    np.testing.assert_allclose(places / 100, rigged.positions()[:, order], atol=1e-4)
    root = angles[:, names.index("pelvis")]
    assert np.abs(np.diff(root, axis=0)).max() < 20


def test_bvh_repeats_the_last_pose_in_gaps(tmp_path):
    motion = pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20)
    write_bvh(tmp_path / "a.bvh", emptied(motion, [0, 4, 5]))
    _, _, places, _ = read_bvh(tmp_path / "a.bvh")
    assert np.isfinite(places).all()
    np.testing.assert_array_equal(places[4], places[3])
    np.testing.assert_array_equal(places[0], places[1])


def test_mot_has_the_columns_of_its_header(tmp_path):
    write_angles_mot(tmp_path / "a.mot", emptied(pose({"left_knee": turn("x", np.linspace(0, 90, 20))}, 20), [4]))
    head, table = (tmp_path / "a.mot").read_text().split("endheader\n")
    lines = table.splitlines()
    assert "nRows=19" in head
    assert f"nColumns={len(lines[0].split())}" in head
    values = dict(zip(lines[0].split(), map(float, lines[-1].split()), strict=True))
    assert values["knee_angle_l"] == pytest.approx(90, abs=0.5)
    assert values["knee_angle_r"] == pytest.approx(0, abs=0.5)


@pytest.mark.parametrize("name", FORMATS)
def test_a_motion_without_poses_is_refused_and_leaves_no_file(name, tmp_path):
    pytest.importorskip({"c3d": "ezc3d", "parquet": "pyarrow"}.get(name, "numpy"))
    if name == "csv":
        pytest.skip("a table of empty rows is what csv has for it")
    with pytest.raises(InputError, match="no frame with a pose"):
        FORMATS[name].write(tmp_path / "a", [emptied(pose(), slice(None))])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_single_frame_is_written(name, tmp_path):
    pytest.importorskip({"c3d": "ezc3d", "parquet": "pyarrow"}.get(name, "numpy"))
    path = tmp_path / f"a{FORMATS[name].ending}"
    FORMATS[name].write(path, [pose(frames=1)])
    assert path.stat().st_size > 0


def test_parquet_has_the_columns_of_the_table_and_nulls(tmp_path, world_motion):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_parquet(tmp_path / "a.parquet", [world_motion])
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.column_names == ["person", *columns(world_motion)]
    assert table["person"].to_pylist() == [3] * 6
    assert table["interpolated"].to_pylist() == world_motion.interpolated.tolist()
    assert table["left_knee_y_m"][4].as_py() is None
    knee = world_motion.joints[:4, world_motion.skeleton.index("left_knee"), 1]
    np.testing.assert_array_equal(table["left_knee_y_m"][:4].to_numpy(), knee)
    assert table.schema.metadata[b"frame"] == b"world"


def test_netcdf_has_the_layout_of_movement(tmp_path, world_motion):
    write_netcdf(tmp_path / "a.nc", [world_motion])
    with netcdf_file(tmp_path / "a.nc", mmap=False) as file:
        position, confidence = file.variables["position"], file.variables["confidence"]
        assert position.dimensions == ("time", "space", "keypoints", "individuals")
        assert confidence.dimensions == ("time", "keypoints", "individuals")
        placed = (world_motion.joints + world_motion.root[:, None]).swapaxes(1, 2)
        np.testing.assert_array_equal(position[..., 0], placed)
        names = [bytes(row).rstrip(b"\0").decode() for row in file.variables["keypoints"][:]]
        assert names == list(world_motion.skeleton.joints)
        hip, knee = world_motion.skeleton.index("left_hip"), COCO17.index("left_hip")
        np.testing.assert_array_equal(confidence[:, hip, 0], world_motion.keypoints.scores[:, knee])
        assert np.isnan(confidence[:, world_motion.skeleton.index("spine")]).all()
        assert (file.ds_type, file.time_unit, file.frame) == (b"poses", b"seconds", b"world")


def test_xarray_reads_the_names(tmp_path, world_motion):
    xarray = pytest.importorskip("xarray")
    write_netcdf(tmp_path / "a.nc", [world_motion])
    with xarray.open_dataset(tmp_path / "a.nc", engine="scipy") as data:
        ankle = data.position.sel(keypoints="left_ankle", space="y", individuals="person_3")
        row = world_motion.skeleton.index("left_ankle")
        np.testing.assert_array_equal(ankle, world_motion.joints[:, row, 1] + world_motion.root[:, 1])
        np.testing.assert_array_equal(data.time, world_motion.timestamps)
        assert data.fps == pytest.approx(30, rel=0.2)
