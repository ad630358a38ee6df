import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.recordings.hand_files import read_hands, write_hands
from poselift.structures import HandMotion


@pytest.fixture
def hands():
    random = np.random.default_rng(0)
    joints, keypoints = random.normal(size=(4, 2, 21, 3)), random.uniform(0, 500, (4, 2, 21, 2))
    joints[1:3, 0], keypoints[1:3, 0] = np.nan, np.nan
    scores = np.where(np.isfinite(joints[..., 0, 0]), 0.7, 0.0)
    return HandMotion(keypoints, joints, scores, np.arange(4) / 30, 7)


def test_hands_come_back(hands, tmp_path):
    path = tmp_path / "person_7_hands.npz"
    write_hands(path, hands)
    again = read_hands(path)
    for name in ("joints", "keypoints", "scores", "timestamps"):
        np.testing.assert_allclose(getattr(again, name), getattr(hands, name), rtol=1e-6)
    assert again.person == 7
    assert again.seen.tolist() == [[True, True], [False, True], [False, True], [True, True]]
    with np.load(path) as arrays:
        assert arrays["names"][0] == "wrist"


def test_other_files_are_refused(hands, tmp_path):
    path = tmp_path / "person_7_hands.npz"
    np.savez(path, joints=np.zeros(3))
    with pytest.raises(InputError, match="'keypoints' is missing"):
        read_hands(path)
    path.write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"person_7_hands\.npz"):
        read_hands(path)
