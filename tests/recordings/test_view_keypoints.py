from dataclasses import replace

import numpy as np

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
