import json
from collections import Counter

import numpy as np
import pytest

import poselift
from poselift.core.errors import InputError
from poselift.core.registry import RegistryEntry
from poselift.finding import VideoClip
from poselift.geometry.camera import camera_for
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting import LiftOptions, LiftRequest, lift_clip
from poselift.models import load_weights
from poselift.recordings.summary import seen_share
from poselift.skeleton import COCO17, H36M17
from poselift.structures import Detections, Keypoints2D, Motion, see_from_camera
from poselift.video import VideoWriter
from tests.finding.brightness import Brightness, write_brightening_video
from tests.kinematics.walker import walker
from tests.lifting.test_find_hands import Seen
from tests.video.test_focal_length import KEY, write_with_metadata

SIZE = (960, 540)


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return write_brightening_video(tmp_path_factory.mktemp("video") / "clip.mp4")


def test_a_video_is_lifted_by_way_of_its_clip(video, weights):
    told = []
    options = LiftOptions(flip=False)
    direct = poselift.lift(video, detector=Brightness(), weights=weights, end=0.36, options=options)
    clip = VideoClip(video, Brightness(), end=0.36)
    lifted = lift_clip(
        clip, weights, LiftRequest(options=options), lambda *stage_and_share: told.append(stage_and_share)
    )
    assert (lifted.clock.frames, len(lifted.people), lifted.clock.fps) == (8, 1, direct.clock.fps)
    np.testing.assert_allclose(lifted.clock.span, (0, 0.3), atol=1e-3)
    np.testing.assert_array_equal(lifted.people[0].joints, direct.people[0].joints)
    assert set(lifted.seconds) == {"read", "detect", "track", "lift"}
    for stage in ("Finding people", "Lifting"):
        shares = [share for name, share in told if name == stage]
        assert shares == sorted(shares)
        assert (len(shares) > 1, shares[-1]) == (True, 1.0)


def test_values_are_checked_where_they_come_in_and_not_again(monkeypatch):
    """A lift of given tracks checks what the lifter gives, and what moves it into the world."""
    made = walker(seconds=1.0)
    pixels = camera_for(SIZE, 60.0).project((made.joints + made.root[:, None]) * [1, -1, -1] + [0.3, 1.0, 4.0])
    track = Keypoints2D(pixels, np.full(pixels.shape[:2], 0.9), made.timestamps, H36M17, SIZE)
    clip, checked = TrackClip([track]), Counter()

    def count(kind):
        check = kind.__post_init__

        def counted(self):
            checked[kind.__name__] += 1
            check(self)

        monkeypatch.setattr(kind, "__post_init__", counted)

    count(Keypoints2D)
    count(Motion)
    request = LiftRequest(world=True, height=1.8, smooth=6.0)
    (motion,) = lift_clip(clip, load_weights("tiny"), request).people
    assert (motion.frame, motion.height.metres) == ("world", 1.8)
    assert checked == {"Motion": 3}


def test_the_focal_length_of_a_phone_s_file_is_assumed_and_an_option_replaces_it(tmp_path, weights):
    path = write_with_metadata(tmp_path / "phone.mov", **{KEY: "13"})
    own, given = (poselift.lift(path, detector=Brightness(), weights=weights, fov=fov).camera for fov in (None, 60.0))
    assert (own.origin, own.fov) == ("assumed", pytest.approx(106.2, abs=0.1))
    assert (given.origin, given.fov) == ("given", pytest.approx(60.0, abs=0.01))


def test_somebody_of_whom_no_joint_scores_enough_is_warned_of(video, weights):
    lifted = poselift.lift(video, detector=Brightness(), weights=weights, options=LiftOptions(threshold=0.85))
    (motion,) = lifted.people
    assert np.isnan(motion.joints).all()
    told = "person 1 was not lifted: no joint of the lifter scores 0.85 or more in any frame; lower the threshold"
    [warning] = [warning for warning in lifted.warnings if warning.kind == "person"]
    assert (warning, warning.person) == (told, 1)


class Now(Brightness):
    """Finds a person in some frames only."""

    def __init__(self, frames):
        super().__init__()
        self.left = list(frames)

    def detect(self, frames):
        return [found if self.left.pop(0) else nobody(found) for found in super().detect(frames)]


def nobody(found):
    return Detections(found.boxes[:0], found.box_scores[:0], found.keypoints[:0], found.scores[:0], COCO17)


def even_video(path, frames=42, times=None):
    with VideoWriter(path, 64, 48) as writer:
        for index in range(frames):
            writer.write(np.full((48, 64, 3), 60, np.uint8), index / 25 if times is None else times[index])
    return path


@pytest.mark.slow
def test_somebody_who_is_there_for_less_than_half_of_the_clip_is_told(tmp_path, weights):
    path = even_video(tmp_path / "clip.mp4")
    lifted = poselift.lift(path, detector=Now([1] * 18 + [0] * 24), weights=weights, quality="best")
    assert "seen in less than half of the clip: person 1 (43%)" in lifted.warnings
    assert seen_share(lifted.people[0].keypoints, lifted.clock.frames) == pytest.approx(18 / 42)
    often = poselift.lift(path, detector=Now([1] * 22 + [0] * 20), weights=weights, quality="best")
    assert not any("less than half" in line for line in often.warnings)


