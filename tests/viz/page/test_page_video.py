import av
import numpy as np
import pytest

from poselift.samples import demo_video
from poselift.video import VideoWriter, probe
from poselift.viz.page import write_small_video


def test_a_span_keeps_its_time_stamps(tmp_path):
    small = write_small_video(demo_video(), tmp_path / "small.mp4", 0.5, 1.01)
    np.testing.assert_allclose(small.times, np.arange(15, 31) / 30, atol=1e-6)
    info = probe(small.path)
    assert (info.width, info.height, info.frames) == (960, 540, 16)


@pytest.mark.parametrize(("size", "expected"), [((1080, 1921), (540, 960)), ((301, 201), (302, 202))])
def test_sizes_are_even_and_small(tmp_path, size, expected):
    with VideoWriter(tmp_path / "large.mp4", *size) as writer:
        for frame in range(2):
            writer.write(np.full((size[1], size[0], 3), 90, np.uint8), frame / 25)
    info = probe(write_small_video(tmp_path / "large.mp4", tmp_path / "small.mp4").path)
    assert (info.width, info.height) == expected


@pytest.mark.slow
def test_browsers_can_play_it_and_seek_in_it(tmp_path):
    small = write_small_video(demo_video(), tmp_path / "small.mp4")
    with av.open(str(small.path)) as container:
        stream = container.streams.video[0]
        assert (stream.codec.name, stream.pix_fmt) == ("h264", "yuv420p")
        keys = [packet.is_keyframe for packet in container.demux(stream) if packet.size]
    assert sum(keys) >= len(keys) / 15
