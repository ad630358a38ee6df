"""Facts about a video, from its header and its first picture."""

import contextlib
import math
import os
from dataclasses import dataclass
from pathlib import Path

from av import VideoFrame
from av.container import InputContainer
from av.video.stream import VideoStream

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError, describe
from poselift.video.compression import EXPORT, describe_compression
from poselift.video.decoder import Decoder, open_video
from poselift.video.focal_length import named_field_of_view
from poselift.video.pictures import PICTURE_RATE, Pictures, find_pictures, read_picture
from poselift.video.upright import Upright


@dataclass(frozen=True)
class VideoInfo:
    """Facts about a video. Duration, frame rate and number of frames come from the header, which can be wrong.

    Attributes:
        path: the file, or the folder or pattern of pictures.
        width: width of the displayed picture, upright and with square pixels.
        height: height of the displayed picture.
        duration: seconds; None if unknown.
        frames: estimated number of frames; None if unknown.
        fps: average frames per second; None if unknown.
        rotation: clockwise rotation from the stored to the displayed picture: 0, 90, 180 or 270 degrees.
        fov: field of view across the longer side that the file names, degrees; None if it names none.
        compression: how its first picture is heavily compressed; None if it is not, or unknown.
    """

    path: Path
    width: int
    height: int
    duration: float | None
    frames: int | None
    fps: float | None
    rotation: int
    fov: float | None = None
    compression: str | None = None


@check_annotations
def probe(path: str | os.PathLike[str]) -> VideoInfo:
    """Facts about a video, from its header and its first picture.

    Args:
        path: the video, or pictures as `VideoReader` takes them; these count as 30 a second, and one alone has no rate.

    Raises:
        InputError: the file is missing, is not a video, or has no picture that can be decoded.

    Example:
        >>> from poselift.samples import demo_video
        >>> info = probe(demo_video())
        >>> info.width, info.height, info.frames
        (960, 540, 120)
    """
    path = Path(path)
    if (pictures := find_pictures(path)) is not None:
        return _probe_pictures(pictures)
    with open_video(path) as (container, stream):
        stream.codec_context.options = EXPORT
        first = next(iter(Decoder(container, stream)), None)
        if first is None:
            raise InputError(
                f"{path}: no frame can be decoded; the video is empty or damaged, so copy or record it again"
            )
        upright = Upright(first, stream)
        duration = _duration(container, stream, first)
        rate = stream.average_rate or stream.guessed_rate
        frames = stream.frames or (round(duration * rate) if duration and rate else None)
        fov = named_field_of_view(stream.metadata, container.metadata)
        compression = describe_compression(first, container, stream)
    return VideoInfo(
        path=path,
        width=upright.width,
        height=upright.height,
        duration=duration,
        frames=frames,
        fps=float(rate) if rate else None,
        rotation=upright.rotation,
        fov=fov,
        compression=compression,
    )


def _probe_pictures(pictures: Pictures) -> VideoInfo:
    """Facts about pictures, by their numbers and the first decodable one."""
    try:
        image = next((image for image in map(read_picture, pictures.files) if image is not None), None)
    except OSError as error:
        raise InputError(describe(error)) from error
    if image is None:
        raise InputError(f"{pictures.path}: no picture can be decoded; write or copy them again as PNG or JPEG")
    alone = len(pictures.files) == 1
    count = pictures.places[-1] + 1
    return VideoInfo(
        path=pictures.path,
        width=image.shape[1],
        height=image.shape[0],
        duration=None if alone else count / PICTURE_RATE,
        frames=len(pictures.files),
        fps=None if alone else PICTURE_RATE,
        rotation=0,
    )


def _duration(container: InputContainer, stream: VideoStream, first: VideoFrame) -> float | None:
    """Seconds of the video stream, or of the file; None if unknown."""
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    # The other two are the end of the file by its own clock, which may not start at 0 with the first picture.
    # Not `first.time`: a picture that the decoder gives at the end of the file has no time base.
    begin = max(float((first.pts or 0) * (stream.time_base or 0)), 0.0)
    # Matroska has it in a tag: "00:00:07.732000000".
    parts = stream.metadata.get("DURATION", "").split(":")
    if len(parts) == 3:
        with contextlib.suppress(ValueError):
            hours, minutes, seconds = (float(part) for part in parts)
            end = 3600 * hours + 60 * minutes + seconds
            if math.isfinite(end):
                return max(end - begin, 0.0)
    # In microseconds.
    return max(container.duration / 1e6 - begin, 0.0) if container.duration else None
