"""Pictures for encoders: brightness in full resolution, colour in half."""

import av
import cv2
import numpy as np
from jaxtyping import UInt8

_RED, _BLUE = 0.2126, 0.0722
"""Shares of the brightness, from ITU-R BT.709-6, 3.2; the rest is green."""
_LUMA, _CHROMA = 219 / 255, 224 / 255
"""Levels of the usual range, of 255 (BT.709-6, 4.6)."""


class YuvConverter:
    """Converts RGB pictures to 4:2:0 in BT.709.

    The pictures have one size; values have the usual (limited) range. It takes a third of the time of FFmpeg's
    conversion. Memory is used again for each picture, because getting it takes longer than the conversion.

    Args:
        width: of the pictures, even.
        height: of the pictures, even.
    """

    def __init__(self, width: int, height: int) -> None:
        self._frame = av.VideoFrame(width, height, "yuv420p")
        self._whole = np.empty((height, width, 3), np.uint8)
        self._half = np.empty((height // 2, width // 2, 3), np.uint8)
        self._matrix = _bt709()

    def __call__(self, image: UInt8[np.ndarray, "h w 3"]) -> av.VideoFrame:
        """The picture as a frame, valid until the next call. It is valid longer if an encoder still uses it."""
        self._frame.make_writable()
        luma, *chroma = [_pixels(plane) for plane in self._frame.planes]
        cv2.transform(image, self._matrix, dst=self._whole)
        cv2.extractChannel(self._whole, 0, dst=luma)
        # With half the size, this is the mean of four pixels.
        cv2.resize(self._whole, self._half.shape[1::-1], dst=self._half, interpolation=cv2.INTER_AREA)
        for channel, plane in enumerate(chroma, start=1):
            cv2.extractChannel(self._half, channel, dst=plane)
        return self._frame


def _bt709() -> np.ndarray:
    """The matrix (3, 4) of BT.709. It maps red, green, blue and 1 to brightness, blue and red differences."""
    brightness = np.array([_RED, 1 - _RED - _BLUE, _BLUE])
    blue = (np.array([0, 0, 1]) - brightness) / (2 * (1 - _BLUE))
    red = (np.array([1, 0, 0]) - brightness) / (2 * (1 - _RED))
    scaled = np.stack([_LUMA * brightness, _CHROMA * blue, _CHROMA * red])
    return np.concatenate([scaled, [[16], [128], [128]]], axis=1)


def _pixels(plane: av.video.plane.VideoPlane) -> UInt8[np.ndarray, "h w"]:
    """A writable view of a plane; its rows are longer in memory."""
    rows = np.frombuffer(plane, np.uint8)  # type: ignore[call-overload]  # PyAV's stubs do not say that it is a buffer
    return rows.reshape(plane.height, plane.line_size)[:, : plane.width]
