from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from poselift.video import VideoReader, probe

IDENTITY = (1, 0, 0, 1)


def set_display_matrix(path: Path, matrix: tuple[int, int, int, int]) -> None:
    """Writes a, b, c, d into the track header of an .mp4 (ISO/IEC 14496-12, 8.3.2), as a phone does."""

    def packed(a: int, b: int, c: int, d: int) -> bytes:
        one = 1 << 16
        return np.array([a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30], dtype=">i4").tobytes()

    data = path.read_bytes()
    place = data.index(packed(*IDENTITY), data.index(b"tkhd"))
    path.write_bytes(data[:place] + packed(*matrix) + data[place + 36 :])


def red_corner(image: np.ndarray) -> str:
    """Which corner of the picture is red."""
    corners = {
        "top left": image[3, 3],
        "top right": image[3, -4],
        "bottom left": image[-4, 3],
        "bottom right": image[-4, -4],
    }
    red = [name for name, (r, g, b) in corners.items() if r > 180 and g < 90 and b < 90]
    assert len(red) == 1
    return red[0]


@pytest.mark.parametrize(
    ("matrix", "rotation", "corner"),
    [
        (IDENTITY, 0, "top left"),
        ((0, 1, -1, 0), 90, "top right"),
        ((-1, 0, 0, -1), 180, "bottom right"),
        ((0, -1, 1, 0), 270, "bottom left"),
        # Mirrored, as front cameras do.
        ((-1, 0, 0, 1), 0, "top right"),
        ((0, 1, 1, 0), 270, "top left"),
    ],
)
def test_pictures_come_out_as_the_display_matrix_says(make_video, matrix, rotation, corner):
    path = make_video(frames=3, size=(96, 64))
    set_display_matrix(path, matrix)
    info = probe(path)
    frame = next(iter(VideoReader(path)))
    assert info.rotation == rotation
    assert (info.width, info.height) == ((64, 96) if rotation in (90, 270) else (96, 64))
    assert frame.image.shape == (info.height, info.width, 3)
    assert red_corner(frame.image) == corner
    assert frame.image.flags.c_contiguous


def test_a_turn_that_is_not_a_quarter_is_a_warning(make_video):
    path = make_video(frames=3, size=(96, 64))
    set_display_matrix(path, (1, 1, -1, 1))
    reader = VideoReader(path)
    assert len(list(reader)) == 3
    (warning,) = reader.warnings
    assert "turned by 45 degrees; only quarter turns are possible, so they are turned by 0" in warning


def test_pixels_become_square_before_the_turn(make_video):
    path = make_video(frames=2, size=(96, 64), pixel_aspect=Fraction(4, 3))
    assert (probe(path).width, probe(path).height) == (128, 64)
    set_display_matrix(path, (0, 1, -1, 0))
    assert (probe(path).width, probe(path).height) == (64, 128)
    assert next(iter(VideoReader(path))).image.shape == (128, 64, 3)


def test_odd_sizes_keep_every_row_and_column(make_video):
    path = make_video(frames=2, size=(97, 63), codec="libx264", pix_fmt="yuv444p")
    assert (probe(path).width, probe(path).height) == (97, 63)
    image = next(iter(VideoReader(path))).image
    assert image.shape == (63, 97, 3)
    assert np.abs(image[-1, -1].astype(int) - 40).max() < 8


@pytest.mark.parametrize(
    ("name", "codec", "pix_fmt"), [("clip.mp4", "libx264", "yuv420p"), ("clip.avi", "mjpeg", "yuvj420p")]
)
def test_colours_are_rgb_from_narrow_and_full_range(make_video, name, codec, pix_fmt):
    image = next(iter(VideoReader(make_video(name, frames=1, codec=codec, pix_fmt=pix_fmt)))).image
    np.testing.assert_allclose(image[-5, -5], (40, 40, 40), atol=3)
    np.testing.assert_allclose(image[5, 5], (230, 20, 20), atol=12)
