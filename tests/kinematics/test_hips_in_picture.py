"""Bodies moved to the keypoints of their hips, and what must stay as it is."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics import butterworth
from poselift.kinematics.movements.hips_in_picture import hips_as_seen, move_hips_to_picture
from poselift.structures import Clock, Origin, Recording, move
from tests.kinematics.test_legs_in_picture import CAMERA, DOWN, filmed

FRAMES = 20


def lowered(metres=0.03):
    """The walker of exact keypoints, and the same lower in 3D."""
    truth = filmed(seconds=FRAMES / 30)
    return truth, replace(truth, root=truth.root + [0.0, metres, 0.0])


def hip_heights(motion):
    hips = motion.skeleton.indices(("left_hip", "right_hip"))
    return (motion.joints[:, hips] + motion.root[:, None])[..., 1].mean(1)


def test_the_hips_go_most_of_the_way_to_their_keypoints_and_the_pose_stays():
    truth, low = lowered()
    moved = move_hips_to_picture(low, CAMERA)
    left = hip_heights(moved) - hip_heights(truth)
    share = 0.7 / (1 + (0.03 / 0.1) ** 2)
    np.testing.assert_allclose(left, 0.03 * (1 - share), atol=1e-3)
    np.testing.assert_array_equal(moved.joints, low.joints)
    np.testing.assert_allclose(moved.root[:, 2], low.root[:, 2], atol=1e-4, err_msg="the depth stays")


@pytest.mark.parametrize("moving", [False, True])
def test_in_the_world_it_is_the_same(moving):
    _, low = lowered()
    shift = np.array([0.3, 1.0, -0.2])
    camera, times = CAMERA.with_pose(DOWN, shift), low.timestamps
    if moving:
        camera = replace(camera, R=np.stack([camera.R] * 2), t=np.stack([camera.t] * 2), times=times[[0, -1]])
    there = move_hips_to_picture(move(low, DOWN, shift, "world"), camera)
    here = move(move_hips_to_picture(low, CAMERA), DOWN, shift, "world")
    np.testing.assert_allclose(there.root, here.root, atol=1e-5)


def test_frames_that_show_no_hips_move_as_those_beside_them():
    _, low = lowered()
    scores = low.keypoints.scores.copy()
    scores[8:12, low.keypoints.skeleton.index("left_hip")] = 0
    pixels = low.keypoints.keypoints.copy()
    pixels[8:12] = np.nan
    hidden = replace(low, keypoints=replace(low.keypoints, keypoints=pixels, scores=scores))
    whole, gap = move_hips_to_picture(low, CAMERA), move_hips_to_picture(hidden, CAMERA)
    np.testing.assert_allclose(gap.root, whole.root, atol=2e-3)
    none = replace(low, keypoints=replace(low.keypoints, scores=0 * scores))
    assert move_hips_to_picture(none, CAMERA) is none


def test_a_filtered_motion_and_that_of_several_cameras_stay():
    _, low = lowered()
    filtered = butterworth(low, 6.0)
    assert move_hips_to_picture(filtered, CAMERA) is filtered
    about = Clock(30.0, FRAMES, (0.0, 0.6)), Origin(None)
    both = Recording((low,), (CAMERA, CAMERA), *about)
    assert hips_as_seen(both) is both
    one = hips_as_seen(Recording((low,), (CAMERA,), *about)).people[0]
    assert not np.array_equal(one.root, low.root)


@pytest.mark.parametrize("metres", [0.5, 1.0])
def test_keypoints_far_from_the_hips_count_little(metres):
    _, low = lowered(metres)
    assert np.abs(move_hips_to_picture(low, CAMERA).root - low.root).max() < 0.02 * 0.5 / metres * 2