def test_a_gap_where_the_rate_is_not_steady_is_told_by_the_lifter(tmp_path, weights):
    times = [index / 25 + 0.02 * (index % 2) + 0.9 * (index > 6) for index in range(12)]
    lifted = poselift.lift(
        even_video(tmp_path / "clip.mp4", 12, times), detector=Now([1] * 12), weights=weights, quality="best"
    )
    [told] = [line for line in lifted.warnings if "timestamps" in line]
    assert told.startswith("gaps in the timestamps: 1, the longest of 0.9")


HAND = [{"x": 0.4 + 0.01 * row, "y": 0.5, "z": 0.0} for row in range(21)]
METRIC = [{"x": 0.01 * row, "y": 0.0, "z": 0.02} for row in range(21)]


@pytest.fixture
def holistic(tmp_path):
    """A file of MediaPipe's holistic landmarks of somebody who stands, with further entries of each frame."""

    def write(**more):
        rng = np.random.default_rng(0)
        body = [{"x": x, "y": y, "visibility": 0.9} for x, y in rng.uniform(0.2, 0.8, (33, 2)).tolist()]
        path = tmp_path / "holistic.json"
        path.write_text(json.dumps([{"poseLandmarks": body, **more}] * 20))
        return path

    return write


def test_hands_of_a_file_stay_in_2d_and_a_line_says_so(holistic, weights):
    lifted = poselift.lift(keypoints=holistic(leftHandLandmarks=HAND), weights=weights, fps=25.0, image_size=(640, 480))
    (motion,) = lifted.people
    np.testing.assert_allclose(motion.hands.keypoints[3, 0, 20], [0.6 * 640, 240])
    assert not motion.hands.in_3d
    told = "holistic.json has hands in 2D, which stay in hand_keypoints; the video and --hands give them in 3D"
    assert told in lifted.warnings
    assert motion.with_fingers()[1] == motion.skeleton


def test_hands_of_a_file_in_3d_are_turned_to_their_ray(holistic, weights):
    path = holistic(rightHandLandmarks=HAND, rightHandWorldLandmarks=METRIC)
    lifted = poselift.lift(keypoints=path, weights=weights, fps=25.0, image_size=(640, 480), hands=True)
    (motion,) = lifted.people
    assert motion.hands.seen.tolist() == [[False, True]] * 20
    ray = lifted.camera.rays(np.array([[0.4 * 640, 240.0]]))[0]
    tip = motion.hands.joints[5, 1, 20]
    # In the picture's plane, so across the ray.
    assert abs(tip @ ray) < 1e-6
    assert np.linalg.norm(tip) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, "holistic.json has keypoints without hands, and hands are looked for in a video; add it"),
        ({"leftHandLandmarks": HAND}, "has hands in 2D only, and --hands looks for them in a video; add it"),
    ],
)
def test_hands_are_asked_for_where_there_are_none(holistic, weights, more, message):
    with pytest.raises(InputError, match=message):
        poselift.lift(keypoints=holistic(**more), weights=weights, fps=25.0, image_size=(640, 480), hands=True)


@pytest.mark.slow
def test_hands_of_a_video_are_in_the_axes_of_the_motion(video, weights, monkeypatch):
    monkeypatch.setattr("poselift.lifting.run.HandModel", Seen)
    found = [
        poselift.lift(video, detector=Brightness(), weights=weights, end=0.36, hands=True, world=world)
        for world in (False, True)
    ]
    seen, placed = (recording.people[0].hands for recording in found)
    assert seen.in_3d
    np.testing.assert_array_equal(placed.seen, seen.seen)
    np.testing.assert_allclose(placed.joints, seen.joints @ found[1].camera.R.T, atol=1e-6)
    np.testing.assert_array_equal(placed.keypoints, seen.keypoints)
    assert "hands" in found[0].seconds


def test_a_missing_hand_model_is_told_before_the_long_work(video, weights, monkeypatch, tmp_path):
    gone = RegistryEntry("hand_landmark", "", "", "0", shipped=tmp_path / "hand_landmark_full.onnx")
    monkeypatch.setattr("poselift.detection.hands.published", lambda name: gone)
    with pytest.raises(InputError, match=r"hand_landmark_full\.onnx is missing"):
        poselift.lift(video, detector=Now([]), weights=weights, hands=True)


@pytest.mark.slow
@pytest.mark.parametrize("world", [False, True])
def test_an_earlier_result_lifted_again_keeps_its_hands(holistic, weights, tmp_path, world):
    path = holistic(rightHandLandmarks=HAND, rightHandWorldLandmarks=METRIC)
    first = poselift.lift(keypoints=path, weights=weights, fps=25.0, image_size=(640, 480), world=world)
    first.save(tmp_path / "first")
    again = poselift.lift(keypoints=tmp_path / "first", weights=weights, end=0.5)
    expected = see_from_camera(first.people[0], first.camera).hands
    (hands,) = (motion.hands for motion in again.people)
    assert hands.seen.tolist() == [[False, True]] * 13
    np.testing.assert_allclose(hands.joints, expected.joints[:13], atol=1e-6)
    np.testing.assert_allclose(hands.keypoints, expected.keypoints[:13], atol=1e-3)
    np.testing.assert_allclose(hands.scores, expected.scores[:13], atol=1e-6)
