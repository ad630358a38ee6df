"""Reduced gray pictures with the corners of their background."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

SIDE = 480
"""Longer side of the reduced pictures, pixels. Twice the side gives the same angles to a hundredth of a degree."""

_CELL = 14
"""Side of a cell of the reduced picture, pixels; each cell gives its best corner at most."""

_CORNER = 4e-4
"""Least smaller eigenvalue of a corner, with gray values of 0 to 1."""

_NOISE, _MOST_NOISE = 4.0, 3.0
"""The same over the variance of the picture's noise, whose own corners reach 2.1; and the largest standard deviation
that counts as noise and not as grass, gray values before the gain of contrast."""

_BLOCK = 5
"""Side of the square whose gradients make a corner, pixels."""

_MARGIN = 0.2
"""Margin around a person's joints for hair, hands and feet, as a share of the longer side of their box."""

_BLACK = 24
"""Brightest gray value, of 255, of a black bar at the picture's edge."""

_BAR_MARGIN = 8
"""Rows or columns beside a black bar that show no background, reduced pixels: its edge stands still."""

_CONTRAST, _MIDDLE = 50.0, 128.0
"""Standard deviation and mean of the gray values that a picture is brought to, so that fades do not matter."""

_MOST_GAIN = 6.0
"""Largest gain of contrast: what is darker is noise."""


@dataclass(frozen=True)
class BackgroundPicture:
    """A reduced picture.

    Attributes:
        gray: its gray values, of even contrast.
        open: where the background may be seen: outside of people and black bars.
        corners: of the background, one in each cell at most; reduced pixels.
        scale: reduced pixels for each pixel of the video.
    """

    gray: UInt8[np.ndarray, "h w"]
    open: Bool[np.ndarray, "h w"]
    corners: Float[np.ndarray, "n 2"]
    scale: float

    @property
    def size(self) -> tuple[int, int]:
        """(width, height), reduced pixels."""
        return self.gray.shape[1], self.gray.shape[0]

    def to_video(self, points: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
        """Pixels of the video."""
        return (points + 0.5) / self.scale - 0.5


def make_picture(image: UInt8[np.ndarray, "_ _ 3"], boxes: Float[np.ndarray, "n 4"]) -> BackgroundPicture:
    """The reduced picture and its corners.

    Args:
        image: of the video.
        boxes: of the people, from their joints; x0, y0, x1, y1 in pixels.
    """
    height, width = image.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    small = image
    if scale < 1:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    dark: np.ndarray = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    free = _find_open(dark, boxes * scale)
    mean, spread = float(dark.mean()), float(dark.std())
    gain = min(_CONTRAST / max(spread, 1e-3), _MOST_GAIN)
    gray = cv2.convertScaleAbs(dark, alpha=gain, beta=_MIDDLE - gain * mean) if gain * mean <= _MIDDLE else None
    if gray is None:  # a negative offset: convertScaleAbs would fold dark values over
        gray = np.clip(dark * np.float32(gain) + np.float32(_MIDDLE - gain * mean), 0, 255).astype(np.uint8)
    least = max(_CORNER, _NOISE * (gain * min(_estimate_noise(dark), _MOST_NOISE) / 255) ** 2)
    return BackgroundPicture(gray, free, _find_corners(gray, free, least), scale)


def _estimate_noise(dark: UInt8[np.ndarray, "h w"]) -> float:
    """Standard deviation of the picture's noise, gray values.

    The smoothest quarter of the picture shows it.

    Source: the operator of Immerkær 1996, Fast noise variance estimation.
    """
    left = np.abs(cv2.filter2D(dark, cv2.CV_16S, np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32))[::2, ::2])
    return float(np.quantile(left, 0.25)) / (0.319 * 6)


def _find_open(dark: UInt8[np.ndarray, "h w"], boxes: Float[np.ndarray, "n 4"]) -> Bool[np.ndarray, "h w"]:
    """Pixels outside of people and black bars."""
    free = np.ones(dark.shape, bool)
    for lines, across in ((dark.max(1), free), (dark.max(0), free.T)):
        bright = np.flatnonzero(lines >= _BLACK)
        first, last = (bright[0], bright[-1]) if len(bright) else (len(lines), -1)
        if first > 1:
            across[: first + _BAR_MARGIN] = False
        if last < len(lines) - 2:
            across[max(last + 1 - _BAR_MARGIN, 0) :] = False
    for x0, y0, x1, y1 in boxes:
        margin = _MARGIN * max(x1 - x0, y1 - y0)
        left, top = max(int(x0 - margin), 0), max(int(y0 - margin), 0)
        right, bottom = max(int(np.ceil(x1 + margin)), 0), max(int(np.ceil(y1 + margin)), 0)
        free[top:bottom, left:right] = False
    return free


def _find_corners(
    gray: UInt8[np.ndarray, "h w"], free: Bool[np.ndarray, "h w"], least: float
) -> Float[np.ndarray, "n 2"]:
    """Each cell's best corner, if any (Shi and Tomasi 1994)."""
    quality = np.asarray(cv2.cornerMinEigenVal(gray.astype(np.float32) / 255, _BLOCK))
    quality[~free] = 0
    edge = _BLOCK
    quality[:edge], quality[-edge:], quality[:, :edge], quality[:, -edge:] = 0, 0, 0, 0
    rows, columns = gray.shape[0] // _CELL, gray.shape[1] // _CELL
    if not rows or not columns:
        return np.zeros((0, 2))
    split: np.ndarray = quality[: rows * _CELL, : columns * _CELL].reshape(rows, _CELL, columns, _CELL)
    cells = split.transpose(0, 2, 1, 3).reshape(rows, columns, _CELL * _CELL)
    best = cells.argmax(-1)
    row, column = np.nonzero(cells.max(-1) > least)
    inside = best[row, column]
    points = np.stack([column * _CELL + inside % _CELL, row * _CELL + inside // _CELL], 1)
    return points.astype(np.float64)
