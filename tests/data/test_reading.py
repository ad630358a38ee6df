import pickle
import re

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from poselift.core.errors import InputError
from poselift.data.reading import Layout, check_shape, load_arrays, load_mat, load_object_npz, load_pickle, numbers

LAYOUT = Layout(
    "Some dataset", "some/\n  a.npz   positions\n  b.npz", "https://example.org/ask", "Then run: prepare.py"
)


def test_a_missing_file_is_told_with_its_tree_and_page(tmp_path):
    with pytest.raises(InputError) as caught:
        LAYOUT.require_file(tmp_path / "some" / "a.npz")
    assert str(caught.value) == (
        f"no such file: {tmp_path}/some/a.npz\nSome dataset is expected as\n  some/\n    a.npz   positions\n"
        "    b.npz\nThe data is available at https://example.org/ask\nThen run: prepare.py"
    )
    (tmp_path / "b.npz").touch()
    assert LAYOUT.require_file(str(tmp_path / "b.npz")) == tmp_path / "b.npz"


def test_shapes_are_checked_by_axis():
    array = np.zeros((5, 17, 2))
    assert check_shape("f.npz", "x", array, (None, 17, 2)) is array
    for wanted, text in (((None, 17, 3), "(any, 17, 3)"), ((5, 34), "(5, 34)"), ((), "()")):
        with pytest.raises(InputError, match=re.escape(f"f.npz: 'x' has shape (5, 17, 2), expected {text}")):
            check_shape("f.npz", "x", array, wanted)
    with pytest.raises(InputError, match=r"f.npz: 'x' is a dict, expected an array of shape \(any,\)|\(any\)"):
        check_shape("f.npz", "x", {}, (None,))


def test_pickles(tmp_path):
    path = tmp_path / "a.pkl"
    value = {"S1": {"Walking 1": [np.arange(6, dtype=np.float32).reshape(3, 2)]}, "fps": 50}
    path.write_bytes(pickle.dumps(value))
    found = load_pickle(path)
    np.testing.assert_array_equal(found["S1"]["Walking 1"][0], value["S1"]["Walking 1"][0])
    assert found["fps"] == 50


def test_damaged_pickles(tmp_path):
    path = tmp_path / "a.pkl"
    whole = pickle.dumps({"x": np.arange(50.0)})
    for data in (b"", b"hello", whole[:40], whole[:-3], b"\x80\x04]\x94\x8c\xff.", b"R.", b"0."):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"a\.pkl"):
            load_pickle(path)


@pytest.mark.parametrize("load", [load_pickle, lambda path: load_mat(path, {"x": None})])
def test_missing_files_and_folders(tmp_path, load):
    with pytest.raises(InputError, match=r"no such file: .*a\.b; check the path"):
        load(tmp_path / "a.b")
    with pytest.raises(InputError, match="is no file; give a file"):
        load(tmp_path)


def test_object_npz(tmp_path):
    path = tmp_path / "a.npz"
    clips = {"S1": {"Photo": np.ones((4, 32, 3), np.float32)}}
    np.savez_compressed(
        path, positions_3d=np.array(clips, object), plain=np.arange(3), rows=np.array([{"a": 1}, None], object)
    )
    found = load_object_npz(path, "positions_3d")
    np.testing.assert_array_equal(found["S1"]["Photo"], clips["S1"]["Photo"])
    np.testing.assert_array_equal(load_object_npz(path, "plain"), np.arange(3))
    assert load_object_npz(path, "rows").tolist() == [{"a": 1}, None]


def test_malformed_object_npz(tmp_path):
    path = tmp_path / "a.npz"
    with pytest.raises(InputError, match="no such file"):
        load_object_npz(path, "x")
    path.write_bytes(b"hello")
    with pytest.raises(InputError, match=r"a\.npz cannot be read as an npz"):
        load_object_npz(path, "x")
    np.savez(path, y=np.zeros(2), z=np.ones(2))
    with pytest.raises(InputError, match=r"a\.npz has no array 'x'; it has y, z"):
        load_object_npz(path, "x")
    np.savez(path, x=np.array({"a": list(range(1000))}, object))
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(InputError, match=r"a\.npz"):
        load_object_npz(path, "x")


