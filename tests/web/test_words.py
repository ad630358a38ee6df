"""What the page of `poselift web` says of files that are no videos, of the time left, and of tabs that were closed."""

import json
import shutil
import subprocess
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

WEB = Path(__file__).parents[2] / "web"


def write_video(path, codec):
    """Ten grey pictures."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for _ in range(10):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((64, 64, 3), 90, np.uint8), "rgb24")))
        container.mux(stream.encode())


def write_sound(path):
    """A tenth of a second of silence."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 4410), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    if shutil.which("node") is None or not (WEB / "node_modules" / "mediabunny").is_dir():
        pytest.skip("node or mediabunny is not installed: npm ci in web")
    folder = tmp_path_factory.mktemp("files")
    write_video(folder / "walk.mp4", "libx264")
    try:
        write_video(folder / "phone.mp4", "libx265")
    except av.error.FFmpegError as error:
        pytest.skip(f"FFmpeg writes no HEVC here: {error}")
    write_sound(folder / "song.m4a")
    cv2.imwrite(str(folder / "photo.png"), np.full((64, 64, 3), 90, np.uint8))
    (folder / "notes.mp4").write_text("grüße\n" * 900, "utf-8")
    (folder / "empty.mp4").touch()
    (folder / "noise.mp4").write_bytes(bytes(50_000))
    ran = subprocess.run(
        ["node", "test/words.mjs", *sorted(folder.iterdir())], cwd=WEB, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_each_kind_of_file_has_its_own_sentence(said):
    assert said["files"] == {
        "walk.mp4": None,
        "noise.mp4": None,  # the video element says what it is
        "empty.mp4": "empty.mp4 is empty; copy it again, or open another video.",
        "notes.mp4": "notes.mp4 is a text, not a video; open an MP4, MOV or WebM.",
        "photo.png": "photo.png is a photo; open a video here, or give the photo to the command poselift lift.",
        "song.m4a": "song.m4a has sound and no picture; open a video.",
        "phone.mp4": "phone.mp4 is HEVC (H.265), which this browser cannot decode; save it as MP4 (H.264) first: on an "
        "iPhone, choose Most Compatible under Settings, Camera, Formats.",
    }


def test_the_share_of_a_long_video_is_shown_from_the_start(said):
    assert said["times"] == ["0.0 %", "0.4 %", "0.8 % · 41 min left", "1.5 % · 33 min left", "3 % · 32 min left"]


def test_a_tab_that_is_at_work_is_not_called_closed(said):
    assert said["tabs"] == ["walk.mp4", None, None, 0]
