"""Least squares of a few unknowns, by Levenberg's and Marquardt's method."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

_STEP = 1e-6
"""Half the difference of an unknown over which its derivative is measured; unknowns are near 1."""

_ROUNDS, _SMALL = 100, 1e-9
"""Most steps, and the length of one that is the last."""

_LEAST, _MOST = 1e-12, 1e12
"""Damping, as a share of the curvature along each unknown: none, and so much that nothing moves."""


def fit_least_squares(
    residuals: Callable[[Float[np.ndarray, "*b n"]], Float[np.ndarray, "*b m"]], start: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "m n"]]:
    """The least-squares unknowns near a start, and the residuals' derivatives there.

    Args:
        residuals: smooth, and each unknown changes some of them. Derivatives ask for several places at once.
        start: the first guess.

    Example:
        >>> found, _ = fit_least_squares(lambda x: x @ [[1, -1], [0, 2]] - [1, 0], np.zeros(2))
        >>> found.round(6).tolist()
        [1.0, 0.5]
    """
    found, here, damping = start.astype(np.float64), residuals(start), 1e-3
    for _ in range(_ROUNDS):
        slopes = _measure_derivatives(residuals, found)
        curvature, downhill = slopes.T @ slopes, -slopes.T @ here
        while damping < _MOST:
            step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), downhill)
            there = residuals(found + step)
            if there @ there <= here @ here:
                break
            damping *= 10
        else:
            return found, slopes
        found, here, damping = found + step, there, max(damping / 10, _LEAST)
        if np.linalg.norm(step) < _SMALL:
            break
    return found, _measure_derivatives(residuals, found)


def _measure_derivatives(
    residuals: Callable[[Float[np.ndarray, "*b n"]], Float[np.ndarray, "*b m"]], place: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "m n"]:
    steps = _STEP * np.eye(len(place))
    ahead, behind = residuals(np.stack([place + steps, place - steps]))
    return ((ahead - behind) / (2 * _STEP)).T
