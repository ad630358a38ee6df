"""Joints in the pixels of a picture."""

import numpy as np
from jaxtyping import Float

from poselift.geometry import project

_NEAREST = 0.1
"""Metres before the camera from which joints are drawn."""


def pixels_of(
    points: Float[np.ndarray, "j 3"], K: Float[np.ndarray, "3 3"], lens: Float[np.ndarray, " k"] | None = None
) -> Float[np.ndarray, "j 2"]:
    """Pixels of joints; NaN for joints beside or behind the camera.

    Args:
        points: in the camera frame, metres.
        K: intrinsics, pixels.
        lens: numbers of a lens that bends the picture (`Camera.lens`).
    """
    near = points[:, 2:] <= _NEAREST
    pixels: np.ndarray = project(points, K, None if lens is None else lens.astype(points.dtype))
    return np.where(near, np.nan, pixels)
