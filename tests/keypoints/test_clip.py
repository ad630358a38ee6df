from pathlib import Path

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.geometry.camera import camera_for
from poselift.keypoints import KeypointClip, KeypointFile, Observation, video_check
from poselift.keypoints.people import NamedTracker
from poselift.skeleton import COCO17
from poselift.tracking import Tracker
from poselift.video import VideoReader, VideoWriter

TIMES = [0, 0.04, 0.1, 0.12, 0.16, 0.24, 0.28, 0.3, 0.36, 0.4]
"""Of the video's ten frames, at no steady rate."""


@pytest.fixture(autouse=True)
def nobody(monkeypatch):
    """MoveNet does not search these grey pictures; test_video_check.py lets it look."""
    monkeypatch.setattr(video_check, "_look", lambda video, times, fps, mirrored: ((time, []) for time in times))


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / "clip.mp4"
    with VideoWriter(path, 64, 48) as writer:
        for index, time in enumerate(TIMES):
            writer.write(np.full((48, 64, 3), 20 * index, np.uint8), time)
    return path


@pytest.fixture
def of(body):
    """`of(numbers, ...)`: a file with a person in each of these frames, at x = the frame's number."""

    def make(numbers, person=None, **more):
        points = np.column_stack([np.zeros(17), np.linspace(0, 40, 17)])
        frames = {n: [Observation(points + [n % 60, 0], np.full(17, 0.9), person)] for n in numbers}
        return KeypointFile(Path("clip.json"), "coco", COCO17, frames, **more)

    return make


def read(clip):
    """x of the person and time, of each frame."""
    frames = clip.people()
    return [(float(d.keypoints[0, 0, 0]) if len(d) else None, round(time, 4)) for d, time in frames]


@pytest.mark.slow
def test_frame_i_has_the_time_of_the_ith_picture(of, video):
    clip = KeypointClip(of(range(10)), video=video)
    assert read(clip) == list(zip(range(10), TIMES, strict=True))
    assert (clip.image_size, clip.warnings) == ((64, 48), [])
    assert clip.detector_name == "coco"


@pytest.mark.slow
def test_numbers_that_end_with_the_number_of_pictures_count_from_1(of, video):
    assert read(KeypointClip(of(range(1, 11)), video=video)) == list(zip(range(1, 11), TIMES, strict=True))


@pytest.mark.slow
def test_pictures_are_numbered_from_1_though_the_last_ones_have_nobody(of, video):
    assert read(KeypointClip(of(range(1, 6)), video=video))[:2] == [(1, 0), (2, 0.04)]
    assert read(KeypointClip(of([1, 2]), fps=10, image_size=(64, 48))) == [(1, 0), (2, 0.1)]


@pytest.fixture(scope="module")
def even_video(tmp_path_factory):
    """90 pictures at 30 a second."""
    path = tmp_path_factory.mktemp("video") / "even.mp4"
    with VideoWriter(path, 64, 48) as writer:
        for index in range(90):
            writer.write(np.full((48, 64, 3), index, np.uint8), index / 30)
    return path


@pytest.mark.slow
def test_keypoints_of_every_third_picture(of, even_video):
    clip = KeypointClip(of(range(1, 31)), video=even_video, fps=10)
    assert read(clip) == [(n, round((n - 1) / 10, 4)) for n in range(1, 31)]
    assert (clip.warnings, clip.fps, clip.video_fps) == ([], 10, None)
    assert [frame.timestamp for frame in clip.frames()][:2] == [0, pytest.approx(1 / 30)], "the video keeps its clock"
    guessed = KeypointClip(of(range(1, 31)), video=even_video)
    read(guessed)
    assert "90 pictures = 3 x 30 frames of keypoints" in guessed.warnings[1]
    assert "give --fps 10, or the motion is 3 times too fast" in guessed.warnings[1]
    with pytest.raises(InputError, match=r"30 frames last 6 s at --fps 5, the video 3 s; give the true rate"):
        read(KeypointClip(of(range(1, 31)), video=even_video, fps=5))


