"""Smooth curves through values at time stamps."""

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import AnyArray, array_namespace, constant
from poselift.numerics.banded import solve_banded


def interpolate_spline(
    times: Float[np.ndarray, " n"], values: Float[np.ndarray, "n *c"], wanted: Float[np.ndarray, " m"]
) -> Float[np.ndarray, "m *c"]:
    """Values at other times on a cubic spline with continuous second derivative.

    The first two and the last two pieces are one polynomial each, as in most libraries ("not-a-knot"). Two values give
    a line, three a parabola.

    Args:
        times: seconds, increasing; at least two.
        values: finite.
        wanted: seconds; beyond the ends the first and last piece go on.

    Example:
        >>> interpolate_spline(np.arange(4.0), np.arange(4.0) ** 3, np.array([1.5])).round(9).tolist()
        [3.375]
    """
    rows = values.reshape(len(values), -1).astype(np.float64)
    steps, rises = _measure_pieces(times, rows)
    if len(times) < 4:
        bend = np.diff(rises, axis=0) / (times[2] - times[0]) if len(times) == 3 else np.zeros((1, rows.shape[1]))
        slopes = rises[:1] + bend * (2 * times - times[0] - times[1])[:, None]
    else:
        # band[1 + k, i] is how slope i enters equation i + k.
        band, right = np.zeros((3, len(times))), np.zeros_like(rows)
        band[0, 2:], band[1, 1:-1], band[2, :-2] = steps[:-1], 2 * (steps[:-1] + steps[1:]), steps[1:]
        right[1:-1] = 3 * (steps[1:, None] * rises[:-1] + steps[:-1, None] * rises[1:])
        for end, inner, side in ((0, 1, 0), (-1, -2, 2)):
            whole = steps[end] + steps[inner]
            band[1, end], band[side, inner] = steps[inner], whole
            near = (steps[end] + 2 * whole) * steps[inner] * rises[end]
            right[end] = (near + steps[end] ** 2 * rises[inner]) / whole
        slopes = solve_banded(band, right)
    return _evaluate_hermite(times, rows, slopes, wanted).reshape(len(wanted), *values.shape[1:])


def interpolate_monotone(
    times: Float[np.ndarray, " n"], values: Float[AnyArray, "n *c"], wanted: Float[np.ndarray, " m"]
) -> Float[AnyArray, "m *c"]:
    """Values at other times on a monotone cubic curve.

    Between two values it never leaves their range.

    Source: Fritsch and Butland, "A method for constructing local monotone piecewise cubic interpolants", 1984.

    Args:
        times: increasing; at least two.
        values: finite; in their precision.
        wanted: times; beyond the ends the first and last piece go on.

    Example:
        >>> interpolate_monotone(np.arange(4.0), np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.5, 1.5, 2.5])).tolist()
        [0.0, 0.5, 1.0]
    """
    xp, gap = array_namespace(values), np.diff(times)
    rows = values.reshape((len(values), -1))
    steps = constant(gap[:, None], values)
    rises = (rows[1:] - rows[:-1]) / steps
    if len(gap) == 1:
        slopes = xp.concat([rises, rises])
    else:
        near, far = 2 * steps[1:] + steps[:-1], steps[1:] + 2 * steps[:-1]
        same = rises[1:] * rises[:-1] > 0
        before, after = xp.where(same, rises[:-1], 1.0), xp.where(same, rises[1:], 1.0)
        inner = xp.where(same, (near + far) / (near / before + far / after), 0.0)
        first = _choose_end_slope(steps[0], steps[1], rises[0], rises[1])
        last = _choose_end_slope(steps[-1], steps[-2], rises[-1], rises[-2])
        slopes = xp.concat([first[None], inner, last[None]])
    piece = (np.searchsorted(times, wanted, side="right") - 1).clip(0, len(gap) - 1)
    share = constant(((wanted - times[piece]) / gap[piece])[:, None], values)
    start, end = piece.tolist(), (piece + 1).tolist()  # lists, because a graph can hold them
    rest = (1 - share) ** 2 * (1 + 2 * share)
    turn = steps[start] * share * (1 - share) * ((1 - share) * slopes[start] - share * slopes[end])
    return (rest * rows[start] + (1 - rest) * rows[end] + turn).reshape((len(wanted), *values.shape[1:]))


def _choose_end_slope(step: AnyArray, inner: AnyArray, rise: AnyArray, next_rise: AnyArray) -> AnyArray:
    """Slope at an end by three points, limited to stay monotone."""
    xp = array_namespace(rise)
    slope = ((2 * step + inner) * rise - step * next_rise) / (step + inner)
    steep = (rise * next_rise < 0) & (xp.abs(slope) > 3 * xp.abs(rise))
    return xp.where(slope * rise <= 0, 0.0, xp.where(steep, 3 * rise, slope))


def _measure_pieces(times: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Length and slope of the line between each two values."""
    steps = np.diff(times)
    return steps, np.diff(rows, axis=0) / steps[:, None]


def _evaluate_hermite(times: np.ndarray, rows: np.ndarray, slopes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The cubic pieces with these values and slopes at the times."""
    piece = (np.searchsorted(times, wanted, side="right") - 1).clip(0, len(times) - 2)
    step = np.diff(times)[piece, None]
    share = (wanted - times[piece])[:, None] / step
    first, last = rows[piece], rows[piece + 1]
    rise = last - first
    left, right = step * slopes[piece] - rise, step * slopes[piece + 1] - rise
    found: np.ndarray = first + share * (rise + (1 - share) * ((1 - share) * left - share * right))
    return found
