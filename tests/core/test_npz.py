"""Files that declare more than they hold, and one changed byte anywhere."""

import io
import resource
import zipfile
from random import Random

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.core.npz import npy_array, npz_arrays, npz_member, npz_names

ARRAYS = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "names": np.array(["a", "bc"]), "fps": np.array(50.0)}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_come_back(tmp_path, save):
    arrays = {**ARRAYS, "f": np.asfortranarray(np.ones((2, 3)) * [1, 2, 3]), "empty": np.zeros((0, 17, 2)), "b": True}
    save(tmp_path / "a.npz", **arrays, big=np.arange(3, dtype=">i4"))
    found = npz_arrays(tmp_path / "a.npz")
    assert list(found) == npz_names(tmp_path / "a.npz") == [*arrays, "big"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    assert found["big"].tolist() == [0, 1, 2]
    assert npz_arrays(tmp_path / "a.npz", ["x", "none"]).keys() == {"x"}
    np.testing.assert_array_equal(np.load(npz_member(tmp_path / "a.npz", "x")), ARRAYS["x"])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_one_changed_byte_gives_an_input_error_or_the_same_arrays(tmp_path, save):
    path, rng = tmp_path / "a.npz", Random(0)
    save(path, **ARRAYS)
    whole, refused = path.read_bytes(), 0
    for _ in range(150):
        changed = bytearray(whole)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        try:
            found = npz_arrays(path)
        except InputError:
            refused += 1
        else:
            assert all(np.array_equal(found[name], ARRAYS[name]) for name in found if name in ARRAYS)
    assert refused > 70


def npy(descr, shape, data=b""):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue() + data


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy("<f8", (10**12,)), "declares the shape"),
        (npy("<f8", (10**12, 10**12, 10**12)), "declares the shape"),
        (npy("<f8", (-1,), bytes(8)), "declares the shape"),
        (npy("<f8", (3,), bytes(16)), "but holds 16 bytes"),
        (npy("|O", (1,), bytes(8)), "it contains objects"),
        (npy("<U1", (1,), b"\xff\xff\xff\xff"), "characters that do not exist"),
        (b"\x93NUMPY\x09\x00", "version"),
    ],
)
def test_what_declares_too_much_is_refused_before_anything_is_allocated(tmp_path, content, message):
    (tmp_path / "a.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", content)
    for read in (npy_array, npz_arrays):
        with pytest.raises(InputError, match=message):
            read(tmp_path / ("a.npy" if read is npy_array else "a.npz"))


def test_a_zip_bomb_is_not_unpacked(tmp_path):
    size = 600 << 20
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("x.npy", npy("|u1", (1 << 20,), bytes(1 << 20)))
    # The directory of the archive declares more than there is, as that of a larger one would.
    content = bytearray((tmp_path / "a.npz").read_bytes())
    at = content.rindex(b"PK\x01\x02") + 24
    content[at : at + 4] = size.to_bytes(4, "little")
    (tmp_path / "a.npz").write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match=rf"it declares {size} bytes, more than the {512 << 20} that are read"):
        npz_arrays(tmp_path / "a.npz", help_text="get another")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 << 10
