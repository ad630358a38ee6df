"""Timestamps of decoded pictures."""

from fractions import Fraction

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from poselift.core.errors import InputError


class StreamClock:
    """Seconds since the first picture, from the timestamps of the stream.

    Without timestamps, pictures are counted at the stream's frame rate. The same holds for AVI files with B-frames: AVI
    numbers pictures in decoding order, so their timestamps are shuffled.

    Args:
        first: the stream's first picture.
        container: the open file.
        stream: its video stream.
        stretch: seconds of the movement in a second of the file; below 1 for slow motion.

    Attributes:
        interval: seconds between two frames at the average rate of the stream; 0 if unknown.
        stamped: whether the times come from timestamps of the stream.

    Raises:
        InputError: the file has neither timestamps nor a frame rate.
    """

    def __init__(
        self, first: av.VideoFrame, container: InputContainer, stream: VideoStream, stretch: Fraction = Fraction(1)
    ) -> None:
        rate = stream.average_rate or stream.guessed_rate
        rate = rate and Fraction(rate) / stretch
        self.interval = float(1 / rate) if rate else 0.0
        self._step = 1 / Fraction(rate) if rate else Fraction(0)
        shuffled = container.format.name == "avi" and stream.codec_context.has_b_frames
        self.stamped = first.pts is not None and stream.time_base is not None and not shuffled
        if not self.stamped and not rate:
            raise InputError(f"{container.name} has neither timestamps nor a frame rate; convert it to .mp4 first")
        self._origin = first.pts or 0
        self._tick = (stream.time_base or Fraction(1)) * stretch
        self._now = -self._step

    def seconds(self, picture: av.VideoFrame) -> float:
        """The next picture's time. Without a timestamp, it follows the previous picture."""
        if self.stamped and picture.pts is not None:
            self._now = (picture.pts - self._origin) * self._tick
        else:
            self._now += self._step
        return float(self._now)

    def duration(self, picture: av.VideoFrame) -> float:
        """Seconds for which a picture is shown; the average interval if unknown."""
        return float((picture.duration or 0) * self._tick) or self.interval

    def stamp(self, seconds: float) -> int:
        """The stream's timestamp at or just before a time in seconds."""
        return self._origin + int(Fraction(seconds) / self._tick)
