"""Names beside points, where there is room for them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.path import Path
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox, BboxBase

from poselift.viz.plots.style import GREY

_NEAR, _FAR = (5, 9), (14, 20, 28, 38, 50)
"""Points from a point to its name, the best first; where it is far, a line joins them."""
_ANGLES = (0, 180, 90, 270, 45, 315, 135, 225, 20, 340, 160, 200)
"""Degrees of the direction in which the name is, the best first."""
_APART = 1.5
"""Points between names that lines join to their points."""
_FONT: dict[str, Any] = {"fontsize": 6, "color": GREY, "ha": "center", "va": "center"}
_LINE: dict[str, Any] = {"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkA": 0.5, "shrinkB": 2}


@dataclass(frozen=True)
class _Place:
    """Where a name may be, in pixels.

    Attributes:
        box: of the name.
        apart: how far it keeps off all else; without a line, so far that no other point is nearer than its own.
        line: that joins it to its point; None where it is near.
    """

    box: Bbox
    apart: float
    line: Path | None

    def clashes(self, boxes: Sequence[Bbox], lines: Sequence[Path], frame: BboxBase) -> int:
        """How much a name would hide or cross. What is outside the frame counts most."""
        outside = not (frame.contains(*self.box.min) and frame.contains(*self.box.max))
        hidden = self.box.padded(self.apart).count_overlaps(boxes)
        hidden += sum(line.intersects_bbox(self.box) for line in lines)
        crossed = 0
        if self.line:
            crossed = sum(self.line.intersects_bbox(box) for box in boxes)
            crossed += sum(self.line.intersects_path(line) for line in lines)
        return 100 * outside + hidden + crossed


def name_points(
    axes: Axes, names: Sequence[str], points: Sequence[tuple[float, float]], taken: Sequence[Bbox]
) -> list[Annotation]:
    """Writes names beside points, off everything else where possible.

    All names are inside the axes.

    Args:
        axes: whose place in the figure is settled.
        names: one a point.
        points: in data coordinates.
        taken: what names must not cover, the points among it, in pixels.

    Returns:
        The names, the longest first.
    """
    boxes, lines, texts = list(taken), list[Path](), []
    # Long ones first, as there are fewer places for them.
    for name, point in sorted(zip(names, points, strict=True), key=lambda named: (-len(named[0]), named)):
        at = axes.transData.transform(point)
        text = axes.annotate(name, point, **_FONT)
        size = np.array(text.get_window_extent().size)
        text.remove()
        pixels = axes.figure.dpi / 72  # in a point
        # The first of those that clash least.
        others = [box for box in boxes if not box.contains(*at)]
        place = min(_places(at, size, pixels), key=partial(_Place.clashes, boxes=others, lines=lines, frame=axes.bbox))
        offset = (place.box.get_points().mean(0) - at) / pixels
        join = _LINE if place.line else None
        text = axes.annotate(name, point, tuple(offset), textcoords="offset points", arrowprops=join, **_FONT)
        text.set_in_layout(False)  # the axes stay where they are
        texts.append(text)
        boxes.append(place.box)
        if place.line:
            lines.append(place.line)
    return texts


def _places(at: np.ndarray, size: np.ndarray, pixels: float) -> Iterator[_Place]:
    """Places for a name of a size around a point, best first."""
    for distance in (*_NEAR, *_FAR):
        for angle in _ANGLES:
            direction = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
            edge = at + distance * pixels * direction
            # The side of the box that looks to the point is at the edge; above and below, its middle.
            middle = edge + size / 2 * np.where(np.abs(direction) > 0.3, np.sign(direction), 0)
            box = Bbox([middle - size / 2, middle + size / 2])
            # Starts off the point, as it must cross others only.
            start = at + 4 * pixels * direction
            line = Path([start, middle]) if distance in _FAR else None
            yield _Place(box, (_APART if line else distance) * pixels, line)
