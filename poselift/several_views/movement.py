"""The shift between videos at which lifted poses agree best.

At the right shift, one rotation for the whole take turns the poses of one view onto those of the other. The best
rotation at each shift comes from the cross-correlation of the poses, by the fast Fourier transform.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import fft

from poselift.numerics.times import interpolate
from poselift.structures import BRIDGE, Motion

_RATE = 100.0
"""Values a second that are compared."""

_LEAST_COMMON = 1.0
"""Seconds that two videos must share."""

_PARTS = 6
"""Parts of the take whose own shifts tell how sure the whole one is."""

_OTHER = 0.15
"""Seconds from the best shift from which a shift is another one."""


@dataclass(frozen=True)
class Shift:
    """The shift between two videos.

    Attributes:
        offset: of the other video's clock on that of the first, seconds.
        spread: standard deviation, seconds.
        apart: distance of the poses at this shift, metres.
        doubt: how well the next best shift fits: 1 if as well as this one, 0 if as badly as any.
    """

    offset: float
    spread: float
    apart: float
    doubt: float


def shift_by_movement(first: Sequence[Motion], other: Sequence[Motion]) -> Shift | None:
    """The shift at which two people move most alike.

    It is None if no two share a second.

    Args:
        first: everybody in the first video, camera frame.
        other: likewise in the other one.
    """
    best: tuple[float, Shift] | None = None
    series = [[_series(motion) for motion in motions] for motions in (first, other)]
    for a in series[0]:
        for b in series[1]:
            if a is None or b is None:
                continue
            found = _compare(a, b)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    return None if best is None else best[1]


def _series(motion: Motion) -> tuple[float, Float[np.ndarray, "n j 3"]] | None:
    """Start, and centred poses at even times; 0 where there is none."""
    times = motion.timestamps.astype(np.float64)
    if len(times) < 2 or times[-1] - times[0] < _LEAST_COMMON / 2:
        return None
    even = np.arange(np.ceil(times[0] * _RATE), np.floor(times[-1] * _RATE) + 1) / _RATE
    poses = interpolate(motion.joints.astype(np.float64), times, even, BRIDGE)
    return float(even[0]), np.nan_to_num(poses - poses.mean(1, keepdims=True))


def _compare(a: tuple[float, np.ndarray], b: tuple[float, np.ndarray]) -> tuple[float, Shift] | None:
    """Excess of the best shift's distance, and the shift."""
    lags, apart, common = _distances(a[1], b[1])
    offsets = lags / _RATE + a[0] - b[0]
    allowed = common >= min(_LEAST_COMMON * _RATE, 0.6 * min(len(a[1]), len(b[1])))
    if not allowed.any():
        return None
    # Short overlaps fit by chance.
    judged = np.where(allowed, apart * (1 + 0.3 * (1 - common / common.max())), np.inf)
    best = int(judged.argmin())
    median = float(np.median(apart[allowed]))
    away = allowed & (np.abs(offsets - offsets[best]) > _OTHER)
    # The next best is the best of the other valleys; the slopes of this valley do not count.
    inner = np.zeros(len(judged), bool)
    inner[1:-1] = (judged[1:-1] <= judged[:-2]) & (judged[1:-1] <= judged[2:])
    others = judged[away & inner]
    next_best = float(others.min()) if len(others) else median
    depth = max(median - judged[best], 1e-9)
    doubt = float(np.clip((median - next_best) / depth, 0.0, 1.0))
    offset = offsets[best] + _vertex(judged, best) / _RATE
    spread = _spread(a, b, offset)
    return float(judged[best] + 0.0), Shift(float(offset), spread, float(apart[best]), doubt)


def _distances(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lags of b against a, distances, and common poses. Root mean squared distance at each."""
    size = 1 << (len(a) + len(b)).bit_length()

    def transform(values: np.ndarray) -> np.ndarray:
        found: np.ndarray = fft.rfft(values, size, axis=0)
        return found

    fa, fb = transform(a.reshape(len(a), -1)), transform(b.reshape(len(b), -1))
    fa, fb = fa.reshape(len(fa), -1, 3), fb.reshape(len(fb), -1, 3)
    covariance = fft.irfft(np.einsum("fji,fjk->fik", fa, np.conj(fb)), size, axis=0)
    there = [(values != 0).any((1, 2)).astype(float) for values in (a, b)]
    energy = [(values**2).sum((1, 2)) for values in (a, b)]

    def correlate(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        found: np.ndarray = fft.irfft(transform(x) * np.conj(transform(y)), size)
        return found

    common = correlate(there[0], there[1])
    squares = correlate(energy[0], there[1]) + correlate(there[0], energy[1])
    singular = np.linalg.svd(covariance, compute_uv=False)
    sign = np.sign(np.linalg.det(covariance))
    best = singular[:, 0] + singular[:, 1] + sign * singular[:, 2]
    lags = np.arange(size)
    lags[lags > size // 2] -= size
    order = np.argsort(lags)
    inside = (lags[order] > -len(b)) & (lags[order] < len(a))
    order = order[inside]
    apart = np.sqrt(np.maximum(squares - 2 * best, 0.0) / np.maximum(common * a.shape[1], 1e-6))
    return lags[order].astype(float), apart[order], np.round(common[order])


def _vertex(values: np.ndarray, best: int) -> float:
    """Place of the lowest point of a parabola, in steps. The parabola is around a minimum."""
    if not 0 < best < len(values) - 1 or not np.isfinite(values[best - 1 : best + 2]).all():
        return 0.0
    left, middle, right = values[best - 1 : best + 2] ** 2
    bend = left - 2 * middle + right
    return float(np.clip(0.5 * (left - right) / bend, -1, 1)) if bend > 0 else 0.0


def _spread(a: tuple[float, np.ndarray], b: tuple[float, np.ndarray], offset: float) -> float:
    """Standard deviation of the shift, from parts of the take."""
    found = []
    start, end = max(a[0], b[0] + offset), min(a[0] + len(a[1]) / _RATE, b[0] + offset + len(b[1]) / _RATE)
    bounds = np.linspace(start, end, _PARTS + 1)
    around = round(0.25 * _RATE)
    for low, high in itertools.pairwise(bounds):
        first = b[1][max(0, round((low - offset - b[0]) * _RATE)) : round((high - offset - b[0]) * _RATE)]
        begin = max(0, round((low - a[0]) * _RATE) - around)
        second = a[1][begin : round((high - a[0]) * _RATE) + around]
        if len(first) < 8 or len(second) < 8:
            continue
        lags, apart, common = _distances(second, first)
        full = common >= 0.9 * common.max()
        judged = np.where(full, apart, np.inf)
        best = int(judged.argmin())
        expected = low - a[0] - begin / _RATE
        found.append((lags[best] + _vertex(judged, best)) / _RATE - expected)
    if len(found) < 3:
        return 0.05
    middle = np.median(found)
    return float(max(1.4826 * np.median(np.abs(found - middle)) / np.sqrt(len(found)), 0.004))
