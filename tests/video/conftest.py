"""Small videos, written with PyAV itself, so that the reader is not tested against the project's own writer."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

MakeVideo = Callable[..., Path]


def numbered_picture(number: int, width: int, height: int) -> np.ndarray:
    """A picture that tells its number (grey level) and which way is up (red in the top left corner)."""
    image = np.full((height, width, 3), 40 + 3 * number, dtype=np.uint8)
    image[: height // 3, : width // 3] = 230, 20, 20
    return image


@pytest.fixture
def make_video(tmp_path: Path) -> MakeVideo:
    def make(
        name: str = "clip.mp4",
        frames: int = 20,
        rate: Fraction | int = 25,
        times: Sequence[float] | None = None,
        size: tuple[int, int] = (96, 64),
        pixel_aspect: Fraction | None = None,
        codec: str = "libx264",
        pix_fmt: str = "yuv420p",
        options: dict[str, str] | None = None,
        index_in_front: bool = True,
        container_format: str | None = None,
    ) -> Path:
        path = tmp_path / name
        flags = {"movflags": "+faststart"} if index_in_front and path.suffix in (".mp4", ".mov") else {}
        with av.open(str(path), "w", format=container_format, options=flags) as container:
            stream = container.add_stream(codec, rate=rate, options=options or {})
            stream.width, stream.height = size
            stream.pix_fmt = pix_fmt
            if pixel_aspect is not None:
                stream.codec_context.sample_aspect_ratio = pixel_aspect
            tick = 1 / Fraction(rate)
            if times is not None:
                tick = Fraction(1, 90000)
                stream.codec_context.time_base = tick
            for number in range(frames if times is None else len(times)):
                frame = av.VideoFrame.from_ndarray(numbered_picture(number, *size), format="rgb24")
                frame.pts = number if times is None else round(times[number] / tick)
                frame.time_base = tick
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        return path

    return make
