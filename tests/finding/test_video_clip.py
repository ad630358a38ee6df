import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.finding import VideoClip
from poselift.tracking import Tracker
from tests.finding.brightness import TIMES, Brightness, write_brightening_video


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return write_brightening_video(tmp_path_factory.mktemp("video") / "clip.mp4")


def test_every_frame_with_its_time_and_what_was_found_in_it(video):
    clip = VideoClip(video, Brightness(), start=0.04, quality="best")
    found = list(clip.people())
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


def test_slow_motion_has_the_clock_of_the_recording(video):
    clip = VideoClip(video, Brightness(), end=0.04, quality="best", fps=8 * VideoClip(video, Brightness()).fps)
    found = list(clip.people())
    np.testing.assert_allclose([time for _, time in found], np.array(TIMES[:8]) / 8, atol=1e-3)
    assert (clip.video_fps, clip.span[1]) == (clip.fps, 0.04)


def test_a_detector_that_forgets_a_picture_is_named(video):
    class Forgetful(Brightness):
        def detect(self, frames):
            return super().detect(frames)[1:]

    clip = VideoClip(video, Forgetful(), quality="best")
    with pytest.raises(InputError, match=r"the detector brightness returned \d items for \d pictures"):
        list(clip.people())


def test_frames_of_the_span(video):
    clip = VideoClip(video, Brightness(), start=0.1, end=0.28)
    np.testing.assert_allclose([frame.timestamp for frame in clip.frames()], TIMES[2:6], atol=1e-3)


def test_the_share_that_was_read_and_the_time_of_each_stage(video):
    shares, watch, clip = [], Stopwatch(), VideoClip(video, Brightness(), start=0.1)
    list(clip.people(watch, shares.append))
    np.testing.assert_allclose(shares, [(time - 0.1) / clip.duration for time in TIMES[2:]], atol=0.01)
    assert set(watch.seconds) == {"read", "detect"}
