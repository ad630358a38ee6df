"""Sliding filters over frames: Gaussian means, maxima and medians."""

from typing import Literal

import numpy as np
from jaxtyping import Float
from numpy.lib.stride_tricks import sliding_window_view

_REACH = 4.0
"""Standard deviations to either side that a Gaussian mean takes in."""


def smooth_gaussian(
    values: Float[np.ndarray, "t *c"], deviation: float, mirrored: bool = False
) -> Float[np.ndarray, "t *c"]:
    """Gaussian means over frames at even times.

    Args:
        values: finite.
        deviation: standard deviation of the Gaussian, frames.
        mirrored: whether the values are mirrored beyond the ends; else the first and the last one go on.
    """
    reach = int(_REACH * deviation + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return _take_windows(values, reach, "symmetric" if mirrored else "edge") @ (weights / weights.sum())


def slide_maximum(values: Float[np.ndarray, "t *c"], reach: int) -> Float[np.ndarray, "t *c"]:
    """The maximum of each frame and `reach` frames to either side."""
    greatest: np.ndarray = _take_windows(values, reach, "edge").max(-1)
    return greatest


def slide_median(values: Float[np.ndarray, "t *c"], reach: int) -> Float[np.ndarray, "t *c"]:
    """The median of each frame and `reach` frames to either side.

    The first and last values are repeated beyond the ends.
    """
    middle: np.ndarray = np.median(_take_windows(values, reach, "edge"), axis=-1)
    return middle


def _take_windows(values: np.ndarray, reach: int, ends: Literal["symmetric", "edge"]) -> np.ndarray:
    """The frames around each frame, along a last axis."""
    padding = [(reach, reach)] + [(0, 0)] * (values.ndim - 1)
    return sliding_window_view(np.pad(values, padding, mode=ends), 2 * reach + 1, axis=0)
