import h5py
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export.netcdf import write_netcdf
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17
from tests.export.conftest import recording_of
from tests.kinematics.conftest import pose

PEOPLE = ["id_0", "id_1"]


@pytest.fixture
def points(body):
    """Two people in four frames; (frames, people, joints, 3)."""
    found = np.array([[body(17, 10 * frame + person) for person in range(2)] for frame in range(4)])
    found[2, 1] = np.nan
    return found


def arrays(points, space=("x", "y")):
    """movement's variables with the names of their dimensions."""
    dims = ("time", "space", "keypoints", "individuals")
    return {
        "position": (dims, points[..., : len(space)].transpose(0, 3, 2, 1)),
        "confidence": ((dims[0], *dims[2:]), points[..., 2].transpose(0, 2, 1)),
        "time": (dims[:1], np.arange(len(points)) / 25),
        "space": (dims[1:2], list(space)),
        "keypoints": (dims[2:3], list(COCO17.joints)),
        "individuals": (dims[3:], PEOPLE),
    }


def with_h5py(path, content, unit):
    """netCDF 4, as the netCDF library writes it: HDF5 whose dimensions have scales."""
    with h5py.File(path, "w") as file:
        for name, (_, values) in content.items():
            text = isinstance(values[0], str)
            file.create_dataset(name, data=values, dtype=h5py.string_dtype() if text else None)
        for name, (dims, _) in content.items():
            if dims == (name,):
                file[name].make_scale(name)
        for name in ("position", "confidence"):
            for place, dim in enumerate(content[name][0]):
                file[name].dims[place].attach_scale(file[dim])
        file.attrs["time_unit"] = unit


@pytest.mark.parametrize("unit", ["seconds", "frames"])
def test_points_scores_people_and_times_are_those_of_the_file(tmp_path, points, unit):
    with_h5py(tmp_path / "poses.nc", arrays(points), unit)
    file = read_keypoints(tmp_path / "poses.nc")
    assert (file.format, file.skeleton, file.people) == ("movement", COCO17, {"id_0": 1, "id_1": 2})
    assert [len(there) for there in file.frames.values()] == [2, 2, 1, 2]
    np.testing.assert_array_equal(file.frames[3][1].points, points[3, 1, :, :2])
    np.testing.assert_array_equal(file.frames[3][1].scores, points[3, 1, :, 2])
    assert file.timestamps == ({n: n / 25 for n in range(4)} if unit == "seconds" else None)


def test_3d_is_refused(tmp_path, points):
    with_h5py(tmp_path / "a.nc", arrays(points, ("x", "y", "z")), "seconds")
    write_netcdf(tmp_path / "b.nc", recording_of([pose()]))
    for name in ("a.nc", "b.nc"):
        with pytest.raises(InputError, match=f"{name}: its positions have the axes x, y, z, so they are not 2D"):
            read_keypoints(tmp_path / name)


def test_times_that_are_no_numbers(tmp_path, points):
    with_h5py(tmp_path / "a.nc", {**arrays(points), "time": (("time",), ["a", "b", "c", "d"])}, "seconds")
    with pytest.raises(InputError, match=r"a\.nc: 'time' does not increase from frame to frame; save the dataset"):
        read_keypoints(tmp_path / "a.nc")


def test_a_damaged_file(tmp_path):
    (tmp_path / "a.nc").write_bytes(b"CDF\x01" + b"\xff" * 40)
    with pytest.raises(InputError, match=r"a\.nc: cannot be read as netCDF"):
        read_keypoints(tmp_path / "a.nc")
