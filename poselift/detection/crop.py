"""The box around a person as a top-down network sees it, and the way back into the picture."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, UInt8


@dataclass(frozen=True)
class Crop:
    """A part of a picture that has the proportions of a network's input; it may reach beyond the picture.

    It is mmpose's `TopdownAffine` without rotation: the middle of the box comes to (width / 2, height / 2) of the
    input, in which whole numbers are pixel centres.

    Attributes:
        centre: of the part, in pixels of the picture.
        scale: pixels of the picture in one of the input.
        size: (width, height) of the input.
    """

    centre: tuple[float, float]
    scale: float
    size: tuple[int, int]

    @classmethod
    def around(cls, box: Float[np.ndarray, "4"], size: tuple[int, int], padding: float) -> "Crop":
        """The smallest part with the proportions of `size` that holds a box, made larger by the factor `padding`."""
        x0, y0, x1, y1 = (float(edge) for edge in box)
        scale = padding * max((x1 - x0) / size[0], (y1 - y0) / size[1])
        return cls(((x0 + x1) / 2, (y0 + y1) / 2), scale, size)

    def cut(self, picture: UInt8[np.ndarray, "_ _ 3"]) -> UInt8[np.ndarray, "h w 3"]:
        """The part out of a picture, in the input's size; black where it reaches beyond the picture."""
        middle = np.array(self.size) / 2
        to_crop = np.column_stack([np.eye(2) / self.scale, middle - np.array(self.centre) / self.scale])
        return cv2.warpAffine(picture, to_crop, self.size, flags=cv2.INTER_LINEAR)

    def to_picture(self, points: Float[np.ndarray, "*n 2"]) -> Float[np.ndarray, "*n 2"]:
        """From pixels of the input to pixels of the picture."""
        return (points - np.array(self.size) / 2) * self.scale + np.array(self.centre)
