"""Decoded pictures as RGB: upright, square pixels, usual brightness."""

import math
from fractions import Fraction

import av
import cv2
import numpy as np
from av.buffer import Buffer
from av.video.reformatter import ColorRange, VideoReformatter
from av.video.stream import VideoStream
from jaxtyping import UInt8

from poselift.video.tone import to_usual

_WIDEST_PIXEL = 4
"""Largest ratio of a pixel's sides that is believed; real ones are below 2.2, damaged headers have others."""

_CV2_TURNS = {1: cv2.ROTATE_90_CLOCKWISE, 2: cv2.ROTATE_180, 3: cv2.ROTATE_90_COUNTERCLOCKWISE}


def display_orientation(frame: av.VideoFrame) -> tuple[float, bool]:
    """Degrees clockwise for display, and whether the picture is mirrored before.

    They are from -180 to 180. Phones record in the orientation of the sensor, and store a display matrix. Its upper
    left 2 x 2 part [[a, b], [c, d]] maps a row vector, (x', y') = (a x + c y, b x + d y), x to the right and y down
    (ISO/IEC 14496-12, 8.3.2; FFmpeg's libavutil/display.h).
    """
    matrix = frame.side_data.get("DISPLAYMATRIX")
    if not isinstance(matrix, Buffer):
        return 0.0, False
    a, b, _, c, d = (int(value) for value in np.frombuffer(bytes(matrix), dtype=np.int32)[:5])
    mirrored = a * d - b * c < 0
    if mirrored:
        a, b = -a, -b
    return math.degrees(math.atan2(b, a)), mirrored


def pixel_aspect(stream: VideoStream) -> Fraction:
    """Width of a stored pixel over its height. It is 1 if unknown or not believable."""
    aspect = Fraction(stream.sample_aspect_ratio or 1)
    return aspect if 1 / _WIDEST_PIXEL <= aspect <= _WIDEST_PIXEL else Fraction(1)


class Upright:
    """Converts a stream's pictures to upright RGB with square pixels.

    Args:
        first: first picture of the stream; its size and orientation hold for all.
        stream: its pixels' shape and their transfer function hold for all.

    Attributes:
        width: width of the upright pictures.
        height: height of the upright pictures.
        rotation: clockwise rotation of the stored pictures: 0, 90, 180 or 270 degrees.
        wanted: the rotation that the file wants, degrees; others than quarter turns are rounded.
    """

    def __init__(self, first: av.VideoFrame, stream: VideoStream) -> None:
        self.wanted, self._mirrored = display_orientation(first)
        self._turns = round(self.wanted / 90) % 4
        self._stored_size = max(1, round(first.width * pixel_aspect(stream))), first.height
        self._brightness = to_usual(stream.codec_context.color_trc)
        self._reformatter = VideoReformatter()
        self.rotation = 90 * self._turns
        self.width, self.height = self._stored_size if self._turns % 2 == 0 else self._stored_size[::-1]

    def __call__(self, frame: av.VideoFrame) -> UInt8[np.ndarray, "h w 3"]:
        """The upright picture as a new contiguous array."""
        width, height = self._stored_size
        square = self._reformatter.reformat(
            frame,
            width=width,
            height=height,
            format="rgb24",
            # Explicit, because older PyAV ignores the colour range and matrix of the video.
            src_color_range=frame.color_range,
            dst_color_range=ColorRange.JPEG,
        )
        image: np.ndarray = square.to_ndarray()
        if self._brightness is not None:
            image = cv2.LUT(image, self._brightness)
        if self._mirrored:
            image = cv2.flip(image, 1)
        if self._turns:
            # Ten times faster than numpy's rot90 and a copy.
            image = cv2.rotate(image, _CV2_TURNS[self._turns])
        return np.ascontiguousarray(image)
