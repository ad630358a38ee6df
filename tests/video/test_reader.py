import math
import types
from fractions import Fraction

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.video import VideoReader


def number_of(image):
    """The number of a picture, from its grey level."""
    return round((float(image[40:, 40:].mean()) - 40) / 3)


def times_of(frames):
    return [frame.timestamp for frame in frames]


def test_a_mirror_image_is_mirrored_back(make_video):
    path = make_video(frames=5)
    plain, back = list(VideoReader(path)), list(VideoReader(path, mirrored=True))
    assert times_of(back) == times_of(plain)
    for one, other in zip(plain, back, strict=True):
        np.testing.assert_array_equal(other.image, one.image[:, ::-1])
        assert other.image.flags.c_contiguous


@pytest.mark.parametrize("rate", [25, Fraction(30000, 1001)])
def test_constant_rate_gives_exact_times(make_video, rate):
    reader = VideoReader(make_video(frames=20, rate=rate))
    frames = list(reader)
    assert times_of(frames) == [float(n / Fraction(rate)) for n in range(20)]
    assert [frame.index for frame in frames] == list(range(20))
    assert [number_of(frame.image) for frame in frames] == list(range(20))
    assert reader.warnings == []


def test_variable_rate_gives_the_times_of_the_file(make_video):
    times = [0, 0.02, 0.1, 0.11, 0.5, 0.9, 0.905, 2.0]
    frames = list(VideoReader(make_video(times=times)))
    np.testing.assert_allclose(times_of(frames), times, atol=1e-5)
    assert [number_of(frame.image) for frame in frames] == list(range(8))


def test_the_first_frame_is_at_zero_wherever_the_file_starts(make_video):
    times = [7.0, 7.04, 7.08, 7.12]
    frames = list(VideoReader(make_video("clip.ts", times=times)))
    np.testing.assert_allclose(times_of(frames), [0, 0.04, 0.08, 0.12], atol=1e-5)


def test_frames_stream_and_a_reader_can_be_used_again(make_video):
    reader = VideoReader(make_video(frames=6))
    assert isinstance(iter(reader), types.GeneratorType)
    first, second = iter(reader), iter(reader)
    assert next(first).timestamp == 0
    assert next(second).timestamp == 0
    assert next(first).timestamp == 0.04
    assert len(list(reader)) == 6


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("clip.mp4", {"g": "8", "bf": "3"}),
        ("clip.ts", {"g": "8", "bf": "3"}),
        ("clip.h264", {"g": "8", "bf": "3"}),
    ],
)
def test_start_and_end_cut_exactly(make_video, name, options):
    path = make_video(name, frames=40, options=options, container_format="h264" if name.endswith("h264") else None)
    whole = list(VideoReader(path))
    assert times_of(whole) == [n / 25 for n in range(40)]
    for start, end in [(0, 0.3), (0.01, 0.3), (0.32, 0.64), (0.5, None), (0.8, 0.81), (1.56, None), (None, 0.04)]:
        span = list(VideoReader(path, start, end))
        expected = [f for f in whole if (start or 0) <= f.timestamp < (end or math.inf)]
        assert times_of(span) == times_of(expected)
        assert [frame.index for frame in span] == list(range(len(expected)))
        for frame, other in zip(span, expected, strict=True):
            np.testing.assert_array_equal(frame.image, other.image)


@pytest.mark.parametrize("name", ["clip.mp4", "clip.avi"])
def test_slow_motion_by_the_clock_of_the_recording(make_video, name):
    path = make_video(name, frames=40)
    reader = VideoReader(path, fps=200)
    assert (reader.info.fps, reader.info.duration) == (200, pytest.approx(0.2))
    whole = list(reader)
    assert times_of(whole) == pytest.approx([n / 200 for n in range(40)])
    assert reader.warnings == []
    span = list(VideoReader(path, 0.05, 0.1, fps=200))
    assert times_of(span) == times_of(whole[10:20])
    np.testing.assert_array_equal(span[0].image, whole[10].image)
    for rate in (0.5, 1001):
        with pytest.raises(InputError, match=r"fps is .*; give frames per second, from 1 to 1000"):
            VideoReader(path, fps=rate)


@pytest.mark.parametrize(("start", "end"), [(-1, None), (math.nan, None), (0.4, 0.2)])
def test_spans_that_make_no_sense_are_refused(make_video, start, end):
    with pytest.raises(InputError, match=r"start|end"):
        VideoReader(make_video(), start, end)


def test_a_truncated_file_gives_what_it_has_and_says_so(make_video, capfd):
    path = make_video(frames=60, options={"g": "10", "bf": "0"})
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"mdat") + (len(data) - data.index(b"mdat")) // 3])
    reader = VideoReader(path)
    for _ in range(2):
        frames = list(reader)
        assert 5 < len(frames) < 40
        assert [number_of(frame.image) for frame in frames] == list(range(len(frames)))
        assert reader.warnings[0] == f"the file ends early: {len(frames)} of about 60 frames could be read"
    assert list(VideoReader(path, end=0.12))[-1].timestamp == 0.08
    assert capfd.readouterr() == ("", "")


def test_damage_in_the_middle_is_passed_over_and_told(make_video, capfd):
    path = make_video(frames=60, options={"g": "5", "bf": "0"})
    data = bytearray(path.read_bytes())
    middle = data.index(b"mdat") + (len(data) - data.index(b"mdat")) // 2
    data[middle : middle + 400] = bytes(400)
    path.write_bytes(data)
    reader = VideoReader(path)
    frames = list(reader)
    assert 30 < len(frames) < 60
    assert frames[-1].timestamp == 59 / 25
    assert number_of(frames[-1].image) == 59
    assert any("the file is damaged" in line for line in reader.warnings)
    assert capfd.readouterr() == ("", "")


def test_equal_time_stamps_are_left_out_and_told(make_video):
    # Matroska counts in milliseconds, so the third falls on the second.
    times = [0, 0.1, 0.1002, 0.2]
    reader = VideoReader(make_video("clip.mkv", times=times, codec="mjpeg", pix_fmt="yuvj420p"))
    assert times_of(reader) == [0, 0.1, 0.2]
    assert reader.warnings == ["frames dropped because their timestamps do not increase: 1"]
