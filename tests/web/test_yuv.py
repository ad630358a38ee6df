"""Decoded pictures have the same colors in the page as in Python, to the last bit."""

import json
import platform
import shutil
import subprocess
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.reformatter import ColorRange

from poselift.video.upright import Upright

WEB = Path(__file__).parents[2] / "web"
WIDTH, HEIGHT = 70, 46
MATRICES = {"bt709": 1, "smpte170m": 6, "bt2020-ncl": 9, None: 2}
"""FFmpeg's number of each of the browser's color matrices."""


def plane_bytes(frame):
    """The frame's planes one after another as a browser copies them."""
    return [
        np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]
        for plane in frame.planes
    ]


def made_frame(matrix, full, seed):
    """A picture of noise."""
    random = np.random.default_rng(seed)
    frame = av.VideoFrame(WIDTH, HEIGHT, "yuv420p")
    for plane in frame.planes:
        plane.update(random.integers(0, 256, (plane.height, plane.line_size), dtype=np.uint8).tobytes())
    frame.colorspace, frame.color_range = MATRICES[matrix], ColorRange.JPEG if full else ColorRange.MPEG
    return frame


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="FFmpeg rounds otherwise on other processors")
def test_colors_are_those_of_ffmpeg(tmp_path):
    with av.open(str(tmp_path / "a.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=30)  # square pixels of usual brightness
        kinds = [(matrix, full, layout) for matrix in MATRICES for full in (False, True) for layout in ("I420", "NV12")]
        request, wanted = [], []
        for number, (matrix, full, layout) in enumerate(kinds):
            frame = made_frame(matrix, full, number)
            luma, blue, red = plane_bytes(frame)
            half = WIDTH // 2
            planes = [luma, blue, red] if layout == "I420" else [luma, np.stack([blue, red], -1).reshape(len(blue), -1)]
            strides = [WIDTH, half, half] if layout == "I420" else [WIDTH, WIDTH]
            offsets = np.cumsum([0, *(plane.size for plane in planes)]).tolist()
            (tmp_path / f"{number}.yuv").write_bytes(b"".join(plane.tobytes() for plane in planes))
            places = [{"offset": start, "stride": stride} for start, stride in zip(offsets, strides, strict=False)]
            # As Safari: the file says limited range, and the decoder makes full range of it.
            ranges = {"decodedRange": full, "named": {"matrix": matrix, "fullRange": False}}
            if matrix is None:  # as a decoder that does not say
                ranges = {"decodedRange": None, "named": {"matrix": None, "fullRange": full}}
            about = {"format": layout, "planes": places, "width": WIDTH, "height": HEIGHT, **ranges}
            request.append({"file": str(tmp_path / f"{number}.yuv"), **about})
            wanted.append(Upright(frame, stream)(frame))
    last = request[-1]
    others = {"format": "BGRA"}, {"named": {"matrix": "bt709", "transfer": "pq"}}, {"width": WIDTH - 1}
    (tmp_path / "request.json").write_text(json.dumps([*request, *({**last, **other} for other in others)]))
    subprocess.run(["node", WEB / "test" / "yuv.mjs", tmp_path / "request.json", tmp_path], check=True, timeout=60)
    for number, image in enumerate(wanted):
        found = np.fromfile(tmp_path / f"{number}.rgba", np.uint8).reshape(HEIGHT, WIDTH, 4)
        np.testing.assert_array_equal(found[..., :3], image, str(kinds[number]))
        assert (found[..., 3] == 255).all()
    # A canvas draws what has other planes, another brightness or odd sizes.
    assert len(list(tmp_path.glob("*.rgba"))) == len(wanted)
