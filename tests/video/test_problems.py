"""Damaged and unusual videos: made for real, and each tells what is wrong with it."""

import os
from pathlib import Path

import av
import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.video import VideoReader, probe
from poselift.video.decoder import open_file
from poselift.video.problems import is_cut_off
from tests.video.made_videos import CONTAINERS, SOUND, cut, make, patched

PLAIN = {Path(kind.name).suffix: kind for kind in CONTAINERS}


def read(path):
    reader = VideoReader(path)
    return list(reader), reader.warnings


@pytest.mark.parametrize("kind", CONTAINERS, ids=lambda kind: kind.name)
def test_a_video_cut_off_anywhere_is_refused_or_warned_of(kind, tmp_path):
    path = make(tmp_path, kind)
    frames, warnings = read(path)
    assert (len(frames), warnings) == (10, [])
    for percent, copy in cut(path, 10):
        try:
            frames, warnings = read(copy)
        except InputError:
            continue
        assert warnings, f"{percent} % gave {len(frames)} frames"


def test_an_error_that_only_ffmpegs_log_has_is_told(tmp_path, capfd, caplog):
    path = make(tmp_path, PLAIN[".avi"])
    content = bytearray(path.read_bytes())
    middle = content.index(b"movi") + 900
    content[middle : middle + 60] = bytes(60)
    path.write_bytes(content)
    frames, warnings = read(path)
    assert len(frames) > 5
    assert "the file is damaged" in warnings[0]
    assert "FFmpeg reports" in warnings[0]
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
    assert av.logging.get_level() is None


def test_a_reader_beside_another_one_leaves_the_log_as_it_was(tmp_path):
    path = make(tmp_path, PLAIN[".mkv"])
    first, second = iter(VideoReader(path)), iter(VideoReader(path))
    next(first), next(second)
    first.close()
    assert av.logging.get_level() == av.logging.PANIC
    second.close()
    assert av.logging.get_level() is None


@pytest.mark.parametrize("fault", [fault for fault in SOUND if fault not in ("8K", "interlaced")])
def test_unusual_videos_are_read_completely(fault, tmp_path):
    kind = SOUND[fault]
    frames, warnings = read(make(tmp_path, kind))
    assert len(frames) == (len(kind.times) or 10)
    hole = fault == "half a second missing"
    warnings = [text for text in warnings if "heavily compressed" not in text]  # 16 x 16 pixels are
    assert warnings == ["13 frames are missing: the timestamps jump after 0.16 s"] * hole


def test_interlaced_video_is_told(tmp_path):
    frames, warnings = read(make(tmp_path, SOUND["interlaced"]))
    assert len(frames) == 10
    assert warnings[0].startswith("10 frames are interlaced")


def test_hdr_gets_the_usual_brightness(tmp_path):
    """A white of 203 cd/m2 is grey in the file, and light in the picture."""
    plain, _ = read(make(tmp_path, SOUND["10 bits"]))
    hdr, _ = read(make(tmp_path, SOUND["HDR"]))
    before, after = plain[0].image[:10].astype(float), hdr[0].image[:10].astype(float)
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.8
    assert after[before > 150].mean() > before[before > 150].mean() + 20


def test_odd_metadata_does_not_matter(tmp_path):
    mkv = make(tmp_path, PLAIN[".mkv"])
    for name, old, new in (
        ("latin.mkv", b"Lavf", b"L\xe9vf"),
        ("duration.mkv", b"00:00:00.400000000", b"00:00:no.400000000"),
        ("infinite.mkv", b"00:00:00.400000000", b"00:00:infinity.000"),
    ):
        frames, warnings = read(patched(mkv, name, old, new))
        assert (len(frames), warnings) == (10, [])
        assert probe(mkv.with_name(name)).duration == pytest.approx(0.4)


def test_an_unknown_codec_is_named(tmp_path):
    path = patched(make(tmp_path, PLAIN[".mkv"]), "codec.mkv", b"V_MPEG4/ISO/AVC", b"V_MPEG4/XXX/XXX")
    with pytest.raises(InputError, match="unknown codec; convert it"):
        probe(path)


