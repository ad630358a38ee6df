from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.structures import Detections, Keypoints2D, Motion, StreamedPose, move


@pytest.fixture
def motion():
    times = np.arange(4) / 30
    keypoints = Keypoints2D(np.zeros((4, 17, 2)), np.ones((4, 17)), times, COCO17, (640, 480))
    joints = np.arange(4 * 28 * 3, dtype=np.float32).reshape(4, 28, 3)
    uncertainty = np.arange(4 * 28, dtype=np.float32).reshape(4, 28)
    return Motion(
        joints, np.zeros((4, 3), np.float32), times, np.zeros(4, bool), CMU28, "camera", keypoints, uncertainty
    )


def test_a_smaller_skeleton_is_taken_by_name(motion):
    small = motion.restricted(H36M17)
    assert small.skeleton == H36M17
    for place, joint in enumerate(H36M17.joints):
        np.testing.assert_array_equal(small.joints[:, place], motion.joints[:, CMU28.index(joint)])
        np.testing.assert_array_equal(small.uncertainty[:, place], motion.uncertainty[:, CMU28.index(joint)])
    assert small.keypoints is motion.keypoints
    assert replace(motion, uncertainty=None).restricted(H36M17).uncertainty is None
    assert motion.restricted(CMU28).joints.shape == motion.joints.shape


def test_what_is_not_there_is_not_made_up(motion):
    with pytest.raises(InputError, match="lacks right_big_toe, left_big_toe"):
        motion.restricted(H36M17).restricted(CMU28)
    with pytest.raises(InputError, match="lacks the root nose"):
        motion.restricted(COCO17)


@pytest.mark.parametrize("times", [[0.0, 0.1, 0.1, 0.2], [0.0, 0.2, 0.1, 0.3], [0.0, np.nan, 0.2, 0.3]])
def test_times_that_do_not_increase_are_refused(times):
    with pytest.raises(InputError, match=r"frames [012] and [123] have"):
        Keypoints2D(np.zeros((4, 17, 2)), np.ones((4, 17)), np.array(times), COCO17, (640, 480))


def track(**changed):
    parts = {"keypoints": np.zeros((4, 17, 2)), "scores": np.ones((4, 17)), "timestamps": np.arange(4) / 30}
    return {**parts, "skeleton": COCO17, "image_size": (640, 480), **changed}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": np.full((4, 17), 95.0)}, "scores are from 95 to 95; scale them to 0 to 1"),
        ({"timestamps": np.array([0.0, 0.1, 0.2, np.inf])}, "a timestamp is not a finite"),
        ({"image_size": (0, 480)}, r"image_size=\(0, 480\) is not a size"),
        (
            {"keypoints": np.zeros((4, 17, 3))},
            r"keypoints has the shape \(4, 17, 3\); 4 frames of coco17 need \(4, 17, 2\)",
        ),
        ({"scores": np.ones((3, 17))}, r"scores has the shape \(3, 17\); 4 frames of coco17 need \(4, 17\)"),
        ({"skeleton": "coco17"}, "skeleton is 'coco17'; give a Skeleton"),
    ],
)
def test_malformed_keypoints_are_refused(changed, message):
    with pytest.raises(InputError, match=message):
        Keypoints2D.__post_init__(SimpleNamespace(**track(**changed)))  # past the types, checked in tests alone


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"image_size": "64x48"}, r"image_size='64x48' is not a size; give \(width, height\) in pixels"),
        ({"image_size": (0, 480)}, r"image_size=\(0, 480\) is not a size"),
        ({"image_size": (640,)}, r"image_size=\(640,\) is not a size"),
    ],
)
def test_sizes_of_no_picture_are_refused(changed, message):
    with pytest.raises(InputError, match=message):
        Keypoints2D.__post_init__(SimpleNamespace(**track(**changed)))


