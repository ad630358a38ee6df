import inspect

import av
import numpy as np
import pytest

from poselift.core.errors import InputError, WriteError
from poselift.video import VideoReader, VideoWriter, writer
from tests.core.full_disk import full_disk


def gradient(width, height, shift=0):
    """A picture without hard edges, in which red grows to the right and green downwards."""
    x, y = np.meshgrid(np.linspace(20, 220, width), np.linspace(20, 220, height))
    return np.stack([x, y, np.full_like(x, 40 + shift)], axis=-1).astype(np.uint8)


def write(path, times, width=96, height=64):
    with VideoWriter(path, width, height) as video:
        for n, time in enumerate(times):
            video.write(gradient(width, height, n), time)
    return path


@pytest.mark.parametrize(
    "times",
    [
        [n * 1001 / 30000 for n in range(30)],
        [0, 0.02, 0.1, 0.11, 0.5, 0.9, 0.905, 2.0],
        [0],
    ],
)
def test_times_and_pictures_come_back(tmp_path, times):
    reader = VideoReader(write(tmp_path / "out.mp4", times))
    frames = list(reader)
    assert [frame.timestamp for frame in frames] == times
    assert reader.warnings == []
    for n, frame in enumerate(frames):
        np.testing.assert_allclose(frame.image.astype(int), gradient(96, 64, n), atol=16)
        assert np.abs(frame.image.astype(int) - gradient(96, 64, n)).mean() < 4


def test_odd_sizes_are_padded_with_their_edge(tmp_path):
    frame = next(iter(VideoReader(write(tmp_path / "out.mp4", [0, 0.1], width=97, height=63))))
    assert frame.image.shape == (64, 98, 3)
    np.testing.assert_allclose(frame.image[-1, -1].astype(int), gradient(97, 63)[-1, -1], atol=16)


def test_browsers_can_play_it_and_know_its_colours(tmp_path):
    path = write(tmp_path / "out.mp4", [0, 0.1, 0.2])
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    with av.open(str(path)) as container:
        context = container.streams.video[0].codec_context
        assert (context.name, context.pix_fmt) == ("h264", "yuv420p")
        assert (context.colorspace, context.color_primaries, context.color_trc) == (1, 1, 1)


def test_without_h264_it_falls_back_to_mpeg4(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "_ENCODERS", {"no such encoder": {}, "mpeg4": {}})
    times = [0, 0.02, 0.1, 0.11]
    path = write(tmp_path / "out.mp4", times)
    with av.open(str(path)) as container:
        assert container.streams.video[0].codec_context.name == "mpeg4"
    assert [frame.timestamp for frame in VideoReader(path)] == times
    monkeypatch.setattr(writer, "_ENCODERS", {"no such encoder": {}})
    with pytest.raises(InputError, match="no encoder"):
        write(tmp_path / "other.mp4", times)
    assert [file.name for file in tmp_path.iterdir()] == ["out.mp4"]


@pytest.mark.parametrize("written", [0, 40])
def test_an_error_leaves_nothing_behind_and_keeps_the_older_file(tmp_path, written, capfd):
    path = tmp_path / "out.mp4"
    path.write_bytes(b"the older file")

    def fail_after_some_frames():
        with VideoWriter(path, 96, 64) as video:
            for n in range(written):
                video.write(gradient(96, 64), n / 25)
            raise KeyError("stop")

    with pytest.raises(KeyError):
        fail_after_some_frames()
    assert path.read_bytes() == b"the older file"
    assert [file.name for file in tmp_path.iterdir()] == ["out.mp4"]
    assert capfd.readouterr() == ("", "")


def test_a_video_without_frames_is_refused(tmp_path):
    with pytest.raises(InputError, match="no frame was written"), VideoWriter(tmp_path / "out.mp4", 96, 64):
        pass
    assert list(tmp_path.iterdir()) == []


def test_frames_that_do_not_fit_are_refused(tmp_path):
    with VideoWriter(tmp_path / "out.mp4", 96, 64) as video:
        video.write(gradient(96, 64), 1.0)
        for time in (1.0, 0.5):
            with pytest.raises(InputError, match="not later"):
                video.write(gradient(96, 64), time)
        with pytest.raises(InputError, match="the frame has 64 x 96 pixels, the video 96 x 64"):
            video.write(gradient(64, 96), 2.0)
        write = inspect.unwrap(VideoWriter.write)  # past the types, checked in tests alone
        for image in (gradient(96, 64) / 255, gradient(96, 64)[..., 0], [[0]]):
            with pytest.raises(InputError, match=r"a frame is .*; give uint8 of the shape \(height, width, 3\)"):
                write(video, image, 2.0)
        with pytest.raises(InputError, match="a frame is at nan s; give seconds"):
            video.write(gradient(96, 64), np.nan)


def test_frames_less_than_a_tick_apart_are_written(tmp_path):
    times = np.array([0, 1, 2, 3, 9000]) / 90000
    path = tmp_path / "out.mp4"
    with VideoWriter(path, 96, 64) as video:
        for time in times:
            video.write(gradient(96, 64), time)
    assert [frame.timestamp for frame in VideoReader(path)] == pytest.approx(times, abs=3 / 60000)


def test_other_suffixes_and_empty_sizes_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.mp4 or \.mov"):
        VideoWriter(tmp_path / "out.gif", 96, 64)
    with pytest.raises(InputError, match="0 x 64"):
        VideoWriter(tmp_path / "out.mp4", 0, 64)


def test_a_time_that_mp4_cannot_hold_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"out\.mp4: FFmpeg cannot write the frame at 100000 s: .*; check the time"):
        write(tmp_path / "out.mp4", [0, 100_000])
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk(tmp_path):
    with full_disk(2000), pytest.raises(WriteError, match=r"cannot write .*a\.mp4: File too large; free some space"):
        write(tmp_path / "a.mp4", [n / 25 for n in range(30)])
    assert list(tmp_path.iterdir()) == []
