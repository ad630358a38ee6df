"""Writing a video whose frames keep the time stamps that they are given."""

import contextlib
import os
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from av.codec.codec import UnknownCodecError
from av.codec.context import Flags
from av.container import OutputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from av.video.stream import VideoStream
from jaxtyping import UInt8

from poselift.core.errors import InputError
from poselift.core.files import atomic_path

# Divides evenly by all usual rates, NTSC's 30000/1001 too, and within the 16 bits that MPEG-4 Part 2 allows.
_TICK = Fraction(1, 60000)
# The first that is there and opens is taken. libx264 leads: at the same speed libopenh264 needed about 1.8 times
# the bits for the same likeness. MPEG-4 Part 2 is for an FFmpeg without any H.264; browsers do not play it.
_ENCODERS = {
    "libx264": {"preset": "veryfast", "crf": "21"},
    "libopenh264": {"rc_mode": "off"},
    "h264": {},
    "mpeg4": {},
}
_SUFFIXES = (".mp4", ".mov")
_BT709 = 1  # of ISO/IEC 23091-2, the same number for primaries, transfer and matrix


class VideoWriter:
    """Writes frames to a video file: H.264, playable in browsers.

    A context manager. The file appears under its name only when the block ends without an error. Odd sizes are
    made even by repeating the last column or row, as H.264 stores colour at half the resolution.

    Args:
        path: .mp4 or .mov.
        width: of the frames, in pixels.
        height: of the frames, in pixels.

    Raises:
        InputError: the suffix is neither, the file cannot be written, a frame is of another size or not
            later than the one before, or the block ends without a frame.
    """

    def __init__(self, path: str | os.PathLike[str], width: int, height: int) -> None:
        self._path = Path(path)
        if self._path.suffix.lower() not in _SUFFIXES:
            raise InputError(f"{self._path}: a video is written as {' or '.join(_SUFFIXES)}; choose such a name")
        if width < 1 or height < 1:
            raise InputError(f"{self._path}: a video of {width} x {height} pixels cannot be written")
        self._width, self._height = width, height
        self._first: float | None = None
        self._previous = -1

    def __enter__(self) -> "VideoWriter":
        with contextlib.ExitStack() as stack:
            temporary = stack.enter_context(atomic_path(self._path))
            # The index goes to the front, so that a browser can play before it has everything.
            self._container = stack.enter_context(av.open(str(temporary), "w", options={"movflags": "+faststart"}))
            self._stream = _add_stream(self._container, self._width + self._width % 2, self._height + self._height % 2)
            self._reformatter = VideoReformatter()
            self._stack = stack.pop_all()
        return self

    def write(self, image: UInt8[np.ndarray, "h w 3"], timestamp: float | int) -> None:
        """Adds a frame.

        Args:
            image: RGB, of the writer's width and height.
            timestamp: seconds; the first frame's becomes 0 in the file, and they must increase.
        """
        if image.shape[:2] != (self._height, self._width):
            given = f"{image.shape[1]} x {image.shape[0]}"
            raise InputError(f"{self._path}: a frame of {given} in a video of {self._width} x {self._height} pixels")
        if self._first is None:
            self._first = timestamp
        stamp = round((timestamp - self._first) / _TICK)
        if stamp <= self._previous:
            raise InputError(f"{self._path}: the frame at {timestamp} s is not later than the one before")
        if self._width % 2 or self._height % 2:
            image = np.pad(image, ((0, self._height % 2), (0, self._width % 2), (0, 0)), mode="edge")
        frame = self._reformatter.reformat(
            av.VideoFrame.from_ndarray(image, format="rgb24"), format="yuv420p", dst_colorspace=Colorspace.ITU709
        )
        frame.pts, frame.time_base = stamp, _TICK
        # Counts for the last frame only, which is taken to last as long as the one before.
        frame.duration = max(stamp - self._previous, 0) if self._previous >= 0 else 0
        self._previous = stamp
        self._container.mux(self._stream.encode(frame))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            # The stack removes the temporary file because it sees the error.
            self._stack.__exit__(kind, error, traceback)
            return
        with self._stack:
            if self._first is None:
                raise InputError(f"{self._path}: no frame was given, so there is no video to write")
            self._container.mux(self._stream.encode(None))


def _add_stream(container: OutputContainer, width: int, height: int) -> VideoStream:
    """A video stream with the first of the encoders that opens for the size."""
    for encoder, options in _ENCODERS.items():
        try:
            # Tried apart, as a stream cannot be taken out of a container again.
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
    raise InputError(f"FFmpeg has no encoder for a video of {width} x {height} pixels; choose a smaller size")


def _configure(context: VideoCodecContext, width: int, height: int) -> None:
    context.width, context.height, context.pix_fmt = width, height, "yuv420p"
    context.time_base = _TICK
    # Without it the encoder gives each frame a duration of its own choice.
    context.flags |= Flags.frame_duration
    # What encoders that know no constant quality aim for: 4 bits a second for each pixel, 8 Mbit/s at 1080p.
    context.bit_rate = 4 * width * height
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    context.color_range = ColorRange.MPEG