def one_person(**changed):
    values = {"boxes": np.array([[1.0, 2.0, 3.0, 4.0]]), "box_scores": np.ones(1), "keypoints": np.ones((1, 17, 2))}
    return {**values, "scores": np.ones((1, 17)), "skeleton": COCO17, **changed}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"keypoints": np.ones((1, 16, 2)), "scores": np.ones((1, 16))},
            r"keypoints has the shape \(1, 16, 2\); 1 people of coco17 need \(1, 17, 2\)",
        ),
        ({"boxes": np.ones(1), "box_scores": np.ones((1, 4))}, r"boxes has the shape \(1,\); .* need \(1, 4\)"),
        ({"boxes": None}, "boxes is a NoneType; give a numpy array"),
        ({"boxes": np.zeros((0, 4))}, r"boxes has the shape \(0, 4\)"),
        ({"boxes": np.zeros((0, 4)), "box_scores": np.zeros(0)}, r"boxes has the shape \(0, 4\)"),
        ({"box_scores": np.full(1, 80.0)}, "box_scores are from 80 to 80; scale them to 0 to 1"),
        ({"scores": np.full((1, 17), np.nan)}, "scores are from nan to nan"),
        ({"boxes": np.array([[100.0, 100.0, 50.0, 80.0]])}, "a box has no size: give x0, y0, x1, y1 in pixels"),
        ({"skeleton": None}, "skeleton is None; give a Skeleton"),
        ({"keypoints": None}, r"boxes has the shape \(1, 4\)"),
    ],
)
def test_detections_of_ones_own_are_checked(changed, message):
    with pytest.raises(InputError, match=message):
        Detections.__post_init__(SimpleNamespace(**one_person(**changed)))


class TestBridged:
    def keypoints(self, times, unseen):
        pixels = np.arange(len(times), dtype=float)[:, None, None] + np.zeros((1, 17, 2))
        scores = np.full((len(times), 17), 0.5)
        pixels[unseen], scores[unseen] = np.nan, 0.0
        return Keypoints2D(pixels, scores, np.asarray(times, float), COCO17, (640, 480))

    def test_a_moment_is_interpolated_by_time(self):
        keypoints = self.keypoints([0, 0.02, 0.1, 0.15], [1, 2]).bridged()
        np.testing.assert_allclose(keypoints.keypoints[:, 0, 0], [0, 3 * 0.02 / 0.15, 2, 3])
        np.testing.assert_allclose(keypoints.scores, 0.5)

    def test_a_longer_gap_stays(self):
        keypoints = self.keypoints([0, 0.1, 0.2, 0.3], [1, 2])
        np.testing.assert_array_equal(keypoints.bridged().keypoints, keypoints.keypoints)

    def test_a_joint_that_one_side_lacks_stays_missing(self):
        keypoints = self.keypoints([0, 0.05, 0.1], [1])
        keypoints.keypoints[2, 3], keypoints.scores[2, 3] = np.nan, 0.0
        bridged = keypoints.bridged()
        assert np.isnan(bridged.keypoints[1, 3]).all()
        assert bridged.scores[1, 3] == 0
        assert np.isfinite(bridged.keypoints[1, 4]).all()


def test_a_frame_with_a_pose_has_root_and_joints(motion):
    joints, root = motion.joints.copy(), motion.root.copy()
    joints[1, 5, 2], root[2, 0] = np.nan, np.nan
    assert replace(motion, joints=joints, root=root).posed.tolist() == [True, False, False, True]


def test_a_time_of_another_clip_is_refused():
    with pytest.raises(InputError, match=r"the 4 frames have time stamps from 0 to 9000000000 s, too far apart"):
        Keypoints2D(**track(timestamps=np.array([0.0, 0.1, 0.2, 9e9])))


def test_a_moved_motion_has_its_places_in_the_other_frame():
    rng = np.random.default_rng(0)
    joints, root = rng.normal(size=(3, 17, 3)).astype(np.float32), rng.normal(size=(3, 3))
    joints[1], root[1] = np.nan, np.nan
    keypoints = Keypoints2D(np.zeros((3, 17, 2)), np.ones((3, 17)), np.arange(3.0), H36M17, (640, 480))
    motion = Motion(joints, root, np.arange(3.0), np.zeros(3, bool), H36M17, "camera", keypoints)
    R, t = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([1.0, 2, 3])
    moved = move(motion, R, t, "world")
    assert moved.frame == "world"
    assert (moved.joints.dtype, moved.root.dtype) == (np.float32, np.float64)
    places = (joints + root[:, None]) @ R.T + t
    np.testing.assert_allclose(moved.joints + moved.root[:, None], places, atol=1e-6)
    pose = StreamedPose(0.0, joints[0], root[0], None, False, np.zeros((17, 2)), np.ones(17))
    np.testing.assert_allclose(move(pose, R, t, "world").positions, places[0], atol=1e-6)
