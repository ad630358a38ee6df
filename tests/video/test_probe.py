from fractions import Fraction

import av
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.video import VideoReader, probe


def test_header_of_a_plain_video(make_video):
    path = make_video(frames=20, rate=Fraction(30000, 1001))
    info = probe(path)
    assert (info.path, info.width, info.height, info.frames, info.rotation) == (path, 96, 64, 20, 0)
    assert info.fps == pytest.approx(30000 / 1001)
    assert info.duration == pytest.approx(20 * 1001 / 30000, abs=1e-3)


def test_matroska_says_its_duration_in_a_tag(make_video):
    info = probe(make_video("clip.mkv", frames=20))
    assert info.duration == pytest.approx(0.8)
    assert info.frames == 20


@pytest.mark.parametrize("name", ["clip.mkv", "clip.webm", "clip.mp4"])
def test_a_clip_that_does_not_begin_at_0_is_no_longer(make_video, name):
    codec = {"codec": "libvpx"} if name.endswith("webm") else {}
    path = make_video(name, times=[1 + number / 25 for number in range(20)], **codec)
    assert probe(path).duration == pytest.approx(0.8, abs=0.05)
    reader = VideoReader(path)
    assert len(list(reader)) == 20
    assert reader.warnings == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.mp4", b"", "is empty"),
        ("notes.txt", b"only words\n" * 50, "text file"),
        ("notes.mp4", b"only words\n" * 50, "cannot be opened as a video"),
    ],
)
def test_what_is_no_video_is_refused_in_one_line(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        probe(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_still_picture_with_the_name_of_a_video_is_refused(make_video):
    path = make_video("picture.png", frames=1, codec="png", pix_fmt="rgb24", container_format="image2pipe")
    assert probe(path).frames == 1
    with pytest.raises(InputError, match=r"still picture .* rename it"):
        probe(path.rename(path.with_suffix(".mp4")))


def write_sound(path):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac" if path.suffix == ".m4a" else "libmp3lame", rate=44100, layout="mono")
        for block in range(20):
            samples = np.zeros((1, 1024), dtype=np.float32)
            frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 44100, 1024 * block
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_sound_only_is_refused(tmp_path):
    path = tmp_path / "sound.m4a"
    write_sound(path)
    with pytest.raises(InputError, match="no video stream"):
        probe(path)


def test_a_file_cut_off_before_its_index_is_refused(make_video):
    path = make_video(index_in_front=False)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"moov") - 50])
    with pytest.raises(InputError, match="cannot be opened as a video"):
        probe(path)
