"""How coarsely the codec has rounded a video's first picture."""

import av
import numpy as np
import pytest

from poselift.samples import demo_video
from poselift.video import VideoReader, probe


def write(path, codec, pixels="yuv420p", **options):
    """The first picture of the demo clip, three times."""
    image = next(iter(VideoReader(demo_video()))).image
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=30, options=options)
        stream.width, stream.height, stream.pix_fmt = 960, 540, pixels
        for number in range(3):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codec", "options", "told"),
    [
        ("libx264", {"preset": "ultrafast", "crf": "23"}, None),
        ("libx264", {"preset": "ultrafast", "crf": "32"}, "quantizer 29 of 51"),
        ("libx264", {"preset": "ultrafast", "crf": "40"}, "quantizer 37 of 51"),
        ("libx264", {"preset": "ultrafast", "crf": "23", "pixels": "yuv420p10le"}, None),
        ("libx264", {"preset": "ultrafast", "crf": "36", "pixels": "yuv420p10le"}, "of 51"),
        ("mpeg4", {"qmin": "3", "qmax": "3"}, None),
        ("mpeg4", {"qmin": "10", "qmax": "10"}, "quantizer 20 of 62"),
        ("libvpx-vp9", {"crf": "20", "b:v": "0", "cpu-used": "8"}, None),
        ("libvpx-vp9", {"crf": "60", "b:v": "0", "cpu-used": "8"}, "of 255 in the first picture"),
        ("libx265", {"preset": "ultrafast", "crf": "26", "x265-params": "log-level=none"}, None),
        ("libx265", {"preset": "ultrafast", "crf": "40", "x265-params": "log-level=none"}, "bits a pixel in the first"),
        ("ffv1", {}, None),
    ],
)
def test_a_coarse_quantizer_is_told(codec, options, told, tmp_path):
    path = write(tmp_path / "a.mkv", codec, **options)
    found = probe(path).compression
    assert (found is None) == (told is None)
    reader = VideoReader(path, end=0.01)
    assert len(list(reader)) == 1
    warned = [text for text in reader.warnings if "heavily compressed" in text]
    assert [told in text for text in warned] == ([] if told is None else [True])


def test_the_demo_clip_is_not_heavily_compressed():
    assert probe(demo_video()).compression is None
