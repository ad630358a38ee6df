"""Whether a picture shows something new beside the people who are followed."""

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

_CELLS, _ACROSS = 96, 5
"""Cells along the longer side of the picture, and pixels of each that are read at least, if it has them. Somebody of 80
pixels in a picture of 1280 is 6 cells high."""
_DIFFERENT, _ENOUGH = 12, 4
"""Least difference of a cell's mean color, of 255, and the number of such cells among nine, to be a change. The noise
of a camera and of a codec stays below 10; leaves in the wind are single cells."""
_MARGIN = 0.25
"""Around a person's box, share of its longer side: hands, feet and shadows reach beyond the joints."""


class Changes:
    """Compares pictures with the last searched one, away from followed people."""

    def __init__(self) -> None:
        self._searched: UInt8[np.ndarray, "h w 3"] | None = None
        self._taken: Bool[np.ndarray, "h w"] | None = None

    def has_changed(self, image: UInt8[np.ndarray, "_ _ 3"], boxes: Float[np.ndarray, "n 4"]) -> bool:
        """Whether anything changed since the last search; True before the first.

        Args:
            image: the picture.
            boxes: of the people who are followed, pixels.
        """
        cells = _average_cells(image)
        if self._searched is None or self._taken is None or cells.shape != self._searched.shape:
            return True
        apart = cv2.absdiff(cells, self._searched).max(-1)
        different = (apart > _DIFFERENT) & ~(self._taken | _find_covered_cells(boxes, image.shape, apart.shape))
        near = cv2.boxFilter(different.astype(np.uint8), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
        return int(near.max()) >= _ENOUGH

    def note_search(self, image: UInt8[np.ndarray, "_ _ 3"], boxes: Float[np.ndarray, "n 4"]) -> None:
        """Notes a picture that is searched; for the arguments see `has_changed`."""
        self._searched = _average_cells(image)
        self._taken = _find_covered_cells(boxes, image.shape, self._searched.shape)


def _average_cells(image: UInt8[np.ndarray, "_ _ 3"]) -> UInt8[np.ndarray, "h w 3"]:
    """The mean colors of the cells of a picture."""
    height, width = image.shape[:2]
    scale = min(1.0, _CELLS / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    step = max(1, max(height, width) // (_CELLS * _ACROSS))
    thinned = np.ascontiguousarray(image[::step, ::step])
    cells: UInt8[np.ndarray, "h w 3"] = cv2.resize(thinned, size, interpolation=cv2.INTER_AREA)
    return cells


def _find_covered_cells(
    boxes: Float[np.ndarray, "n 4"], shape: tuple[int, ...], cells: tuple[int, ...]
) -> Bool[np.ndarray, "h w"]:
    """The cells that boxes with their margin touch."""
    covered = np.zeros(cells[:2], bool)
    margin = _MARGIN * (boxes[:, 2:] - boxes[:, :2]).max(1, keepdims=True, initial=0)
    low, high = boxes[:, :2] - margin, boxes[:, 2:] + margin
    scale = np.array([cells[1] / shape[1], cells[0] / shape[0]])
    starts = np.floor(low * scale).clip(0).astype(int)
    ends = np.ceil(high * scale).clip(0).astype(int)
    for (left, top), (right, bottom) in zip(starts, ends, strict=True):
        covered[top:bottom, left:right] = True
    return covered
