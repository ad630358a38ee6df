"""Reading a video frame by frame, each with its own time stamp."""

import contextlib
import itertools
import math
import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import av
import numpy as np
from av.container import InputContainer
from jaxtyping import UInt8

from poselift.core.errors import InputError
from poselift.video.clock import Clock
from poselift.video.probe import pixel_aspect, probe
from poselift.video.stream import Decoder, open_video
from poselift.video.upright import Upright


@dataclass(frozen=True)
class Frame:
    """One picture of a video.

    Attributes:
        image: RGB, upright, with square pixels.
        timestamp: seconds, from the video's own time stamps; the first frame of the video is at 0.
        index: counts the frames of one reading, from 0.
    """

    image: UInt8[np.ndarray, "h w 3"]
    timestamp: float
    index: int


class VideoReader:
    """The frames of a video, or of a span of it, in order; memory does not grow with its length.

    Time stamps strictly increase: a frame whose stamp does not come after the one before is left out. A damaged
    or truncated file gives its frames as far as they go. `warnings` tells of either.
    May be iterated more than once; each time the file is opened anew.

    Args:
        path: the video.
        start: seconds; the first frame read is the first one at or after it.
        end: seconds; frames at or after it are not read.

    Attributes:
        info: what the video says of itself.
        warnings: what was wrong, a line each; complete when an iteration has come to its end.

    Raises:
        InputError: the file is no video, not one frame of it can be decoded, or it has none in the span.
    """

    def __init__(
        self, path: str | os.PathLike[str], start: float | int | None = None, end: float | int | None = None
    ) -> None:
        self._start = 0.0 if start is None else float(start)
        self._end = math.inf if end is None else float(end)
        if not 0 <= self._start < math.inf:
            raise InputError(f"start is {start}; give seconds from the beginning of the video, 0 or more")
        if not self._end > self._start:
            raise InputError(f"end is {end} s and start is {self._start:g} s; give an end after the start")
        self.info = probe(path)
        self.warnings: list[str] = []
        if self._start > 0:
            # The header may be wrong about the duration: only a frame shows that the span has one.
            with contextlib.closing(self._read(seek=True)) as frames:
                next(frames)

    def __iter__(self) -> Iterator[Frame]:
        return self._read(seek=self._start > 0)

    def _read(self, seek: bool) -> Generator[Frame, None, None]:
        """Opens the file and gives the span's frames; without `seek`, by decoding all that comes before it."""
        self.warnings = []
        with open_video(self.info.path) as (container, stream):
            decoder = Decoder(container, stream)
            decoded = iter(decoder)
            first = next(decoded, None)
            if first is None:
                raise InputError(f"{self.info.path}: not one frame can be decoded any more; was the file changed?")
            clock = Clock(first, container, stream)
            upright = Upright(first, pixel_aspect(stream))
            if first.pts is None:
                self.warnings.append(f"the file has no time stamps: {1 / clock.interval:g} frames a second are assumed")
            pictures: Iterator[av.VideoFrame] | None = itertools.chain([first], decoded)
            if seek:
                pictures = _seek(container, decoder, clock.stamp(self._start)) if clock.stamped else None
            if pictures is not None:
                yield from self._span(pictures, clock, upright, decoder)
                return
        yield from self._read(seek=False)

    def _span(
        self, pictures: Iterator[av.VideoFrame], clock: Clock, upright: Upright, decoder: Decoder
    ) -> Iterator[Frame]:
        """The pictures within the span, as frames; what was wrong goes to the warnings."""
        index = left_out = 0
        now = until = -1.0
        for picture in pictures:
            seconds = clock.seconds(picture)
            if seconds <= now:
                left_out += 1
                continue
            now, until = seconds, seconds + clock.duration(picture)
            if now >= self._end:
                break
            if now >= self._start:
                yield Frame(upright(picture), now, index)
                index += 1
        if index == 0:
            span = f"from {self._start:g} s on" if math.isinf(self._end) else f"from {self._start:g} to {self._end:g} s"
            ending = "" if now >= self._end else f"; it ends at {until:.2f} s"
            raise InputError(f"{self.info.path} has no frame {span}{ending}")
        expected_end = min(self._end, self.info.duration or 0.0)
        if expected_end - until > max(3 * clock.interval, 0.1):
            frames = round((expected_end - self._start) / clock.interval) if clock.interval else 0
            about = f"{index} of about {frames} frames" if frames > index else f"{index} frames"
            self.warnings.append(f"the file ends early: {about} could be read")
        if decoder.damaged:
            self.warnings.append(f"the file is damaged: {decoder.damaged} of its packets could not be decoded")
        if left_out:
            self.warnings.append(f"frames left out, as their time stamps do not increase: {left_out}")


def read_frames(
    path: str | os.PathLike[str], start: float | int | None = None, end: float | int | None = None
) -> Iterator[Frame]:
    """The frames of a video, or of a span of it, where nobody asks for warnings; see `VideoReader`."""
    return iter(VideoReader(path, start, end))


def _seek(container: InputContainer, decoder: Decoder, stamp: int) -> Iterator[av.VideoFrame] | None:
    """The pictures from a key frame at or before a time stamp; `None` where the file does not lead to one."""
    try:
        container.seek(stamp, stream=decoder.stream)
    except av.error.FFmpegError:
        return None
    pictures = iter(decoder)
    head = next(pictures, None)
    if head is None or head.pts is None or head.pts > stamp:
        return None
    return itertools.chain([head], pictures)
