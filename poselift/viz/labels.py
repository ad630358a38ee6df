"""Small text with a background, smoothed by shrinking. OpenCV's line font is drawn large for that."""

from functools import lru_cache

import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.viz.colors import BACKGROUND, BLACK, TEXT, Color

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_OVERSIZE = 4
"""Masks are drawn so many times as large, and averaged: OpenCV's letters have hard edges."""

_DEGREE = "\N{DEGREE SIGN}"
"""Drawn as a ring at the end of a text: OpenCV's font has ASCII only."""


@lru_cache(maxsize=1024)
def _text_mask(text: str, height: int) -> np.ndarray:
    """Coverage (h, w), float32, of a text. Its digits have a height in pixels."""
    tall = height * _OVERSIZE
    text, degrees = text.removesuffix(_DEGREE), text.endswith(_DEGREE)
    scale = tall / 21  # a digit of this font is 21 units high at scale 1
    thickness = max(1, round(tall / 7.5))
    (width, _), below = cv2.getTextSize(text, _FONT, scale, thickness)
    ring = tall // 6 if degrees else 0
    mask = np.zeros((tall + below + 2 * thickness, width + 2 * thickness + 3 * ring), np.uint8)
    cv2.putText(mask, text, (thickness, tall + thickness), _FONT, scale, 255, thickness, cv2.LINE_AA)
    if degrees:
        cv2.circle(mask, (width + thickness + ring, 2 * thickness + ring), ring, 255, thickness, cv2.LINE_AA)
    size = (max(1, mask.shape[1] // _OVERSIZE), max(1, mask.shape[0] // _OVERSIZE))
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255


@lru_cache(maxsize=256)
def _pill_mask(width: int, height: int) -> np.ndarray:
    """Coverage (h, w), float32, of a rectangle with round corners."""
    mask = np.zeros((height * _OVERSIZE, width * _OVERSIZE), np.uint8)
    radius = min(mask.shape) // 2 - 1
    for x in (radius, mask.shape[1] - 1 - radius):
        cv2.circle(mask, (x, mask.shape[0] // 2), radius, 255, -1)
    mask[mask.shape[0] // 2 - radius : mask.shape[0] // 2 + radius, radius : mask.shape[1] - radius] = 255
    return cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255


def draw_text(
    image: UInt8[np.ndarray, "h w 3"], text: str, left: float, top: float, height: int, color: Color = TEXT
) -> None:
    """Writes text on the picture, in place. Position and height of a digit are in pixels."""
    _blend(image, _text_mask(text, height), round(left), round(top), color, 1.0)


def text_height(rows: int) -> int:
    """Height of a digit in a picture of so many rows, pixels."""
    return round(float(np.clip(rows / 52, 8, 16)))


def text_size(text: str, height: int) -> tuple[int, int]:
    """(width, height) of the area of `draw_text`, pixels."""
    rows, columns = _text_mask(text, height).shape
    return columns, rows


def draw_label(
    image: UInt8[np.ndarray, "h w 3"],
    text: str,
    x: float,
    y: float,
    height: int,
    background: Color = BACKGROUND,
    opacity: float = 1.0,
) -> None:
    """Writes text on a rounded background, in place and inside the picture.

    Args:
        image: RGB.
        text: one line.
        x: middle of the label, pixels.
        y: bottom of the label, pixels.
        height: height of a digit, pixels.
        background: colour behind the text, which is black or light for contrast.
        opacity: opacity of the background, 0 to 1.
    """
    text_mask = _text_mask(text, height)
    pill = _pill_mask(text_mask.shape[1] + round(1.1 * height), round(2.1 * height))
    left = round(float(np.clip(x - pill.shape[1] / 2, 0, max(0, image.shape[1] - pill.shape[1]))))
    top = round(float(np.clip(y - pill.shape[0], 0, max(0, image.shape[0] - pill.shape[0]))))
    _blend(image, pill, left, top, background, opacity)
    # Luma of ITU-R BT.601.
    light = np.dot(background, (0.299, 0.587, 0.114)) > 110
    text_left = left + (pill.shape[1] - text_mask.shape[1]) // 2
    text_top = top + round(0.55 * height) - round(height / 7.5)
    _blend(image, text_mask, text_left, text_top, BLACK if light else TEXT, 1.0)


def _blend(image: np.ndarray, mask: np.ndarray, left: int, top: int, color: Color, opacity: float) -> None:
    """Mixes a colour into the picture by a mask. The mask is cut at the edges of the picture."""
    y0, x0 = max(top, 0), max(left, 0)
    y1, x1 = min(top + mask.shape[0], image.shape[0]), min(left + mask.shape[1], image.shape[1])
    if y0 >= y1 or x0 >= x1:
        return
    share = mask[y0 - top : y1 - top, x0 - left : x1 - left, None] * opacity
    region = image[y0:y1, x0:x1]
    region[:] = np.round(region + (np.array(color, np.float32) - region) * share).astype(np.uint8)
