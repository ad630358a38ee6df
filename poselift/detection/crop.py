"""Network inputs cut out of a picture, and the way back."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.detection.orientation import rotation

_STEPS = 256
"""Angles of crops a radian. Angles that rounding has put 1e-7 apart then give the same pixels, in the browser too."""


@dataclass(frozen=True, eq=False)
class Crop:
    """A part of a picture, resized for a network. Pixel centres are whole numbers.

    Attributes:
        image: the resized part; beyond the picture it has one colour.
        scale: pixels of the picture per pixel of `image`, for x and y.
        offset: place of the upper left pixel of `image` in the picture, pixels.
        angle: radians by which what is upright in `image` is turned clockwise in the picture.
    """

    image: UInt8[np.ndarray, "h w 3"]
    scale: Float[np.ndarray, "2"]
    offset: Float[np.ndarray, "2"]
    angle: float = 0.0

    def to_picture(self, points: Float[np.ndarray, "*n 2"]) -> Float[np.ndarray, "*n 2"]:
        """Pixels of the picture for pixels of `image`."""
        scaled = points * self.scale
        return (scaled @ rotation(self.angle).T if self.angle else scaled) + self.offset

    @classmethod
    def top_down(
        cls, picture: UInt8[np.ndarray, "_ _ 3"], box: Float[np.ndarray, "4"], size: tuple[int, int], padding: float
    ) -> "Crop":
        """A box's crop as of mmpose's `TopdownAffine`, unrotated.

        It is black beyond the picture.

        Args:
            picture: RGB or BGR.
            box: x0, y0, x1, y1 in pixels. Its middle comes to (width / 2, height / 2) of the crop.
            size: (width, height) of the crop.
            padding: factor by which the box is enlarged, after it was extended to the proportions of `size`.
        """
        low, high = box[:2], box[2:]
        scale = np.full(2, padding * ((high - low) / size).max())
        offset = (low + high) / 2 - scale * np.array(size) / 2
        to_crop = np.column_stack([np.diag(1 / scale), -offset / scale])
        return cls(cv2.warpAffine(picture, to_crop, size, flags=cv2.INTER_LINEAR), scale, offset)

    @classmethod
    def square(
        cls,
        picture: UInt8[np.ndarray, "_ _ 3"],
        box: Float[np.ndarray, "4"],
        size: int,
        margin: float,
        angle: float = 0.0,
    ) -> "Crop":
        """The square of whole pixels around a box's centre.

        It is black beyond the picture.

        Args:
            picture: RGB.
            box: x0, y0, x1, y1 in pixels; with an angle, before it is turned about its own middle.
            size: width and height of the crop.
            margin: side of the square over the longer side of the box.
            angle: radians by which the box is turned clockwise, taken to the nearest 1/256; it is upright in the crop.
        """
        if angle := round(_STEPS * angle) / _STEPS:
            # Shrunk first, because turning takes single pixels and would alias.
            wide = int(np.ceil(size * np.sqrt(2)))
            whole = cls.square(picture, box, wide, margin * wide / size)
            turn, new, old = rotation(angle), np.full(2, (size - 1) / 2), np.full(2, (wide - 1) / 2)
            to_whole = np.column_stack([turn, old - turn @ new])
            image = cv2.warpAffine(whole.image, to_whole, (size, size), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
            return cls(image, whole.scale, whole.to_picture(old) - turn @ (new * whole.scale), angle)
        x0, y0, x1, y1 = (float(edge) for edge in box)
        side = max(1, round(margin * max(x1 - x0, y1 - y0)))
        # `side` pixels from `left` have their centre at left + (side - 1) / 2.
        left, top = round((x0 + x1 - side + 1) / 2), round((y0 + y1 - side + 1) / 2)
        inside = picture[max(top, 0) : max(top + side, 0), max(left, 0) : max(left + side, 0)]
        canvas = np.zeros((side, side, 3), np.uint8)
        row, column = max(-top, 0), max(-left, 0)
        canvas[row : row + inside.shape[0], column : column + inside.shape[1]] = inside
        scale = np.full(2, side / size)
        return cls(_resize(canvas, (size, size)), scale, 0.5 * scale - 0.5 + (left, top))

    @classmethod
    def whole(
        cls,
        picture: UInt8[np.ndarray, "_ _ 3"],
        size: tuple[int, int],
        *,
        multiple: int | None = None,
        fill: int = 0,
        shrink: int = cv2.INTER_AREA,
    ) -> "Crop":
        """The whole picture, as large as fits, padded.

        The padding is below and on the right.

        Args:
            picture: RGB or BGR.
            size: (width, height) in which it must fit.
            multiple: pads to multiples of this; to `size` if None.
            fill: grey value of the padding.
            shrink: OpenCV's interpolation for shrinking.
        """
        height, width = picture.shape[:2]
        ratio = min(size[0] / width, size[1] / height)
        columns, rows = max(1, int(width * ratio + 0.5)), max(1, int(height * ratio + 0.5))
        padded = size if multiple is None else (-(-columns // multiple) * multiple, -(-rows // multiple) * multiple)
        image = np.full((padded[1], padded[0], 3), fill, np.uint8)
        image[:rows, :columns] = _resize(picture, (columns, rows), shrink)
        # Both sides are rounded to whole pixels, so their scales differ a little.
        scale = np.array([width / columns, height / rows])
        return cls(image, scale, 0.5 * scale - 0.5)


def _resize(
    picture: UInt8[np.ndarray, "_ _ 3"], size: tuple[int, int], shrink: int = cv2.INTER_AREA
) -> UInt8[np.ndarray, "h w 3"]:
    """The picture in another size, averaged against aliasing."""
    return cv2.resize(picture, size, interpolation=shrink if picture.shape[1] > size[0] else cv2.INTER_LINEAR)
