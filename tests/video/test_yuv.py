import av
import numpy as np
import pytest
from av.video.reformatter import Colorspace

from poselift.video.yuv import YuvConverter


@pytest.mark.parametrize(
    ("color", "levels"),
    [
        ((255, 255, 255), (235, 128, 128)),
        ((255, 0, 0), (63, 102, 240)),
        ((0, 0, 255), (32, 240, 118)),
    ],
)
def test_levels_of_bt709(color, levels):
    """The levels of 100 % colour bars in ITU-R BT.709."""
    frame = YuvConverter(34, 18)(np.full((18, 34, 3), color, np.uint8))
    brightness, *difference = np.split(frame.to_ndarray().ravel(), [34 * 18, 34 * 18 * 5 // 4])
    for plane, level in zip((brightness, *difference), levels, strict=True):
        assert set(plane.tolist()) == {level}


@pytest.mark.parametrize(("width", "height"), [(98, 66), (2, 2)])
def test_it_agrees_with_ffmpeg(width, height):
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    image = np.stack([x, y, 255 - (x + y) / 2], -1).astype(np.uint8)
    shared = av.VideoFrame.from_ndarray(image, format="rgb24")
    expected = shared.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709)
    frame = YuvConverter(width, height)(image)
    assert frame.format.name == "yuv420p"
    for plane, other in zip(frame.planes, expected.planes, strict=True):
        ours, theirs = (
            np.frombuffer(p, np.uint8).reshape(p.height, -1)[:, : p.width].astype(int) for p in (plane, other)
        )
        assert np.abs(ours - theirs).mean() < 1.5 + 400 / width / height


def test_a_view_is_converted_as_it_looks():
    image = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    whole, part = YuvConverter(64, 48), YuvConverter(32, 48)
    np.testing.assert_array_equal(
        part(image[:, 64:31:-1]).to_ndarray(), part(np.ascontiguousarray(image[:, 64:31:-1])).to_ndarray()
    )
    assert whole(image).to_ndarray().shape == (72, 64)
