from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.skeleton import CMU28, COCO17, H36M17
from poselift.structures import Detections, Hands, Keypoints2D, Motion, StreamedPose, move


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
    small = motion.restrict(H36M17)
    assert small.skeleton == H36M17
    for place, joint in enumerate(H36M17.joints):
        np.testing.assert_array_equal(small.joints[:, place], motion.joints[:, CMU28.index(joint)])
        np.testing.assert_array_equal(small.uncertainty[:, place], motion.uncertainty[:, CMU28.index(joint)])
    assert small.keypoints is motion.keypoints
    assert replace(motion, uncertainty=None).restrict(H36M17).uncertainty is None
    assert motion.restrict(CMU28).joints.shape == motion.joints.shape


def test_what_keypoints_show_is_in_sight_and_the_rest_is_guessed(motion):
    seen = motion.in_sight()
    hidden = [joint for joint, shown in zip(CMU28.joints, seen.T, strict=True) if not shown.any()]
    assert hidden == ["right_big_toe", "left_big_toe", "right_heel", "left_heel", "right_hand", "left_hand"]
    assert seen[:, CMU28.indices(["pelvis", "spine", "head_top", "left_ankle"])].all()
    np.testing.assert_array_equal(motion.guessed(), ~seen)


def test_a_leg_outside_the_picture_is_guessed(motion):
    points, scores = motion.keypoints.keypoints.copy(), motion.keypoints.scores.copy()
    ankle = COCO17.index("left_ankle")
    points[:, ankle], scores[:, ankle] = np.nan, 0
    guessed = replace(motion, keypoints=replace(motion.keypoints, keypoints=points, scores=scores)).guessed()
    assert guessed[:, CMU28.index("left_ankle")].all()
    assert not guessed[:, CMU28.index("left_knee")].any()


def test_keypoints_count_as_seen_from_the_threshold_of_the_lift_on(motion):
    weak = replace(motion, keypoints=replace(motion.keypoints, scores=np.full((4, 17), 0.1)))
    ankle = CMU28.index("left_ankle")
    assert not weak.in_sight()[:, ankle].any()
    assert replace(weak, threshold=0.05).in_sight()[:, ankle].all()


def test_frames_without_a_detection_are_guessed_unless_they_are_a_moment():
    times = np.arange(40) / 30
    for gap, expected in ((slice(10, 13), 0), (slice(10, 20), 10)):
        points, interpolated = np.full((40, 17, 2), 9.0), np.zeros(40, bool)
        points[gap], interpolated[gap] = np.nan, True
        keypoints = Keypoints2D(points, np.ones((40, 17)), times, COCO17, (640, 480))
        joints, root = np.zeros((40, 17, 3)), np.zeros((40, 3))
        found = Motion(joints, root, times, interpolated, H36M17, "camera", keypoints)
        assert found.guessed().all(1).sum() == expected
        assert found.in_sight().all()


def test_a_motion_without_keypoints_counts_as_seen(motion):
    points = np.full((4, 17, 2), np.nan)
    assert replace(motion, keypoints=replace(motion.keypoints, keypoints=points)).in_sight().all()


def test_the_frames_of_a_slice(motion):
    part = motion[1::2]
    np.testing.assert_array_equal(part.joints, motion.joints[1::2])
    np.testing.assert_array_equal(part.uncertainty, motion.uncertainty[1::2])
    assert len(part.keypoints) == len(part) == 2
    assert part.contacts is None


def test_what_is_not_there_is_not_made_up(motion):
    with pytest.raises(InputError, match="lacks right_big_toe, left_big_toe"):
        motion.restrict(H36M17).restrict(CMU28)
    with pytest.raises(InputError, match="lacks the root nose"):
        motion.restrict(COCO17)


@pytest.mark.parametrize("times", [[0.0, 0.1, 0.1, 0.2], [0.0, 0.2, 0.1, 0.3], [0.0, np.nan, 0.2, 0.3]])
def test_times_that_do_not_increase_are_refused(times):
    with pytest.raises(InputError, match=r"frames [012] and [123] have"):
        Keypoints2D(np.zeros((4, 17, 2)), np.ones((4, 17)), np.array(times), COCO17, (640, 480))


