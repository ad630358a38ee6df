"""Small videos for tests of faults, made with PyAV: sound ones of many kinds, and damaged copies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from jaxtyping import UInt8

FRAMES = 10


@dataclass(frozen=True)
class Kind:
    """How a video is encoded.

    Attributes:
        name: of the file.
        codec: FFmpeg's name.
        pixels: format of the pictures.
        size: width and height.
        times: of the frames, seconds; evenly at `rate` if empty.
        rate: frames per second.
        options: of the encoder.
        flags: of the container.
        context: attributes of the encoder's context.
    """

    name: str
    codec: str = "libx264"
    pixels: str = "yuv420p"
    size: tuple[int, int] = (64, 48)
    times: Sequence[float] = ()
    rate: int = 25
    options: dict[str, str] = field(default_factory=lambda: {"g": "5"})
    flags: dict[str, str] = field(default_factory=dict)
    context: dict[str, object] = field(default_factory=dict)


CONTAINERS = (
    Kind("moov in front.mp4", flags={"movflags": "+faststart"}),
    Kind("moov behind.mp4"),
    Kind("plain.mkv"),
    Kind("plain.webm", codec="libvpx"),
    Kind("plain.avi", codec="mpeg4"),
    Kind("plain.mov"),
    Kind("plain.ts"),
    Kind("plain.gif", codec="gif", pixels="rgb8", options={}),
)
"""Those that are cut, overwritten and flipped."""

_TEN_BITS = {"color_range": 1, "colorspace": 9, "color_primaries": 9}

SOUND = {
    "one frame": Kind("one.mp4", times=(0.0,)),
    "16 x 16": Kind("tiny.mp4", size=(16, 16)),
    "odd size": Kind("odd.avi", codec="mpeg4", size=(65, 49)),
    "8K": Kind("8k.avi", codec="mjpeg", pixels="yuvj420p", size=(7680, 4320), times=(0.0, 0.04), options={}),
    "1 fps": Kind("slow.mp4", rate=1),
    "240 fps": Kind("fast.mp4", rate=240),
    "variable rate, long gap": Kind("variable.mp4", times=(0, 0.03, 0.08, 0.1, 0.15, 3.0, 3.03, 3.1, 3.2, 9.0)),
    "half a second missing": Kind("hole.mkv", times=(0, 0.04, 0.08, 0.12, 0.16, 0.7, 0.74, 0.78, 0.82, 0.86)),
    "not square": Kind("anamorphic.mp4", context={"sample_aspect_ratio": Fraction(4, 3)}),
    "interlaced": Kind("interlaced.mp4", options={"g": "5", "x264-params": "tff=1"}),
    "10 bits": Kind("10bit.mp4", pixels="yuv420p10le"),
    "HDR": Kind("hdr.mp4", pixels="yuv420p10le", context={**_TEN_BITS, "color_trc": 16}),
    "alpha": Kind("alpha.mov", codec="qtrle", pixels="argb", options={}),
}
"""Sound videos, by what is unusual."""


def make(folder: Path, kind: Kind) -> Path:
    """Writes a video of a square that moves."""
    path = folder / kind.name
    times = kind.times or [number / kind.rate for number in range(FRAMES)]
    tick = Fraction(1, 1000) if kind.times else Fraction(1, kind.rate)
    with av.open(str(path), "w", options=dict(kind.flags)) as container:
        stream = container.add_stream(kind.codec, rate=kind.rate, options=dict(kind.options))
        stream.width, stream.height = kind.size
        stream.pix_fmt = kind.pixels
        if kind.times:
            stream.codec_context.time_base = tick
        for name, value in kind.context.items():
            setattr(stream.codec_context, name, value)
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(_picture(number, *kind.size), format="rgb24")
            frame.pts, frame.time_base = round(time / tick), tick
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def patched(path: Path, name: str, old: bytes, new: bytes) -> Path:
    """A copy of a file with other bytes in one place, of the same number.

    Raises:
        ValueError: the file does not have these bytes.
    """
    content = path.read_bytes()
    at = content.index(old)
    copy = path.with_name(name)
    copy.write_bytes(content[:at] + new + content[at + len(new) :])
    return copy


def cut(path: Path, places: int) -> Iterator[tuple[int, Path]]:
    """Copies that end at evenly spaced places, with the percentage that is left."""
    content = path.read_bytes()
    for place in range(1, places + 1):
        percent = 100 * place / (places + 1)
        copy = path.with_name(f"cut {percent:.0f} {path.name}")
        copy.write_bytes(content[: round(len(content) * percent / 100)])
        yield round(percent), copy


def _picture(number: int, width: int, height: int) -> UInt8[np.ndarray, "h w 3"]:
    """Noise that is the same in all frames, and a square that moves."""
    # Few colours of coarse noise, so that large pictures are quick to encode.
    coarse = np.random.default_rng(0).integers(40, 200, (8, 8, 3), np.uint8)
    rows, columns = np.arange(height) * 8 // height, np.arange(width) * 8 // width
    picture = coarse[rows[:, None], columns[None]]
    left = number * width // (2 * FRAMES)
    picture[height // 3 : 2 * height // 3, left : left + width // 4] = 230, 20, 20
    return picture
