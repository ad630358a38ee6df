import numpy as np
import pytest

from poselift.finding import VideoClip
from poselift.finding.video_clip import frames_within
from poselift.lifting import LiftOptions, lift_clip, lift_video
from poselift.lifting.clips.clip_warnings import odd_rate, seen_share
from poselift.skeleton import COCO17
from poselift.structures import Detections
from poselift.tracking import Tracker
from poselift.video import VideoWriter

TIMES = [0, 0.04, 0.1, 0.12, 0.16, 0.24, 0.28, 0.3, 0.36, 0.4]


class Brightness:
    """A detector that finds one person, at x = the mean of the picture, and nobody where it is dark."""

    name, skeleton, weights = "brightness", COCO17, {"file": "0" * 64}

    def __init__(self, score=0.8):
        self.score = score

    def detect(self, frames):
        found = []
        for frame in frames:
            people = int(frame.mean() > 30)
            points = np.stack([np.full(17, frame.mean() / 10), np.linspace(5, 40, 17)], -1)
            found.append(
                Detections(
                    np.array([[0, 0, 60, 40]] * people, float).reshape(-1, 4),
                    np.ones(people),
                    np.repeat(points[None], people, 0),
                    np.full((people, 17), self.score),
                    COCO17,
                )
            )
        return found


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / "clip.mp4"
    with VideoWriter(path, 64, 48) as writer:
        for index, time in enumerate(TIMES):
            writer.write(np.full((48, 64, 3), 20 * index, np.uint8), time)
    return path


def test_every_frame_with_its_time_and_what_was_found_in_it(video):
    clip = VideoClip(video, Brightness(), start=0.04, quality="best")
    found = list(clip.people(clip.frames()))
    np.testing.assert_allclose([time for _, time in found], TIMES[1:], atol=1e-3)
    assert [len(detections) for detections, _ in found] == [0, *[1] * 8]
    assert found[-1][0].keypoints[0, 0, 0] == pytest.approx(18, abs=0.3)


def test_what_it_says_of_itself(video):
    clip = VideoClip(video, Brightness())
    assert (clip.path, clip.detector_name, clip.detector_weights) == (video, "brightness", {"file": "0" * 64})
    assert (clip.image_size, clip.warnings, clip.span) == ((64, 48), [], (0, np.inf))
    assert clip.duration == pytest.approx(0.44, abs=0.05)
    assert VideoClip(video, Brightness(), 0.1, 0.3).duration == pytest.approx(0.2)
    assert isinstance(clip.tracker(), Tracker)
    frames = list(clip.frames())
    np.testing.assert_allclose([frame.timestamp for frame in frames], TIMES, atol=1e-3)
    assert frames[3].image.mean() == pytest.approx(60, abs=3)


def test_frames_of_the_span(video):
    clip = VideoClip(video, Brightness())
    clip.span = (0.1, 0.28)
    np.testing.assert_allclose([frame.timestamp for frame in frames_within(clip)], TIMES[2:6], atol=1e-3)


def test_a_video_is_lifted_by_way_of_its_clip(video, weights):
    told = []
    options = LiftOptions(flip=False)
    direct = lift_video(video, Brightness(), weights, end=0.36, options=options)
    clip = VideoClip(video, Brightness(), end=0.36)
    lifted = lift_clip(clip, weights, options=options, progress=lambda *stage_and_share: told.append(stage_and_share))
    assert (lifted.frames, len(lifted.motions), lifted.fps) == (8, 1, direct.fps)
    np.testing.assert_allclose(lifted.span, (0, 0.3), atol=1e-3)
    np.testing.assert_array_equal(lifted.motions[0].joints, direct.motions[0].joints)
    assert set(lifted.seconds) == {"read", "detect", "track", "lift"}
    for stage in ("Finding people", "Lifting"):
        shares = [share for name, share in told if name == stage]
        assert shares == sorted(shares)
        assert (len(shares) > 1, shares[-1]) == (True, 1.0)


def test_somebody_of_whom_no_joint_scores_enough_is_warned_of(video, weights):
    lifted = lift_video(video, Brightness(), weights, options=LiftOptions(threshold=0.85))
    (motion,) = lifted.motions
    assert np.isnan(motion.joints).all()
    told = "person 1 was not lifted: no joint of the lifter scores 0.85 or more in any frame; lower the threshold"
    assert lifted.warnings == [told]


class Now(Brightness):
    """Finds a person in some frames only, with some joints only."""

    def __init__(self, frames, joints=17):
        super().__init__()
        self.left, self.joints = list(frames), joints

    def detect(self, frames):
        given = super().detect(frames)
        for found in given:
            found.scores[:, self.joints :] = 0
            found.keypoints[:, self.joints :] = np.nan
        return [found if self.left.pop(0) else nobody(found) for found in given]


def nobody(found):
    return Detections(found.boxes[:0], found.box_scores[:0], found.keypoints[:0], found.scores[:0], COCO17)


def even_video(path, frames=42, times=None):
    with VideoWriter(path, 64, 48) as writer:
        for index in range(frames):
            writer.write(np.full((48, 64, 3), 60, np.uint8), index / 25 if times is None else times[index])
    return path


def test_somebody_who_is_there_for_less_than_half_of_the_clip_is_told(tmp_path, weights):
    path = even_video(tmp_path / "clip.mp4")
    lifted = lift_video(path, Now([1] * 18 + [0] * 24), weights, quality="best")
    assert "seen in less than half of the clip: person 1 (43%)" in lifted.warnings
    assert seen_share(lifted.motions[0].keypoints, lifted.frames) == pytest.approx(18 / 42)
    often = lift_video(path, Now([1] * 22 + [0] * 20), weights, quality="best")
    assert not any("less than half" in line for line in often.warnings)


def test_a_body_of_few_joints_is_a_guess(tmp_path, weights):
    path = even_video(tmp_path / "clip.mp4", frames=10)
    told = [lift_video(path, Now([1] * 10, joints), weights, quality="best").warnings for joints in (5, 6)]
    assert [any("the rest of the body is a guess" in line for line in lines) for lines in told] == [True, False]


def test_a_gap_where_the_rate_is_not_steady_is_told_by_the_lifter(tmp_path, weights):
    times = [index / 25 + 0.02 * (index % 2) + 0.9 * (index > 6) for index in range(12)]
    lifted = lift_video(even_video(tmp_path / "clip.mp4", 12, times), Now([1] * 12), weights, quality="best")
    [told] = [line for line in lifted.warnings if "timestamps" in line]
    assert told.startswith("gaps in the timestamps: 1, the longest of 0.9")


@pytest.mark.parametrize(("fps", "warned"), [(5, True), (7, False), (60, False), (120, False), (240, True)])
def test_a_frame_rate_that_was_not_measured_is_named(fps, warned):
    warnings = odd_rate(1 / fps)
    assert [f"{fps} frames per second; lifters are made for 7 to 120" in text for text in warnings] == [True] * warned
    assert odd_rate(0.0) == []