def test_load_arrays_reads_no_objects(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.zeros((2, 3)), o=np.array({}, object))
    assert load_arrays(path, {"x": (None, 3)}, "help")["x"].shape == (2, 3)
    for shapes, message in (
        ({"o": ()}, "without pickled objects"),
        ({"y": ()}, "no array 'y'; help"),
        ({"x": (None, 4)}, r"'x' has shape \(2, 3\), expected \(any, 4\)"),
    ):
        with pytest.raises(InputError, match=message):
            load_arrays(path, shapes, "help")
    path.write_text("hello")
    with pytest.raises(InputError, match="another kind of file") as caught:
        load_arrays(path, {"x": ()}, "help")
    assert "allow_pickle" not in str(caught.value)


def write_hdf5(path, arrays):
    """Arrays as MATLAB's version 7.3 keeps them: a block of text, then HDF5 with the axes reversed."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for key, array in arrays.items():
            file[key] = array.T
        file.create_group("group")
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


@pytest.mark.parametrize("write", [savemat, write_hdf5])
def test_both_versions_of_mat_read_the_same(tmp_path, write):
    path = tmp_path / "a.mat"
    arrays = {"annot2": np.arange(24.0).reshape(2, 3, 4), "fps": np.array([[25.0]])}
    write(path, arrays)
    found = load_mat(path, {"annot2": (2, 3, None), "fps": None})
    assert set(found) == {"annot2", "fps"}
    np.testing.assert_array_equal(found["annot2"], arrays["annot2"])
    np.testing.assert_array_equal(found["fps"], arrays["fps"])
    with pytest.raises(InputError, match=r"a\.mat has no variable 'annot3'"):
        load_mat(path, {"annot3": None})
    with pytest.raises(InputError, match=r"a\.mat: 'annot2' has shape \(2, 3, 4\), expected \(any, 17, 2\)"):
        load_mat(path, {"annot2": (None, 17, 2)})


def test_cells(tmp_path):
    cells = np.empty((14, 1), object)
    for row in range(14):
        cells[row, 0] = np.full((5, 56), row, np.float32)
    savemat(tmp_path / "a.mat", {"annot2": cells})
    found = load_mat(tmp_path / "a.mat", {"annot2": (14, 1)})["annot2"]
    np.testing.assert_array_equal(found[3, 0], cells[3, 0])


def test_damaged_mat(tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"x": np.zeros((50, 50))})
    whole = path.read_bytes()
    for data in (b"", b"hello", whole[:150], whole[:-500]):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"a\.mat cannot be read as a MATLAB file"):
            load_mat(path, {"x": None})
    write_hdf5(path, {"x": np.zeros((50, 50))})
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(InputError, match=r"a\.mat cannot be read as a MATLAB file"):
        load_mat(path, {"x": None})


def test_numbers(tmp_path):
    np.testing.assert_array_equal(numbers(tmp_path, "x", np.arange(3), (3,)), [0.0, 1.0, 2.0])
    for values in (np.array(["a"]), ["1.5"], np.array([1j]), [[1.0], [1.0, 2.0]], {"a": 1}):
        with pytest.raises(InputError, match="'x' is not an array of numbers"):
            numbers(tmp_path, "x", values, (1,))
    with pytest.raises(InputError, match=r"'x' has shape \(\), expected \(1\)"):
        numbers(tmp_path, "x", 3.0, (1,))


def test_a_mat_that_declares_or_unpacks_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr("poselift.data.reading.limit_unpacked", lambda size: 100_000)
    path = tmp_path / "a.mat"
    savemat(path, {"x": np.zeros(20_000)}, do_compression=True)
    with pytest.raises(InputError, match=r"x declares the shape .*more than the 100000 bytes"):
        load_mat(path, {"x": None})


def test_links_to_other_files_are_not_followed(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["x"] = np.ones(3)
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["deep/x"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/x")
        file["x"] = h5py.SoftLink("/deep/x")
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    with pytest.raises(InputError, match="the values of deep/x lie in other files"):
        load_mat(path, {"x": None})


def test_values_in_other_files_are_not_read(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(800))
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("x", (100,), "f8", external=[(str(tmp_path / "secret"), 0, 800)])
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    with pytest.raises(InputError, match="lie in other files"):
        load_mat(path, {"x": None})