@pytest.mark.parametrize("rate", [240, 7.5], ids=["slow motion", "time lapse"])
@pytest.mark.slow
def test_a_video_whose_pictures_had_another_rate(of, even_video, rate):
    clip = KeypointClip(of(range(90)), video=even_video, fps=rate)
    assert read(clip) == [(n % 60, round(n / rate, 4)) for n in range(90)]
    assert (clip.fps, clip.video_fps) == (rate, rate)
    assert list(clip.frames())[-1].timestamp == pytest.approx(89 / rate, abs=1e-4)
    assert clip.duration == pytest.approx(90 / rate, rel=0.02)


@pytest.mark.slow
def test_slow_motion_whose_last_pictures_have_nobody(of, even_video):
    clip = KeypointClip(of(range(40)), video=even_video, fps=240)
    assert read(clip)[39] == (39, round(39 / 240, 4))
    assert clip.video_fps == 240


@pytest.mark.slow
def test_a_file_with_times_beside_slow_motion(of, even_video):
    own = of(range(90), timestamps={n: n / 30 for n in range(90)})
    clip = KeypointClip(own, video=even_video, fps=120)
    assert read(clip)[89] == (29, round(89 / 120, 4))
    assert clip.video_fps == pytest.approx(120)


@pytest.mark.slow
def test_a_few_frames_more_or_less_are_warned_of_and_many_are_refused(of, video):
    short = KeypointClip(of(range(8)), video=video)
    assert [x for x, _ in read(short)] == [*range(8), None, None]
    assert "frames up to 7, the video 10 frames" in short.warnings[0]
    more = KeypointClip(of(range(12)), video=video)
    assert [x for x, _ in read(more)] == list(range(10))
    assert "frames up to 11, the video 10 frames" in more.warnings[0]
    with pytest.raises(InputError, match=r"clip\.json has frames up to 12, the video 10 frames: .*clip\.mp4 is not"):
        read(KeypointClip(of(range(13)), video=video))


@pytest.mark.slow
def test_a_span(of, video):
    assert read(KeypointClip(of(range(10)), video=video, start=0.1, end=0.28)) == [
        (2, 0.1),
        (3, 0.12),
        (4, 0.16),
        (5, 0.24),
    ]
    clip = KeypointClip(of(range(10)), fps=10, image_size=(64, 48), start=0.7)
    assert read(clip) == [(7, 0.7), (8, 0.8), (9, 0.9)]
    for span, said in (
        ({"start": 5}, "at or after 5 s$"),
        ({"end": -1}, "before -1 s$"),
        ({"start": 5, "end": 7}, "at or after 5 s and before 7 s$"),
    ):
        with pytest.raises(InputError, match=f"has no frame {said}"):
            read(KeypointClip(of(range(10)), fps=10, image_size=(64, 48), **span))
    with pytest.raises(InputError, match="give an end after the start"):
        KeypointClip(of([0]), fps=10, image_size=(64, 48), start=2, end=1)


def test_a_rate_where_there_is_no_video(of):
    clip = KeypointClip(of([2, 4]), fps=50, image_size=(64, 48))
    assert read(clip) == [(2, 0.04), (None, 0.06), (4, 0.08)]
    assert clip.fps == 50


def test_times_of_the_file_itself(of, video):
    own = of([0, 1], timestamps={0: 0.5, 1: 0.7})
    clip = KeypointClip(own, image_size=(64, 48))
    assert (read(clip), clip.fps) == ([(0, 0.5), (1, 0.7)], pytest.approx(5))
    slow = KeypointClip(own, fps=20, image_size=(64, 48))
    assert (read(slow), slow.fps) == ([(0, 0.125), (1, 0.175)], 20), "its clock ran four times too slowly"


def test_times_below_zero_are_taken_where_no_start_is_given(of):
    """As of a recording that a trigger starts."""

    def clip(**span):
        own = of(range(4), timestamps={0: -0.4, 1: -0.2, 2: 0.0, 3: 0.2})
        return KeypointClip(own, image_size=(64, 48), **span)

    assert read(clip()) == [(0, -0.4), (1, -0.2), (2, 0), (3, 0.2)]
    assert [frame.timestamp for frame in clip().frames()] == [-0.4, -0.2, 0, 0.2]
    assert read(clip(end=-0.1)) == [(0, -0.4), (1, -0.2)]
    assert read(clip(start=-0.2)) == [(1, -0.2), (2, 0), (3, 0.2)]
    assert read(clip(start=0)) == [(2, 0), (3, 0.2)]


