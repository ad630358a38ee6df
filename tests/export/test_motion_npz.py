import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.export import read_npz, write_npz


def test_arrays_come_back_as_documented(tmp_path, motion):
    write_npz(tmp_path / "a.npz", motion)
    arrays = read_npz(tmp_path / "a.npz")
    expected = {
        "joints": (motion.joints, np.float32),
        "root": (motion.root, np.float32),
        "timestamps": (motion.timestamps, np.float64),
        "keypoints": (motion.keypoints.keypoints, np.float32),
        "keypoint_scores": (motion.keypoints.scores, np.float32),
        "interpolated": (motion.interpolated, np.bool_),
    }
    assert arrays.keys() == expected.keys()
    for name, (value, dtype) in expected.items():
        assert arrays[name].dtype == dtype
        np.testing.assert_array_equal(arrays[name], value)


def _damaged(tmp_path, motion, **changes):
    write_npz(tmp_path / "good.npz", motion)
    arrays = {**read_npz(tmp_path / "good.npz"), **changes}
    np.savez(tmp_path / "bad.npz", **{name: value for name, value in arrays.items() if value is not None})
    return tmp_path / "bad.npz"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"root": None}, "'root' is missing"),
        ({"root": np.zeros((5, 3), np.float32)}, "'root' has the shape"),
        ({"keypoint_scores": np.zeros((6, 4), np.float32)}, "different numbers of joints"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, motion, changes, message):
    path = _damaged(tmp_path, motion, **changes)
    with pytest.raises(InputError, match=message) as error:
        read_npz(path)
    assert "bad.npz" in str(error.value)


def test_pickled_objects_are_refused(tmp_path, motion):
    path = _damaged(tmp_path, motion, interpolated=np.array([object()] * 6))
    with pytest.raises(InputError, match="cannot be read as an npz"):
        read_npz(path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_npz(tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"is a folder; give a person's npz, such as .*person_1\.npz"):
        read_npz(tmp_path)
    for content in (b"", b"not a zip", b"PK\x03\x04 cut off"):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(InputError, match="cannot be read as an npz"):
            read_npz(tmp_path / "a.npz")
    with open(tmp_path / "a.npz", "wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(InputError, match="cannot be read as an npz"):
        read_npz(tmp_path / "a.npz")


def test_uncertainty_and_contacts_where_they_are_known(tmp_path, motion, world_motion):
    write_npz(tmp_path / "a.npz", world_motion)
    contacts = read_npz(tmp_path / "a.npz")["contacts"]
    assert contacts.dtype == np.bool_
    np.testing.assert_array_equal(contacts, world_motion.contacts)
    np.testing.assert_array_equal(read_npz(tmp_path / "a.npz")["uncertainty"], world_motion.uncertainty)
    write_npz(tmp_path / "a.npz", motion)
    assert not {"contacts", "uncertainty"} & set(read_npz(tmp_path / "a.npz"))
