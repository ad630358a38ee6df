"""Joints in the pixels of a picture."""

import numpy as np
from jaxtyping import Float

_NEAREST = 0.1
"""Metres before the camera from which joints are drawn."""


def pixels_of(points: Float[np.ndarray, "j 3"], K: Float[np.ndarray, "3 3"]) -> Float[np.ndarray, "j 2"]:
    """Pixels of joints; NaN for joints beside or behind the camera.

    Args:
        points: in the camera frame, metres.
        K: intrinsics, pixels.
    """
    seen = points @ K.T
    pixels: np.ndarray = seen[:, :2] / np.where(seen[:, 2:] > _NEAREST, seen[:, 2:], np.nan)
    return pixels
