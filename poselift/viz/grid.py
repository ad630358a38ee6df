"""The one-metre grid on the ground of the 3D scene."""

import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.viz.colors import BACKGROUND, GRID, mix
from poselift.viz.shot import Viewpoint

_MAX = 15
"""Metres to each side."""
_SHADES = 12
"""Steps in which the lines fade with the distance."""
_COLORS = [mix(GRID, BACKGROUND, share / _SHADES) for share in range(_SHADES)]


def draw_grid(image: UInt8[np.ndarray, "h w 3"], camera: Viewpoint, reach: float) -> None:
    """Draws the lines in place, fainter towards the edge.

    Args:
        image: RGB.
        camera: the view.
        reach: metres from the middle of the view to the people.
    """
    far = min(int(np.ceil(reach)) + 2, _MAX)
    ticks = np.arange(-far, far + 1)
    along, line = np.meshgrid(ticks[:-1], ticks, indexing="ij")
    start = np.stack([along, line], -1).reshape(-1, 2)
    flat = np.stack([start, start + [1, 0]], axis=1)
    flat = np.concatenate([flat, flat[..., ::-1]]) + np.round(camera.target[::2])
    ends = np.stack([flat[..., 0], np.zeros(flat.shape[:2]), flat[..., 1]], axis=-1)
    pixels, depth = camera.project(ends)
    away = np.linalg.norm(flat.mean(1) - camera.target[::2], axis=-1) / (far + 0.3)
    height, width = image.shape[:2]
    seen = (pixels.max(1) > 0).all(-1) & (pixels.min(1) < [width, height]).all(-1)
    # What is beside or behind the viewer has no place in the picture.
    shown = np.flatnonzero(seen & (away < 1) & (depth.min(-1) > 0.3))
    order = shown[np.argsort(away[shown], kind="stable")]
    lines = np.round(pixels[order] * 16).astype(np.int32)
    edges = np.searchsorted(away[order], np.arange(_SHADES + 1) / _SHADES).tolist()
    for color, start, end in zip(_COLORS, edges, edges[1:], strict=False):
        if end > start:
            cv2.polylines(image, list(lines[start:end]), False, color, 1, cv2.LINE_AA, 4)
