"""Frames of a video, each with its own timestamp."""

import contextlib
import itertools
import logging
import math
import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import av
import numpy as np
from av.container import InputContainer
from jaxtyping import UInt8

from poselift.core.annotations import check_annotations
from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.numerics.times import check_bounds, check_rate
from poselift.video.clock import StreamClock
from poselift.video.decoder import Decoder, open_video
from poselift.video.ffmpeg_errors import count_errors
from poselift.video.pictures import Pictures, decode_pictures, find_pictures
from poselift.video.probe import probe
from poselift.video.problems import Problems, is_cut_off
from poselift.video.upright import Upright, pixel_aspect

_LOG = logging.getLogger(__name__)

_LATEST = 1e9
"""Latest start, seconds: FFmpeg's time stamps go no further."""

_SKEWED = 1.0
"""Degrees from a quarter turn that a file's rotation may have without a warning."""


@dataclass(frozen=True)
class Frame:
    """One picture of a video.

    Attributes:
        image: RGB, upright, with square pixels.
        timestamp: seconds, from the timestamps of the video; the first frame of the video is at 0.
        index: number of the frame in this reading, from 0.
    """

    image: UInt8[np.ndarray, "h w 3"]
    timestamp: float
    index: int


class VideoReader:
    """A video's frames, or those of a span, in order.

    Memory does not grow with the length of the video. Timestamps strictly increase: frames with a repeated or earlier
    timestamp are dropped. A damaged or truncated file gives the frames that can be decoded. `warnings` reports both.
    Each iteration opens the file anew.

    Pictures are a video too, 30 a second without `fps`: a folder of them, a pattern of their names such as
    frame_%04d.png, or one photo. Numbers that are missing in their names are missing frames.

    Args:
        path: the video, or the pictures.
        start: seconds; reading starts with the first frame at or after it.
        end: seconds; reading stops before the first frame at or after it.
        fps: frames per second of the recording, where the file plays them at another rate, as slow motion does. All
            times, also `start` and `end`, are then those of the recording.
        mirrored: whether the file shows a mirror image, as phones save selfies; its pictures are then mirrored back.

    Attributes:
        info: facts about the video; with `fps`, its rate and duration are those of the recording.
        warnings: problems of the video, one line each; complete at the end of an iteration.

    Raises:
        InputError: the file is not a video, no frame of it can be decoded, the span has none, or `fps` is no frame
            rate.

    Example:
        >>> from poselift.samples import demo_video
        >>> [round(frame.timestamp, 3) for frame in VideoReader(demo_video(), end=0.1)]
        [0.0, 0.033, 0.067]
    """

    @check_annotations
    def __init__(
        self,
        path: str | os.PathLike[str],
        start: float | int | None = None,
        end: float | int | None = None,
        fps: float | int | None = None,
        mirrored: bool = False,
    ) -> None:
        self._mirrored = mirrored
        self._start = 0.0 if start is None else float(start)
        self._end = math.inf if end is None else float(end)
        if not 0 <= self._start < _LATEST:
            raise InputError(f"start is {start}; give seconds from the beginning of the video, at least 0")
        check_bounds(self._start, end)
        self._pictures = find_pictures(path)
        self.info, self._stretch = probe(path), Fraction(1)
        self._rated = fps is not None
        if fps is not None:
            self._set_rate(check_rate(fps, "fps"))
        self.warnings: list[Caution] = []
        _LOG.debug("%s: %d x %d at %s frames a second", path, self.info.width, self.info.height, self.info.fps)
        if self._start > 0:
            # The duration in the header can be wrong, so this reads a frame of the span.
            with contextlib.closing(self._read(seek=True)) as frames:
                next(frames)

    def _set_rate(self, fps: float) -> None:
        """Takes the frames as so many a second."""
        if self._pictures is not None and self.info.fps is None:  # of one photo, it changes nothing
            return
        if self.info.fps is None:
            raise InputError(f"{self.info.path} has no frame rate, which fps could correct; convert it to .mp4 first")
        stretch = self.info.fps / fps
        self._stretch = Fraction(stretch)
        lasts = None if self.info.duration is None else self.info.duration * stretch
        self.info = replace(self.info, fps=fps, duration=lasts)

    def _warn(self, text: str) -> None:
        self.warnings.append(Caution(text, "input"))

    def __iter__(self) -> Iterator[Frame]:
        frames = self._read(seek=self._start > 0)
        return map(_mirror, frames) if self._mirrored else frames

    def _read(self, seek: bool) -> Generator[Frame, None, None]:
        """The span's frames; without `seek`, earlier ones are decoded too."""
        self.warnings = []
        if self._pictures is not None:
            yield from self._read_pictures(self._pictures)
            return
        with count_errors() as errors, open_video(self.info.path) as (container, stream):
            decoder = Decoder(container, stream)
            decoded = iter(decoder)
            first = next(decoded, None)
            if first is None:
                raise InputError(
                    f"{self.info.path}: no frame can be decoded any more; restore the file if it was changed"
                )
            clock = StreamClock(first, container, stream, self._stretch)
            upright = Upright(first, stream)
            if abs(upright.wanted - 90 * round(upright.wanted / 90)) > _SKEWED:
                self._warn(
                    f"the file wants its pictures turned by {upright.wanted:.0f} degrees; only quarter turns are "
                    f"possible, so they are turned by {upright.rotation}"
                )
            if stream.sample_aspect_ratio and stream.sample_aspect_ratio != pixel_aspect(stream):
                aspect = f"{float(stream.sample_aspect_ratio):g}"
                self._warn(f"pixels {aspect} times as wide as high are not believed; square ones are assumed")
            if self.info.compression:
                self._warn(
                    f"the video is heavily compressed ({self.info.compression}): joints are less exact; use the "
                    "recording itself, not a small copy"
                )
            if first.pts is None:
                self._warn(f"the file has no timestamps; {1 / clock.interval:g} frames per second are assumed")
            pictures: Iterator[av.VideoFrame] | None = itertools.chain([first], decoded)
            if seek:
                pictures = _seek(container, decoder, clock.stamp(self._start)) if clock.stamped else None
            if pictures is not None:
                yield from self._span(pictures, clock, upright, Problems(decoder, errors, first))
                return
        yield from self._read(seek=False)

    def _read_pictures(self, pictures: Pictures) -> Generator[Frame, None, None]:
        """The pictures of the span; what they lack goes to the warnings."""
        rate = self.info.fps or math.inf  # a photo is at 0
        chosen = [
            (place, file)
            for place, file in zip(pictures.places, pictures.files, strict=True)
            if self._start <= place / rate < self._end
        ]
        if not chosen:
            raise self._no_frame(f"; it ends at {(pictures.places[-1] + 1) / rate:.2f} s")
        if len(pictures.files) > 1 and not self._rated:
            text = f"pictures have no times: {rate:g} a second are assumed; give their rate with --fps"
            self.warnings.append(Caution(text, "input"))
        if pictures.gap:
            self.warnings.append(Caution(pictures.gap, "clock"))
        places, files = zip(*chosen, strict=True)
        size = self.info.width, self.info.height
        decoded = decode_pictures(replace(pictures, places=places, files=files), size, self.warnings)
        index = -1
        for index, (place, image) in enumerate(decoded):
            yield Frame(image, place / rate, index)
        if index < 0:
            raise InputError(f"{pictures.path}: no picture of the span can be decoded; write or copy them again")

    def _no_frame(self, ending: str) -> InputError:
        """The error of a span without a frame."""
        span = f"from {self._start:g} s on" if math.isinf(self._end) else f"from {self._start:g} to {self._end:g} s"
        return InputError(f"{self.info.path} has no frame {span}{ending}")

    def _span(
        self, pictures: Iterator[av.VideoFrame], clock: StreamClock, upright: Upright, problems: Problems
    ) -> Iterator[Frame]:
        """The frames of the span; problems go to the warnings."""
        index = 0
        now = until = -1.0
        for picture in pictures:
            seconds = clock.seconds(picture)
            if seconds <= now:
                problems.left_out += 1
                continue
            now, until = seconds, seconds + clock.duration(picture)
            if now >= self._end:
                break
            if now >= self._start:
                if index == 0 and self._start > 0:
                    # Decoders may report what they miss at the place where reading begins.
                    problems.errors.restart()
                problems.note(picture, now)
                yield Frame(upright(picture), now, index)
                index += 1
        if index == 0:
            raise self._no_frame("" if now >= self._end else f"; it ends at {until:.2f} s")
        expected_end = min(self._end, self.info.duration or 0.0)
        if expected_end - until > max(3 * clock.interval, 0.1):
            frames = round((expected_end - self._start) / clock.interval) if clock.interval else 0
            about = f"{index} of about {frames} frames" if frames > index else f"{index} frames"
            self._warn(f"the file ends early: {about} could be read")
        elif now < self._end and is_cut_off(self.info.path):
            self._warn(f"the file is cut off: its end is missing after {until:.2f} s; copy it again")
        elif self._start == 0 and now < self._end and (lacking := problems.find_lacking(index, self.info.path)):
            self._warn(lacking)
        self.warnings += problems.lines()


def _mirror(frame: Frame) -> Frame:
    """The frame with left and right exchanged."""
    return replace(frame, image=np.ascontiguousarray(frame.image[:, ::-1]))


def _seek(container: InputContainer, decoder: Decoder, stamp: int) -> Iterator[av.VideoFrame] | None:
    """The pictures from a key frame before a timestamp, or None. It is None if seeking fails."""
    try:
        container.seek(stamp, stream=decoder.stream)
    except av.error.FFmpegError:
        return None
    pictures = iter(decoder)
    head = next(pictures, None)
    if head is None or head.pts is None or head.pts > stamp:
        return None
    return itertools.chain([head], pictures)
