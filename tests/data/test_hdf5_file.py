import h5py
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.data.hdf5_file import is_hdf5, member_names, read_arrays


@pytest.fixture
def path(tmp_path):
    """A file with numbers, text of both kinds, attributes and a group."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["position"] = np.arange(6.0).reshape(2, 3)
        file["fixed"] = np.array(["ann", "bob"], "S")
        file.create_dataset("varying", data=["nose", "Fuß"], dtype=h5py.string_dtype())
        file["time"] = np.arange(2.0)
        file["time"].make_scale("time")
        file["position"].dims[0].attach_scale(file["time"])
        file.create_group("group")
        file.attrs["unit"], file.attrs["rate"] = "seconds", np.float32(25)
    return path


def test_another_process_reads_arrays_dimensions_and_text(path, monkeypatch):
    monkeypatch.setattr(h5py, "File", None)
    assert is_hdf5(path)
    assert member_names(path) == {"position", "fixed", "varying", "time", "group"}
    arrays, about = read_arrays(path, ["position", "fixed", "varying", "group", "absent"])
    assert {name: dimensions for name, (dimensions, _) in arrays.items()} == {
        "position": ("time", ""),
        "fixed": ("",),
        "varying": ("",),
    }
    np.testing.assert_array_equal(arrays["position"][1], [[0, 1, 2], [3, 4, 5]])
    assert [arrays[name][1].tolist() for name in ("fixed", "varying")] == [["ann", "bob"], ["nose", "Fuß"]]
    assert about == {"unit": "seconds"}


def test_damaged_files(path, tmp_path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert member_names(path) == set()
    with pytest.raises(InputError, match=r"a\.h5: cannot be read as HDF5 .*; export it again"):
        read_arrays(path, ["position"])
    with h5py.File(path, "w") as file:
        file.create_dataset("position", (10**9, 10**3), "f8", chunks=(1000, 10))
    with pytest.raises(InputError, match=r"/position declares the shape \(1000000000, 1000\)"):
        read_arrays(path, ["position"])
    for other in (tmp_path / "absent.h5", tmp_path):
        assert not is_hdf5(other)
