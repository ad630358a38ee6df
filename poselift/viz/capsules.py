"""Anti-aliased limbs: tapered lines with round ends."""

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.viz.colors import Color

_SHIFT = 4  # fractional bits of the coordinates that OpenCV is given
_HALF_TURN = np.linspace(np.pi / 2, 3 * np.pi / 2, 13)


def capsule_outlines(
    ends: Float[np.ndarray, "l 2 2"], radii: Float[np.ndarray, "l 2"]
) -> Float[np.ndarray, "l points 2"]:
    """Outlines of limbs as convex polygons.

    Args:
        ends: start and end of each limb, pixels.
        radii: half the width at the start and at the end, pixels.
    """
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    # A limb that points at the viewer has no direction; a circle needs none.
    along = np.where(length > 1e-6, along / np.maximum(length, 1e-6), np.array([1.0, 0.0]))
    across = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    half = np.cos(_HALF_TURN)[:, None] * along[:, None] + np.sin(_HALF_TURN)[:, None] * across[:, None]
    start = ends[:, :1] + half * radii[:, :1, None]
    end = ends[:, 1:] - half * radii[:, 1:, None]
    return np.concatenate([start, end], axis=1)


def fill_outline(image: UInt8[np.ndarray, "h w 3"], outline: Float[np.ndarray, "points 2"], color: Color) -> None:
    """Fills a convex polygon on the picture, in place; ignores one that reaches far beyond the picture."""
    if np.abs(outline).max() < 4 * max(image.shape):
        points = np.round(outline * (1 << _SHIFT)).astype(np.int32)
        cv2.fillConvexPoly(image, points, color, cv2.LINE_AA, _SHIFT)
