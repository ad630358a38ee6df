from dataclasses import replace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.recordings.view_keypoints import read_view_keypoints, write_view_keypoints


def test_what_each_view_saw_comes_back(tmp_path, motion):
    first = motion.keypoints
    second = replace(first, keypoints=first.keypoints + 3, scores=np.full_like(first.scores, 0.5))
    person = first.person
    assert write_view_keypoints(tmp_path, [{person: first}, {person: second}]) == "view_keypoints.npz"
    for own, found in zip((first, second), read_view_keypoints(tmp_path, [motion], 2), strict=True):
        np.testing.assert_allclose(found[person][..., :2], own.keypoints, rtol=1e-6)
        np.testing.assert_allclose(found[person][..., 2], own.scores, rtol=1e-6)


def test_a_motion_of_another_length_has_none(tmp_path, motion):
    write_view_keypoints(tmp_path, [{motion.keypoints.person: motion.keypoints}])
    assert read_view_keypoints(tmp_path, [motion[1:]], 1) == [{}]


def test_the_result_of_one_video_has_none(tmp_path, motion):
    assert read_view_keypoints(tmp_path, [motion], 3) == [{}, {}, {}]


def test_a_damaged_file_says_what_to_do(tmp_path, motion):
    file = tmp_path / "view_keypoints.npz"
    np.savez(file, view_1_person_1=np.full((*motion.keypoints.scores.shape, 3), "x"))
    with pytest.raises(InputError, match="other values than numbers; remove it, or run poselift multiview again"):
        read_view_keypoints(tmp_path, [motion], 1)
    file.write_bytes(b"no npz")
    with pytest.raises(InputError, match="remove it, or run poselift multiview again"):
        read_view_keypoints(tmp_path, [motion], 1)
