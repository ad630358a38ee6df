"""What a video is, as far as its header and its first picture say."""

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from av import VideoFrame
from av.container import InputContainer
from av.video.stream import VideoStream

from poselift.core.errors import InputError
from poselift.video.stream import Decoder, open_video
from poselift.video.upright import Upright


@dataclass(frozen=True)
class VideoInfo:
    """What a video says of itself. Duration, rate and number of frames come from the header, which can be wrong.

    Attributes:
        path: the file.
        width: of a picture as shown: upright, with square pixels.
        height: of a picture as shown.
        duration: seconds; None where the file does not say.
        frames: estimated number of frames; None where nothing can be told.
        fps: average frames a second; None where nothing can be told.
        rotation: degrees clockwise by which the stored pictures are turned for display: 0, 90, 180 or 270.
    """

    path: Path
    width: int
    height: int
    duration: float | None
    frames: int | None
    fps: float | None
    rotation: int


def probe(path: str | os.PathLike[str]) -> VideoInfo:
    """Reads a video's header and decodes its first picture.

    Raises:
        InputError: the file is missing, is no video, or not one of its pictures can be decoded.
    """
    path = Path(path)
    with open_video(path) as (container, stream):
        first = next(iter(Decoder(container, stream)), None)
        if first is None:
            raise InputError(f"{path}: not one frame can be decoded; the video is empty or damaged")
        upright = Upright(first, pixel_aspect(stream))
        duration = _duration(container, stream, first)
        rate = stream.average_rate or stream.guessed_rate
        frames = stream.frames or (round(duration * rate) if duration and rate else None)
    return VideoInfo(
        path=path,
        width=upright.width,
        height=upright.height,
        duration=duration,
        frames=frames,
        fps=float(rate) if rate else None,
        rotation=upright.rotation,
    )


def pixel_aspect(stream: VideoStream) -> Fraction:
    """Width of a stored pixel over its height; 1 where the file does not say."""
    return stream.sample_aspect_ratio or Fraction(1)


def _duration(container: InputContainer, stream: VideoStream, first: VideoFrame) -> float | None:
    """Seconds of the video stream, or of the whole file where the stream does not say."""
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    # The other two are when the file ends, by its own clock, which need not be at 0 when the first picture is shown.
    begin = max(first.time or 0.0, 0.0)
    # Matroska keeps it in a tag: "00:00:07.732000000".
    parts = stream.metadata.get("DURATION", "").split(":")
    if len(parts) == 3:
        hours, minutes, seconds = (float(part) for part in parts)
        return max(3600 * hours + 60 * minutes + seconds - begin, 0.0)
    # In microseconds.
    return max(container.duration / 1e6 - begin, 0.0) if container.duration else None
