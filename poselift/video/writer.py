"""Writing of videos whose frames keep their timestamps."""

import contextlib
import math
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from av.codec.codec import UnknownCodecError
from av.codec.context import Flags
from av.container import OutputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.reformatter import ColorRange
from av.video.stream import VideoStream
from jaxtyping import UInt8

from poselift.core.errors import InputError
from poselift.core.files import NO_ROOM, atomic_path
from poselift.core.safe_parsing import real_number, whole_number
from poselift.video.yuv import YuvConverter

# A multiple of all usual frame rates, also NTSC's 30000/1001, within the 16 bits of MPEG-4 Part 2.
_TICK = Fraction(1, 60000)
# In order of preference. libx264 comes first: at the same speed and quality libopenh264 needs about 1.8 times the
# bits. The macroblock tree would give other bytes in some runs. MPEG-4 Part 2 is for an FFmpeg without H.264; browsers
# do not play it.
_ENCODERS = {
    "libx264": {"preset": "veryfast", "crf": "21", "x264-params": "mbtree=0"},
    "libopenh264": {"rc_mode": "off"},
    "h264": {},
    "mpeg4": {},
}
_SUFFIXES = (".mp4", ".mov")
_LARGEST = 10**9
_BT709 = 1  # of ISO/IEC 23091-2, the same number for primaries, transfer and matrix


class EncodingError(InputError):
    """The encoder refuses a frame. The other files of a result do not depend on it."""


class VideoWriter:
    """Writes frames to a video file: H.264, playable in browsers.

    A context manager: the file appears only if the block ends without an error. Odd sizes are made even by repeating
    the last column or row, because H.264 stores colour at half the resolution.

    Args:
        path: a .mp4 or .mov file.
        width: width of the frames, pixels.
        height: height of the frames, pixels.
        x264: options of libx264, the preferred encoder, instead of the usual ones.

    Raises:
        InputError: the suffix is another one, the file cannot be written, a frame has another size or kind or is not
            later than the previous one, FFmpeg cannot encode it, or the block ends without a frame.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "grey.mp4"
        >>> with VideoWriter(path, 64, 48) as writer:
        ...     for index in range(3):
        ...         writer.write(np.full((48, 64, 3), 128, np.uint8), index / 30)
        >>> path.stat().st_size > 0
        True
    """

    def __init__(
        self, path: str | os.PathLike[str], width: int, height: int, *, x264: Mapping[str, str] | None = None
    ) -> None:
        self._path = Path(path)
        self._encoders = _ENCODERS if x264 is None else {**_ENCODERS, "libx264": dict(x264)}
        if self._path.suffix.lower() not in _SUFFIXES:
            raise InputError(f"{self._path}: the suffix is not {' or '.join(_SUFFIXES)}; choose such a name")
        sides = [whole_number(real_number(side), 1, _LARGEST) for side in (width, height)]
        if sides[0] is None or sides[1] is None:
            raise InputError(f"{self._path}: {width} x {height} pixels is not a size; give at least 1 x 1")
        self._width, self._height = sides[0], sides[1]
        self._first: float | None = None
        self._last = 0.0
        self._previous = -1

    def __enter__(self) -> "VideoWriter":
        with contextlib.ExitStack() as stack:
            temporary = stack.enter_context(atomic_path(self._path))
            # The index goes to the front, so a browser can play before the download is complete.
            self._container = stack.enter_context(av.open(str(temporary), "w", options={"movflags": "+faststart"}))
            width, height = self._width + self._width % 2, self._height + self._height % 2
            self._stream = _add_stream(self._container, self._encoders, width, height)
            self._converted = YuvConverter(width, height)
            self._stack = stack.pop_all()
        return self

    def write(self, image: UInt8[np.ndarray, "h w 3"], timestamp: float | int) -> None:
        """Adds a frame.

        Args:
            image: RGB, of the writer's width and height.
            timestamp: seconds, increasing; the first one becomes 0 in the file.
        """
        if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.shape[2:] != (3,):
            found = f"{image.dtype}{list(image.shape)}" if isinstance(image, np.ndarray) else type(image).__name__
            raise InputError(f"{self._path}: a frame is {found}; give uint8 of the shape (height, width, 3)")
        if (seconds := real_number(timestamp)) is None or not math.isfinite(seconds):
            raise InputError(f"{self._path}: a frame is at {timestamp} s; give seconds")
        timestamp = seconds
        if image.shape[:2] != (self._height, self._width):
            given = f"{image.shape[1]} x {image.shape[0]}"
            raise InputError(
                f"{self._path}: the frame has {given} pixels, the video {self._width} x {self._height}; resize it"
            )
        if self._first is None:
            self._first = timestamp
        elif timestamp <= self._last:
            raise InputError(
                f"{self._path}: the frame at {timestamp} s is not later than the previous one; write frames in order"
            )
        # Frames of broken videos may be less than a tick apart.
        stamp = max(round((timestamp - self._first) / _TICK), self._previous + 1)
        self._last = timestamp
        if self._width % 2 or self._height % 2:
            image = np.pad(image, ((0, self._height % 2), (0, self._width % 2), (0, 0)), mode="edge")
        frame = self._converted(image)
        frame.pts, frame.time_base = stamp, _TICK
        # Used for the last frame only, which lasts as long as the one before it.
        frame.duration = max(stamp - self._previous, 0) if self._previous >= 0 else 0
        self._previous = stamp
        self._encode(frame)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            # The stack sees the error and removes the temporary file.
            self._stack.__exit__(kind, error, traceback)
            return
        with self._stack:
            if self._first is None:
                raise InputError(f"{self._path}: no frame was written, so there is no video; write at least one")
            self._encode(None)

    def _encode(self, frame: av.VideoFrame | None) -> None:
        """Writes a frame; None writes those that the encoder still holds."""
        try:
            self._container.mux(self._stream.encode(frame))
        except av.error.FFmpegError as error:
            if error.errno in NO_ROOM:
                raise  # `atomic_path` says it
            raise EncodingError(
                f"{self._path}: FFmpeg cannot write the frame at {self._last:g} s: {error.strerror}; check the time "
                "stamps, which are seconds"
            ) from error


def _add_stream(
    container: OutputContainer, encoders: Mapping[str, dict[str, str]], width: int, height: int
) -> VideoStream:
    """A video stream with the first encoder that supports the size."""
    for encoder, options in encoders.items():
        try:
            # Tried outside of the container, because a stream cannot be removed from it.
            trial = av.CodecContext.create(encoder, "w")
            assert isinstance(trial, VideoCodecContext)
            _configure(trial, width, height)
            trial.open()
        except (av.error.FFmpegError, UnknownCodecError):
            continue
        stream = container.add_stream(encoder, options=options)
        assert isinstance(stream, VideoStream)
        _configure(stream.codec_context, width, height)
        return stream
    raise InputError(
        f"FFmpeg has no encoder for {width} x {height} pixels, or too little memory for it; choose a smaller size"
    )


def _configure(context: VideoCodecContext, width: int, height: int) -> None:
    context.width, context.height, context.pix_fmt = width, height, "yuv420p"
    context.time_base = _TICK
    # Otherwise the encoder chooses the duration of each frame.
    context.flags |= Flags.frame_duration
    # For encoders without constant quality: 4 bits per second and pixel, 8 Mbit/s at 1080p.
    context.bit_rate = 4 * width * height
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    context.color_range = ColorRange.MPEG