def test_what_is_missing_is_asked_for(of, video):
    with pytest.raises(
        InputError, match="has no timestamps; give the video with --video, or frames per second with --fps"
    ):
        KeypointClip(of([0]), image_size=(64, 48))
    with pytest.raises(InputError, match="has no picture size; give the video with --video, or --size WIDTHxHEIGHT"):
        KeypointClip(of([0]), fps=5)
    with pytest.raises(InputError, match="--fps is -1"):
        KeypointClip(of([0]), fps=-1.0, image_size=(64, 48))
    with pytest.raises(InputError, match="the file says 100 x 50, the video says 64 x 48"):
        KeypointClip(of([0], image_size=(100, 50)), video=video)
    with pytest.raises(InputError, match="--size says 9 x 9, the file says 100 x 50"):
        KeypointClip(of([0], image_size=(100, 50)), fps=5, image_size=(9, 9))


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [[-2, 0, 1], [0, 1, 3000], [*range(2000), 1_900_000]])
def test_frames_that_are_not_of_one_video(of, numbers):
    with pytest.raises(InputError, match=r"frames have numbers from .*; give the frames of one video, counted from 0"):
        read(KeypointClip(of(numbers), fps=30, image_size=(64, 48)))


def test_scores_in_per_cent_are_warned_of(of):
    file = of([0, 1])
    assert KeypointClip(file, fps=5, image_size=(64, 48)).warnings == []
    file.frames[1][0].scores[3] = 95.0
    (warning,) = KeypointClip(file, fps=5, image_size=(64, 48)).warnings
    assert warning.startswith("scores reach 95, and those above 1 count as 1: divide them by 100")


def test_who_is_who_is_the_files_word_or_the_trackers(of):
    named, unnamed = of([0, 1], "4"), of([0, 1])
    assert isinstance(KeypointClip(named, fps=5, image_size=(64, 48)).tracker(), NamedTracker)
    assert isinstance(KeypointClip(unnamed, fps=5, image_size=(64, 48)).tracker(), Tracker)
    half = of([0, 1], "4")
    half.frames[1] += unnamed.frames[1]
    clip = KeypointClip(half, fps=5, image_size=(64, 48))
    assert isinstance(clip.tracker(), Tracker)
    assert "the tracker assigns them anew" in clip.warnings[0]


def test_without_pictures_the_camera_is_still_unless_somebody_says_that_it_moves(of):
    clip, lens = KeypointClip(of([0, 1, 2]), fps=5, image_size=(64, 48)), camera_for((64, 48))
    assert clip.find_camera((0.0, 0.4), [], lens, "auto").path is None
    found = clip.find_camera((0.0, 0.4), [], lens, "turning")
    assert found.kinds == ("unknown",)
    np.testing.assert_allclose(found.path.times, [0, 0.2, 0.4])


def test_frames_are_the_videos_or_blank(of, video):
    shown, true = list(KeypointClip(of(range(10)), video=video, start=0.1).frames()), list(VideoReader(video))[2:]
    assert len(shown) == 8, "those of the span"
    assert all((one.image == two.image).all() for one, two in zip(shown, true, strict=True))
    blank = list(KeypointClip(of([0, 1]), fps=5, image_size=(64, 48)).frames())
    assert [(frame.image.shape, int(np.ptp(frame.image)), frame.timestamp) for frame in blank] == [
        ((48, 64, 3), 0, 0.0),
        ((48, 64, 3), 0, 0.2),
    ]


@pytest.mark.parametrize("times", [[0, 0.04, 9e9], [0, 40_000, 80_000, 120_000]], ids=["late", "microseconds"])
def test_wrong_times_of_the_file_are_refused(of, times):
    file = of(range(len(times)), timestamps=dict(enumerate(map(float, times))))
    with pytest.raises(InputError, match=r"clip\.json: the \d frames have time stamps from 0 to .*; give seconds"):
        KeypointClip(file, image_size=(64, 48))


def test_milliseconds_are_refused(of):
    file = of(range(20), timestamps={n: 1000 * n / 30 for n in range(20)})
    with pytest.raises(
        InputError, match=r"clip\.json: the timestamps are 33\.33 s apart, .*divide milliseconds by 1,000"
    ):
        KeypointClip(file, image_size=(64, 48))
