from dataclasses import replace

import jaxtyping
import numpy as np
import pytest
import torch

from poselift.core.errors import InputError
from poselift.geometry import bone_lengths
from poselift.lifting import LiftOptions, lift
from poselift.lifting.prepare.gaps import fill_gaps
from poselift.lifting.prepare.lifter_joints import select_lifter_joints
from poselift.models import SpatioTemporalLifter, lift_windows
from poselift.skeleton import CMU28, COCO17, H36M17, Skeleton

NETWORK = LiftOptions(constant_bones=False, refine=False)
"""The network's joints, without what comes after it."""


def hide(keypoints, first, end):
    values, scores = keypoints.keypoints.copy(), keypoints.scores.copy()
    values[first:end], scores[first:end] = np.nan, 0
    return replace(keypoints, keypoints=values, scores=scores)


def one_window(weights, pixels, scores, times, camera):
    """The lifter's joints of these frames in one window."""
    given = (pixels, scores, times - times[0], camera.K, np.array(camera.image_size))
    with torch.no_grad():
        found = lift_windows(weights.lifter, *(torch.from_numpy(values).float()[None] for values in given))
    return found.joints[0].numpy()


def test_the_true_pose_comes_back_in_its_true_place(view, keypoints, oracle, camera):
    # Without refinement: made people do not stand on level ground.
    motion = lift(keypoints, oracle, camera, LiftOptions(flip=False, refine=False))
    np.testing.assert_allclose(motion.joints, view.joints[:, :17], atol=5e-4)
    assert np.abs(motion.root - view.root.numpy()).max() < 0.05
    assert motion.frame == "camera"
    assert not motion.interpolated.any()
    assert motion.keypoints is keypoints


@pytest.mark.slow
def test_bones_keep_their_length_unless_told_otherwise(keypoints, weights, camera):
    def variation(motion):
        lengths = bone_lengths(motion.joints, motion.skeleton.parent_indices)[:, 1:]
        return float((lengths.std(0) / lengths.mean(0)).max())

    assert variation(lift(keypoints, weights, camera)) < 1e-4
    assert variation(lift(keypoints, weights, camera, LiftOptions(constant_bones=False))) > 1e-3


def test_a_short_gap_is_bridged_and_said_to_be(view, keypoints, oracle, camera):
    motion = lift(hide(keypoints, 60, 80), oracle, camera, LiftOptions(flip=False))
    assert motion.interpolated.tolist() == [60 <= k < 80 for k in range(150)]
    assert np.isfinite(motion.joints).all()
    assert np.abs(motion.root - view.root.numpy()).max() < 0.15


def test_a_long_gap_is_left_empty(keypoints, weights, camera):
    motion = lift(hide(keypoints, 40, 110), weights, camera)
    assert not motion.interpolated.any()
    empty = np.isnan(motion.joints).all((1, 2))
    assert empty.tolist() == [40 <= k < 110 for k in range(150)]
    assert (np.isnan(motion.root).all(1) == empty).all()


@pytest.mark.slow
def test_low_scores_are_not_used(keypoints, weights, camera):
    scores = keypoints.scores.copy()
    scores[:, 3] = 0.1
    moved = keypoints.keypoints.copy()
    moved[:, 3] += 500
    ours = lift(replace(keypoints, scores=scores), weights, camera, LiftOptions(threshold=0.2))
    other = lift(replace(keypoints, scores=scores, keypoints=moved), weights, camera, LiftOptions(threshold=0.2))
    np.testing.assert_array_equal(ours.joints, other.joints)
    third = lift(replace(keypoints, scores=scores, keypoints=moved), weights, camera, LiftOptions(threshold=0.05))
    assert np.abs(third.joints - ours.joints).max() > 1e-4


def test_joints_go_in_by_name_whatever_their_order(keypoints, weights, camera):
    order = np.random.default_rng(0).permutation(17)
    shuffled = Skeleton(
        "shuffled",
        tuple(keypoints.skeleton.joints[k] for k in order),
        tuple(keypoints.skeleton.parents[k] for k in order),
    )
    other = replace(
        keypoints,
        skeleton=shuffled,
        keypoints=keypoints.keypoints[:, order],
        scores=keypoints.scores[:, order],
    )
    np.testing.assert_allclose(lift(other, weights, camera).joints, lift(keypoints, weights, camera).joints, atol=1e-6)


def test_an_evaluation_gets_every_frame(keypoints, weights, camera):
    hidden = hide(hide(keypoints, 0, 10), 40, 110)
    motion = lift(hidden, weights, camera, LiftOptions(every_frame=True))
    assert np.isfinite(motion.joints).all()
    assert motion.interpolated.tolist() == [k < 10 or 40 <= k < 110 for k in range(150)]
    assert np.isfinite(lift(hide(keypoints, 0, 150), weights, camera, LiftOptions(every_frame=True)).joints).all()
    assert len(lift(keypoints[:0], weights, camera, LiftOptions(every_frame=True))) == 0


@pytest.mark.parametrize("gaps", ["every second frame", "at random"])
def test_short_gaps_are_lifted_with_interpolated_keypoints(keypoints, weights, camera, gaps):
    """A detector that looks at some frames gives nearly the motion of one that looks at all."""
    looks = np.arange(150) % 2 == 0 if gaps == "every second frame" else np.random.default_rng(0).random(150) < 0.5
    looks[[0, -1]] = True
    values = np.where(looks[:, None, None], keypoints.keypoints, np.nan)
    lifter = SpatioTemporalLifter(replace(weights.lifter.config, uncertainty=True)).eval()
    sure = replace(weights, loaded=lifter)
    motion, whole = (lift(given, sure, camera, NETWORK) for given in (replace(keypoints, keypoints=values), keypoints))
    np.testing.assert_array_equal(motion.interpolated, ~looks)
    assert np.abs(motion.joints - whole.joints).mean() < 0.002
    assert np.isfinite(motion.uncertainty).all()
    assert np.isfinite(motion.root).all()


