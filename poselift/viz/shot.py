"""What a view of the 3D scene shows, and from where."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

_MARGINS = np.array([[0.04, 0.08], [0.04, 0.09]])
"""Shares of the width and height that stay free at the left and above, and at the right and below."""
_LEAST = np.array([0.9, 1.2, 0.9])
"""Smallest sides of a shot, metres: a single joint does not fill the view."""


@dataclass(frozen=True, eq=False)
class Framing:
    """The box to keep in view, on the stage's axes, metres.

    Y is up.

    Attributes:
        low: least x, y and z.
        high: greatest x, y and z.
    """

    low: Float[np.ndarray, "3"]
    high: Float[np.ndarray, "3"]

    @property
    def centre(self) -> Float[np.ndarray, "3"]:
        """The middle of the box."""
        return (self.low + self.high) / 2

    @property
    def size(self) -> Float[np.ndarray, "3"]:
        """Sides of the box."""
        return np.maximum(self.high - self.low, _LEAST)


class Viewpoint:
    """A viewpoint on a shot's middle, as near as possible.

    It shows all of the shot.

    Args:
        shot: what must be in view.
        azimuth: radians from the recording camera's own view.
        elevation: radians above the ground.
        size: (width, height) of the picture in pixels.
        focal: in halves of the shorter side of the picture; the longer, the flatter the perspective.

    Attributes:
        axes: rows are right, down and forward, in the axes of the stage.
        target: the middle of the picture.
        distance: from the target, metres.
        focal: pixels.
    """

    def __init__(
        self, shot: Framing, azimuth: float, elevation: float, size: tuple[int, int], focal: float = 3.0
    ) -> None:
        self.axes = _axes(azimuth, elevation)
        self.target = shot.centre
        self.focal = focal * min(size) / 2
        free = _MARGINS * size
        least, most = free[0], np.array(size) - 1 - free[1]
        self._middle = (least + most) / 2
        corners = ((np.indices((2, 2, 2)).reshape(3, -1).T - 0.5) * shot.size) @ self.axes.T
        half = (most - least) / 2
        # Perspective puts the box out of the middle: moving it back makes room to come nearer.
        for _ in range(2):
            needed = self.focal * np.abs(corners[:, :2]) / half - corners[:, 2:]
            self.distance = max(2.0, float(needed.max()))
            pixels = corners[:, :2] * (self.focal / (corners[:, 2:] + self.distance))
            shift = (pixels.min(0) + pixels.max(0)) / 2 / self.scale
            corners[:, :2] -= shift
            self.target = self.target + shift @ self.axes[:2]

    @property
    def scale(self) -> float:
        """Pixels of a metre at the target."""
        return self.focal / self.distance

    def project(self, points: Float[np.ndarray, "*batch 3"]) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (*batch, 2) and depths (*batch), metres, of stage points."""
        seen = (points - self.target) @ self.axes.T
        depth = np.maximum(seen[..., 2] + self.distance, 0.1)
        return seen[..., :2] * (self.focal / depth)[..., None] + self._middle, depth


def _axes(azimuth: float, elevation: float) -> Float[np.ndarray, "3 3"]:
    sin_a, cos_a = np.sin(azimuth), np.cos(azimuth)
    sin_e, cos_e = np.sin(elevation), np.cos(elevation)
    return np.array(
        [
            [cos_a, 0, -sin_a],
            [sin_a * sin_e, -cos_e, cos_a * sin_e],
            [-sin_a * cos_e, -sin_e, -cos_a * cos_e],
        ]
    )
