"""Cutting a square out of a picture for a network, and bringing the network's coordinates back."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, UInt8


@dataclass(frozen=True)
class Square:
    """A square of whole pixels, which may reach beyond the picture.

    Attributes:
        left: its first column.
        top: its first row.
        side: its number of columns and rows.
    """

    left: int
    top: int
    side: int

    @classmethod
    def around(cls, box: Float[np.ndarray, "4"], margin: float) -> "Square":
        """The square around a box's centre whose side is the box's longer side times `margin`."""
        x0, y0, x1, y1 = (float(edge) for edge in box)
        side = max(1, round(margin * max(x1 - x0, y1 - y0)))
        # Pixel centres are whole numbers: `side` pixels from `left` are centred at left + (side - 1) / 2.
        return cls(round((x0 + x1 - side + 1) / 2), round((y0 + y1 - side + 1) / 2), side)

    def cut(self, picture: UInt8[np.ndarray, "_ _ 3"], size: int) -> UInt8[np.ndarray, "{size} {size} 3"]:
        """The square out of a picture, resized to `size`; black where it reaches beyond the picture."""
        inside = picture[
            max(self.top, 0) : max(self.top + self.side, 0), max(self.left, 0) : max(self.left + self.side, 0)
        ]
        canvas = np.zeros((self.side, self.side, 3), np.uint8)
        row, column = max(-self.top, 0), max(-self.left, 0)
        canvas[row : row + inside.shape[0], column : column + inside.shape[1]] = inside
        # Averaging over areas keeps fine texture from aliasing when shrinking; enlarging needs interpolation.
        interpolation = cv2.INTER_AREA if self.side > size else cv2.INTER_LINEAR
        return cv2.resize(canvas, (size, size), interpolation=interpolation)

    def to_picture(self, points: Float[np.ndarray, "*n 2"], size: int) -> Float[np.ndarray, "*n 2"]:
        """From pixels of the resized square to pixels of the picture."""
        return (points + 0.5) * (self.side / size) - 0.5 + np.array([self.left, self.top])