def track(**changed):
    parts = {"keypoints": np.zeros((4, 17, 2)), "scores": np.ones((4, 17)), "timestamps": np.arange(4) / 30}
    return {**parts, "skeleton": COCO17, "image_size": (640, 480), "person": 1, **changed}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": np.full((4, 17), 95.0)}, "scores are from 95 to 95; scale them to 0 to 1"),
        ({"timestamps": np.array([0.0, 0.1, 0.2, np.inf])}, "a timestamp is not a finite"),
        ({"image_size": (0, 480)}, r"image_size=\(0, 480\) is not a size"),
        ({"image_size": (960.5, 540)}, r"image_size=\(960.5, 540\) is not a size; give .* in whole pixels"),
        ({"image_size": np.array(960)}, r"image_size=array\(960\) is not a size"),
        ({"image_size": [[1], [2, 3]]}, r"image_size=\[\[1\], \[2, 3\]\] is not a size"),
        ({"timestamps": [[0.0], [1.0, 2.0]]}, "timestamps is a list; give a numpy array"),
        ({"keypoints": np.full((4, 17, 2), -np.inf)}, "keypoints has infinity; give NaN for what is unknown"),
        ({"person": True}, "person is True; give a whole number from 1"),
        ({"person": 1.5}, r"person is 1\.5; give a whole number"),
        (
            {"keypoints": np.zeros((4, 17, 3))},
            r"keypoints has the shape \(4, 17, 3\); 4 frames of coco17 need \(4, 17, 2\)",
        ),
    ],
)
def test_malformed_keypoints_are_refused(changed, message):
    with pytest.raises(InputError, match=message):
        Keypoints2D.__post_init__(SimpleNamespace(**track(**changed)))  # past the types, checked in tests alone


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"root": np.zeros((3, 3))}, r"root has the shape \(3, 3\); 4 frames of cmu28 need \(4, 3\)"),
        ({"joints": np.full((4, 28, 3), np.inf)}, "joints has infinity; give NaN for what is unknown"),
        ({"timestamps": np.array([0.0, 0.2, 0.1, 0.3])}, "timestamps must increase; frames 1 and 2 have 0.2, 0.1 s"),
        ({"uncertainty": np.ones((4, 16))}, r"uncertainty has the shape \(4, 16\)"),
        ({"frame": "room"}, "frame is 'room'; give camera or world"),
        ({"keypoints": None}, "keypoints are None; give the Keypoints2D of the 4 frames"),
    ],
)
def test_malformed_motions_are_refused(motion, changed, message):
    given = {each.name: getattr(motion, each.name) for each in fields(Motion)}
    with pytest.raises(InputError, match=message):
        Motion.__post_init__(SimpleNamespace(**{**given, **changed}))  # past the types, checked in tests alone


@pytest.mark.parametrize("size", [[640, 480], np.array([640.0, 480.0]), (np.float32(640), np.array(480))])
def test_numbers_of_numpy_become_those_of_python(size):
    made = SimpleNamespace(**track(image_size=size, person=np.array(2)))
    Keypoints2D.__post_init__(made)
    assert (made.image_size, made.person, type(made.image_size[0]), type(made.person)) == ((640, 480), 2, int, int)


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
        ({"box_scores": np.full(1, 80.0)}, "box_scores are from 80 to 80; scale them to 0 to 1"),
        ({"boxes": np.array([[100.0, 100.0, 50.0, 80.0]])}, "a box has no size: give x0, y0, x1, y1 in pixels"),
        ({"keypoints": np.ma.ones((1, 17, 2))}, "keypoints is a MaskedArray; give a numpy array, with NaN"),
        ({"keypoints": None}, r"keypoints is a NoneType"),
        ({"boxes": np.array([[1.0, 2.0, np.inf, 4.0]])}, "boxes has infinity"),
        ({"keypoints": [[1, 2], [3]]}, "keypoints is a list; give a numpy array"),
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
        keypoints = self.keypoints([0, 0.02, 0.1, 0.15], [1, 2]).bridge()
        np.testing.assert_allclose(keypoints.keypoints[:, 0, 0], [0, 3 * 0.02 / 0.15, 2, 3])
        np.testing.assert_allclose(keypoints.scores, 0.5)

    def test_a_longer_gap_stays(self):
        keypoints = self.keypoints([0, 0.1, 0.2, 0.3], [1, 2])
        np.testing.assert_array_equal(keypoints.bridge().keypoints, keypoints.keypoints)

    def test_a_joint_that_one_side_lacks_stays_missing(self):
        keypoints = self.keypoints([0, 0.05, 0.1], [1])
        keypoints.keypoints[2, 3], keypoints.scores[2, 3] = np.nan, 0.0
        bridged = keypoints.bridge()
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
    fingers = np.random.default_rng(1).normal(size=(1, 2, 21, 3))
    hands = Hands(fingers[..., :2], fingers, np.ones((1, 2)))
    for posed, own in (pose, hands), (motion, hands[np.zeros(3, int)]):
        turned = move(replace(posed, hands=own), R, t, "world").hands.joints
        np.testing.assert_allclose(turned[0], fingers[0] @ R.T, atol=1e-6)
