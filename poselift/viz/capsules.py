"""Anti-aliased limbs: tapered lines with round ends."""

from collections.abc import Sequence

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.viz.colors import Color

_SHIFT = 4  # fractional bits of the coordinates that OpenCV is given
_FAR = 1e6  # pixels
_HALF_TURN = np.linspace(np.pi / 2, 3 * np.pi / 2, 9)
_ANGLES = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1)


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


def hull_outline(points: Float[np.ndarray, "n 2"], radii: Float[np.ndarray, " n"]) -> Float[np.ndarray, "points 2"]:
    """The outline of the convex hull of discs, pixels. Empty if a disc is unknown."""
    edge = (points[:, None] + radii[:, None, None] * _CIRCLE).reshape(-1, 2).astype(np.float32)
    if not np.isfinite(edge).all():
        return np.zeros((0, 2), np.float32)
    return cv2.convexHull(edge)[:, 0]


def fill_outlines(
    image: UInt8[np.ndarray, "h w 3"], outlines: Sequence[Float[np.ndarray, "_ 2"]], colors: Sequence[Color]
) -> None:
    """Fills convex polygons one after another, in place. Leaves out those that reach far beyond the picture."""
    if not len(outlines):
        return
    ends = np.cumsum([len(outline) for outline in outlines]).tolist()
    every = np.concatenate(outlines)
    points = np.round(np.clip(np.nan_to_num(every, nan=_FAR), -_FAR, _FAR) * (1 << _SHIFT)).astype(np.int32)
    far = 4 * max(image.shape)
    strange = not np.abs(every).max() < far
    for start, end, color in zip([0, *ends], ends, colors, strict=False):
        if end > start and not (strange and not np.abs(every[start:end]).max() < far):
            cv2.fillConvexPoly(image, points[start:end], color, cv2.LINE_AA, _SHIFT)