@pytest.mark.parametrize("between", [False, True])
def test_ten_looks_a_second_are_lifted_as_twenty(keypoints, weights, camera, between):
    """Every second of the twenty is interpolated, whether the clip has frames there or not."""
    looks, times = np.arange(0, 150, 5), np.arange(59) / 20
    pixels = np.full((59, *keypoints.keypoints.shape[1:]), np.nan, np.float32)
    pixels[::2] = keypoints.keypoints[looks]
    scores = np.zeros(pixels.shape[:2], np.float32)
    scores[::2] = keypoints.scores[looks]
    frames = slice(None) if between else slice(None, None, 2)
    clip = replace(keypoints, keypoints=pixels[frames], scores=scores[frames], timestamps=times[frames])
    motion = lift(clip, weights, camera, replace(NETWORK, window=59))
    dense = replace(clip, keypoints=pixels, scores=scores, timestamps=times)
    filled = fill_gaps(*select_lifter_joints(dense, CMU28, 0.2, None), times)
    expected = one_window(weights, *filled, times, camera)
    assert motion.interpolated.tolist() == [k % 2 == 1 for k in range(59)][frames]
    np.testing.assert_allclose(motion.joints, expected[frames], atol=1e-5)


@pytest.mark.parametrize("step", [2, 4])
def test_the_root_between_looks_is_where_it_is_with_all_looks(view, keypoints, oracle, camera, step):
    values = keypoints.keypoints.copy()
    values[np.arange(150) % step != 0] = np.nan
    values[-1] = keypoints.keypoints[-1]
    motion = lift(replace(keypoints, keypoints=values), oracle, camera, LiftOptions(flip=False))
    assert np.abs(motion.root - view.root.numpy()).max() < 0.06


@pytest.mark.parametrize("fps", [60, 100])
def test_above_fifty_frames_a_second_every_second_one_is_lifted_by_itself(keypoints, weights, camera, fps):
    """The mean of the two halves, each lifted by itself and drawn out."""
    fast = replace(keypoints, timestamps=keypoints.timestamps * 50 / fps)
    motion = lift(fast, weights, camera, NETWORK)
    halves = []
    for first in (0, 1):
        rows = slice(first, None, 2)
        half = replace(fast, keypoints=fast.keypoints[rows], scores=fast.scores[rows], timestamps=fast.timestamps[rows])
        lifted = lift(half, weights, camera, NETWORK)
        halves.append(
            [np.interp(fast.timestamps, half.timestamps, column) for column in lifted.joints.reshape(len(half), -1).T]
        )
    expected = np.mean(halves, 0).T.reshape(motion.joints.shape)
    np.testing.assert_allclose(motion.joints, expected, atol=1e-5)
    assert np.isfinite(motion.root).all()


def test_frames_that_come_in_bursts_are_lifted_in_one_piece(keypoints, weights, camera):
    """Five at a time, a millisecond apart: as a network camera's, stamped on arrival. That is no fast clip."""
    times = keypoints.timestamps[::5].repeat(5) + np.tile(np.arange(5), 30) / 1000
    motion = lift(replace(keypoints, timestamps=times), weights, camera, replace(NETWORK, window=150))
    given = select_lifter_joints(keypoints, CMU28, 0.2, None)
    expected = one_window(weights, *given, times, camera)
    np.testing.assert_allclose(motion.joints, expected, atol=1e-5)


def test_people_without_usable_keypoints_get_nan(keypoints, weights, camera):
    lifter = SpatioTemporalLifter(replace(weights.lifter.config, uncertainty=True)).eval()
    motion = lift(replace(keypoints, scores=0.1 * keypoints.scores), replace(weights, loaded=lifter), camera)
    assert motion.uncertainty is not None
    assert np.isnan(motion.uncertainty).all()


def test_joints_that_the_lifter_does_not_give_place_nobody(keypoints, oracle, camera):
    """Human3.6M-17 comes out, of which a face has nothing: there is a pose, and no place."""
    scores = keypoints.scores.copy()
    scores[:, COCO17.indices([joint for joint in COCO17.joints if joint not in H36M17.joints])] = 0.8
    scores[:, COCO17.indices([joint for joint in COCO17.joints if joint in H36M17.joints])] = 0.0
    motion = lift(replace(keypoints, scores=scores), oracle, camera, LiftOptions(flip=False))
    assert np.isfinite(motion.joints).all()
    assert np.isnan(motion.root).all()


def test_a_camera_of_pictures_of_another_size_is_refused(keypoints, weights, camera):
    width, height = keypoints.image_size
    with pytest.raises(InputError, match=f"the keypoints are of pictures of {width} x {height} pixels, the camera of"):
        lift(keypoints, weights, replace(camera, image_size=(2 * width, 2 * height)))


def test_shares_of_the_picture_and_no_frames_are_refused(keypoints, weights, camera):
    with pytest.raises(InputError, match="seem to be shares of the picture's size"):
        lift(replace(keypoints, keypoints=keypoints.keypoints / camera.image_size), weights, camera)
    with pytest.raises(InputError, match="have no frames"):
        lift(keypoints[:0], weights, camera)


def test_options_take_numbers_of_numpy_and_refuse_others(monkeypatch):
    # A user has no type checker of the tests before poselift's own check.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    assert LiftOptions(window=np.int64(63), threshold=np.float32(0.3), flip=np.bool_(False)).window == 63
    for wrong in ({"window": np.int64(0)}, {"threshold": 1.5}, {"threshold": -0.1}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            LiftOptions(**wrong)
