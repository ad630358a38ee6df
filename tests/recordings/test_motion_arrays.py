import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.recordings import read_npz, write_npz


def test_arrays_come_back_as_documented(tmp_path, motion, world_motion):
    write_npz(tmp_path / "a.npz", world_motion)
    arrays = read_npz(tmp_path / "a.npz")
    expected = {
        "joints": (world_motion.joints, np.float32),
        "root": (world_motion.root, np.float32),
        "timestamps": (world_motion.timestamps, np.float64),
        "keypoints": (world_motion.keypoints.keypoints, np.float32),
        "keypoint_scores": (world_motion.keypoints.scores, np.float32),
        "interpolated": (world_motion.interpolated, np.bool_),
        "uncertainty": (world_motion.uncertainty, np.float32),
        "contacts": (world_motion.contacts, np.bool_),
    }
    assert arrays.keys() == expected.keys()
    for name, (value, dtype) in expected.items():
        assert arrays[name].dtype == dtype
        np.testing.assert_array_equal(arrays[name], value)
    write_npz(tmp_path / "a.npz", motion)
    assert set(expected) - set(read_npz(tmp_path / "a.npz")) == {"contacts", "uncertainty"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"root": None}, "'root' is missing"),
        ({"root": np.zeros((5, 3), np.float32)}, "'root' has the shape"),
        ({"root": np.zeros((6, 2), np.float32)}, "'root' has the shape"),
        ({"root": np.zeros((6, 3))}, "'root' is float64"),
        ({"keypoint_scores": np.zeros((6, 4), np.float32)}, "different numbers of joints"),
        ({"uncertainty": np.zeros((6, 4), np.float32)}, "different numbers of joints"),
        ({"interpolated": np.array([object()] * 6)}, "cannot be read as an npz"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, motion, changes, message):
    write_npz(tmp_path / "good.npz", motion)
    arrays = {**read_npz(tmp_path / "good.npz"), **changes}
    np.savez(tmp_path / "bad.npz", **{name: value for name, value in arrays.items() if value is not None})
    with pytest.raises(InputError, match=rf"bad\.npz.*{message}"):
        read_npz(tmp_path / "bad.npz")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"is a folder; give a person's npz, such as .*person_1\.npz"):
        read_npz(tmp_path)
    for content in (b"", b"not a zip", b"PK\x03\x04 cut off"):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(InputError, match="cannot be read as an npz"):
            read_npz(tmp_path / "a.npz")