def test_a_playlist_is_not_waited_for(tmp_path):
    path = tmp_path / "list.m3u8"
    path.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1,\nclip.ts\n")
    with pytest.raises(InputError, match="is a playlist"):
        probe(path)


LISTS = {
    "clip.ffconcat": "ffconcat version 1.0\nfile 'part.ts'\n",
    "clip.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
    "clip.mpd": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>',
}


@pytest.mark.parametrize("name", LISTS)
def test_no_other_file_is_opened(name, tmp_path):
    """The part is a pipe to which nobody writes: whoever opens it waits."""
    os.mkfifo(tmp_path / "part.ts")
    (tmp_path / name).write_text(LISTS[name])
    with pytest.raises(InputError, match=r"is a playlist|cannot be opened as a video"):
        probe(tmp_path / name)


def test_ffmpeg_itself_refuses_lists(tmp_path):
    os.mkfifo(tmp_path / "part.ts")
    (tmp_path / "a.mp4").write_text(LISTS["clip.ffconcat"])
    with pytest.raises(av.error.ArgumentError):
        open_file(tmp_path / "a.mp4", timeout=5.0)


def test_a_name_is_no_pattern_of_names(make_video, tmp_path):
    kind = {"frames": 1, "codec": "png", "pix_fmt": "rgb24", "container_format": "image2pipe"}
    make_video("a0.png", size=(32, 32), **kind)
    with open_file(make_video("a%d.png", size=(96, 64), **kind), timeout=5.0) as container:
        assert container.streams.video[0].width == 96


def test_an_animated_webp_is_no_still_picture(tmp_path):
    path = tmp_path / "a.webp"
    path.write_bytes(b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0" + bytes(6))
    with pytest.raises(InputError, match="animated WebP"):
        probe(path)


def test_unbelievable_pixels_are_square(make_video):
    path = make_video("clip.mkv", pixel_aspect=9)
    reader = VideoReader(path)
    assert next(iter(reader)).image.shape == (64, 96, 3)
    assert reader.warnings == ["pixels 9 times as wide as high are not believed; square ones are assumed"]


@pytest.mark.parametrize(
    ("content", "cut_off"),
    [
        (b"G".ljust(188) * 3, False),
        (b"G".ljust(188) * 3 + b"G", True),
        (b"\0\0\0\x10ftypisom1234" + b"\0\0\0\x10mdat123", True),
        (b"\0\0\0\x10ftypisom1234" + b"\0\0\xff\0otherthings", False),
        (b"GIF89a....;\0\0", False),
        (b"GIF89a....", True),
    ],
)
def test_ends_in_the_middle(content, cut_off, tmp_path):
    path = tmp_path / "clip"
    path.write_bytes(content)
    assert is_cut_off(path) == cut_off


def test_a_damaged_chunk_of_avi_hides_no_frame_without_a_word(make_video):
    path = make_video("clip.avi")
    content = bytearray(path.read_bytes())
    content[content.rindex(b"00dc", 0, content.rindex(b"idx1"))] = ord("8")  # of the last chunk
    path.write_bytes(content)
    reader = VideoReader(path)
    read = len(list(reader))
    assert reader.warnings[0].startswith(f"{read} of the {read + 1} frames that the header announces could be read")


def test_a_damaged_header_in_a_ts_file_hides_no_frame_without_a_word(make_video):
    path = make_video("clip.ts")
    whole = VideoReader(path)
    frames = len(list(whole))
    assert not whole.warnings
    content = bytearray(path.read_bytes())
    content[content.rindex(b"\0\0\1\xe0") + 8] |= 0x40  # the length of the header
    path.write_bytes(content)
    reader = VideoReader(path)
    assert len(list(reader)) == frames - 1
    assert reader.warnings == ["the file is damaged: 1 of its packets have broken headers, so frames are missing"]
