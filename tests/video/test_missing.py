import numpy as np
import pytest

from poselift.video import VideoReader
from poselift.video.missing import MissingFrames


def line(times):
    missing = MissingFrames()
    for time in times:
        missing.note(float(time))
    return missing.line()


@pytest.mark.parametrize("rate", [1, 23.976, 29.97, 240])
@pytest.mark.parametrize("digits", [3, 6], ids=["milliseconds", "microseconds"])
def test_a_steady_clip_and_a_single_missing_frame(rate, digits):
    times = np.round(np.arange(100) / rate, digits)
    assert line(times) == ""
    before = times[41]
    expected = f"1 frame is missing: the timestamps jump after {before:.2f} s"
    assert line(np.delete(times, 42)) == expected


def test_a_clip_of_variable_rate_is_not_judged():
    steps = np.random.default_rng(0).choice([1, 2, 3], 200, p=[0.6, 0.3, 0.1]) / 60
    assert line(steps.cumsum()) == ""


def test_steps_of_a_tick_show_no_rate():
    ticks = np.arange(40) / 90000
    assert line(np.append(ticks, ticks[-1] + 1)) == ""


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.ts"])
def test_a_video_tells_its_missing_frame(make_video, name):
    times = [number / 25 for number in range(20) if number != 9]
    reader = VideoReader(make_video(name, times=times))
    assert len(list(reader)) == 19
    assert reader.warnings == ["1 frame is missing: the timestamps jump after 0.32 s"]
    reader = VideoReader(reader.info.path, start=0.4)
    list(reader)
    assert reader.warnings == [], "it lies before the span"
