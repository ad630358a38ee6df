"""Legs turned to the picture: the walker of known angles, seen from the side, and what must stay as it is."""

from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics import butterworth, legs_as_seen, measure_joint_angles, turn_legs_to_picture
from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.skeleton import H36M17
from poselift.structures import Clock, Keypoints2D, Origin, Recording, move
from tests.kinematics.walker import walker

pytestmark = pytest.mark.many_calls

SIZE, CAMERA = (1920, 1080), camera_for((1920, 1080))
DOWN = np.diag([1.0, -1.0, -1.0])
KNEES = ("left_knee_flexion", "right_knee_flexion")


def filmed(noise=0.0, turn=np.pi / 2, seconds=3.0):
    """The walker in the frame of a level camera 4 m away, with keypoints; noise is a share of a height of 1.7 m."""
    motion = walker(turn=turn, travel=False, seconds=seconds)
    points = (motion.joints + motion.root[:, None] - [0.0, 1.0, 0.0]) @ DOWN + [0.0, 0.0, 4.0]
    pixels = CAMERA.project(points)
    pixels = pixels + noise * 1.7 / 4.0 * CAMERA.K[0, 0] * np.random.default_rng(0).standard_normal(pixels.shape)
    keypoints = Keypoints2D(pixels, np.ones(pixels.shape[:2]), motion.timestamps, H36M17, SIZE)
    root = points[:, 0]
    return replace(motion, joints=points - root[:, None], root=root, frame="camera", keypoints=keypoints)


def knee_errors(found, truth):
    angles, true = measure_joint_angles(found), measure_joint_angles(truth)
    return np.abs(np.concatenate([angles.of(name) - true.of(name) for name in KNEES]))


def bent(motion, degrees):
    """The motion with shanks that are turned in the picture."""
    angle = np.radians(degrees)
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    joints = motion.joints.copy()
    for side in ("left", "right"):
        knee, ankle = (motion.skeleton.index(f"{side}_{joint}") for joint in ("knee", "ankle"))
        joints[:, ankle] = joints[:, knee] + (joints[:, ankle] - joints[:, knee]) @ R.T
    return replace(motion, joints=joints)


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "most"), [(0.0, 1.1), (0.01, 2.2)])
def test_the_lifted_walker_from_the_side_has_the_knees_of_the_picture(noise, most):
    """Of exact keypoints the plain angle in the picture has no error, with noise of 1 % of the height 3.5 degrees."""
    truth = filmed(noise)
    lifted = lift(truth.keypoints, load_weights("small"), CAMERA)
    before, after = (knee_errors(each, truth).mean() for each in (lifted, turn_legs_to_picture(lifted, CAMERA)))
    assert after < most
    assert after < 0.8 * before


def test_a_bent_knee_goes_back_and_noisy_keypoints_turn_it_less():
    truth = filmed()
    wrong = bent(truth, 1.5)
    before = knee_errors(wrong, truth).mean()
    assert knee_errors(turn_legs_to_picture(wrong, CAMERA), truth).mean() < 0.2 * before
    far = bent(truth, 9.0)
    turned = turn_legs_to_picture(far, CAMERA)
    assert knee_errors(turned, truth).mean() > 0.8 * knee_errors(far, truth).mean()


def test_lengths_and_depths_stay_but_for_what_hangs_on_the_knee():
    motion = bent(filmed(turn=0.8), 2.0)
    turned = turn_legs_to_picture(motion, CAMERA)
    for child, parent in enumerate(H36M17.parent_indices):
        if parent >= 0:
            lengths = [
                np.linalg.norm(each.joints[:, child] - each.joints[:, parent], axis=-1) for each in (motion, turned)
            ]
            np.testing.assert_allclose(*lengths, atol=1e-9)
    legs = {f"{side}_{joint}" for side in ("left", "right") for joint in ("knee", "ankle")}
    others = [row for row, joint in enumerate(H36M17.joints) if joint not in legs]
    np.testing.assert_array_equal(turned.joints[:, others], motion.joints[:, others])
    assert np.abs(turned.joints - motion.joints).max() > 0.005


@pytest.mark.parametrize("moving", [False, True])
def test_in_the_world_it_is_the_same(moving):
    motion = bent(filmed(seconds=1.0), 2.0)
    R = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
    t = np.array([0.3, 1.2, -0.4])
    times = motion.timestamps
    camera = CAMERA.with_pose(R, t)
    if moving:
        camera = replace(camera, R=np.stack([camera.R] * 2), t=np.stack([camera.t] * 2), times=times[[0, -1]])
    world = move(motion, R, t, "world")
    turned = move(turn_legs_to_picture(motion, CAMERA), R, t, "world")
    np.testing.assert_allclose(turn_legs_to_picture(world, camera).joints, turned.joints, atol=1e-6)


def test_unseen_legs_several_cameras_and_empty_motions_stay():
    motion = bent(filmed(seconds=1.0), 2.0)
    hidden = replace(motion.keypoints, scores=np.zeros_like(motion.keypoints.scores))
    unseen = replace(motion, keypoints=hidden)
    np.testing.assert_array_equal(turn_legs_to_picture(unseen, CAMERA).joints, motion.joints)
    empty = replace(motion, joints=np.full_like(motion.joints, np.nan))
    assert turn_legs_to_picture(empty, CAMERA) is empty
    filtered = butterworth(motion, 6.0)
    assert turn_legs_to_picture(filtered, CAMERA) is filtered
    clock = Clock(30.0, len(motion), (0.0, 1.0))
    several = Recording((motion,), (CAMERA, CAMERA), clock, Origin(None))
    assert legs_as_seen(several) is several
    one = legs_as_seen(replace(several, cameras=(CAMERA,))).people[0]
    np.testing.assert_array_equal(one.joints, turn_legs_to_picture(motion, CAMERA).joints)
    # A frame without a pose stays one, and so does one whose keypoints are missing.
    gap = replace(motion, joints=motion.joints.copy())
    gap.joints[5] = np.nan
    assert np.isnan(turn_legs_to_picture(gap, CAMERA).joints[5]).all()
