"""Exchanged sides, told by the differences' courses before and after a step.

While the sides hide each other the differences are small, and three frames do not tell; their velocity does.
"""

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.lib.stride_tricks import sliding_window_view

from poselift.lifting.prepare.side_differences import (
    ACCELERATION,
    LONGEST,
    MOST,
    STRANGE,
    SideDifferences,
    cost,
    median_of_seen,
)

_COURSE = 0.21
"""Seconds before and after a step in which the courses of the differences are straight lines."""
_USUAL = 0.5
"""Share of the largest acceleration that a course has usually."""
_LEAST = 0.006
"""Least error of a difference in one frame, body lengths."""
_PASSES = 4
"""Times at most that courses are compared."""
_BLOCK = 2048
"""Steps whose courses are compared at once: with all of a long clip at once, memory would be gigabytes."""

_Line = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def follow_courses(sides: SideDifferences, signs: Int[np.ndarray, " n"], least: float) -> Int[np.ndarray, " n"]:
    """The signs, changed too where courses tell of an exchange.

    Args:
        sides: the differences.
        signs: 1 where exchanged.
        least: evidence that is enough.
    """
    signs = signs.copy()
    for _ in range(_PASSES):
        evidence = weigh_courses(sides, signs)
        peaks: list[int] = []
        for step in np.argsort(-evidence)[: (evidence > least / 2).sum()]:
            if all(abs(sides.times[step] - sides.times[other]) > _COURSE / 2 for other in peaks):
                peaks.append(int(step))
        # Between two that are nearer there is no course of its own: who spins looks like this.
        near = [sum(abs(sides.times[step] - sides.times[other]) <= 2 * _COURSE for other in peaks) for step in peaks]
        steps = [step for step, count in zip(peaks, near, strict=True) if count == 1 and evidence[step] > least]
        for step in steps:
            signs[step:] ^= 1
        if not steps:
            break
    return signs


def weigh_courses(sides: SideDifferences, signs: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Evidence of an exchange in the step to each frame.

    It is a log-likelihood ratio against none, and 0 in the first frame and after a gap.

    Args:
        sides: the differences.
        signs: 1 where they are turned before.
    """
    scores, times = sides.scores, sides.times
    seen = (scores[:-2] > 0) & (scores[1:-1] > 0) & (scores[2:] > 0)
    apart = sides.apart * (1 - 2 * signs)[:, None, None]
    noises = [_noise(values, seen) for values in (apart, sides.middles)]
    steps, between = np.diff(times), (times[1:] + times[:-1]) / 2
    count = int(np.ceil(_COURSE / max(float(np.median(steps)), 1e-3))) + 1
    filler = [(count, count)] + [(0, 0)] * 2
    around, middles = (
        sliding_window_view(np.pad(values, filler), 2 * count, axis=0)[1:-1] for values in (apart, sides.middles)
    )
    shown = sliding_window_view(np.pad(scores, filler[:2]), 2 * count, axis=0)[1:-1]
    clock = sliding_window_view(np.pad(times, count, constant_values=np.inf), 2 * count)[1:-1]
    found = [np.zeros(1)]
    for part in (slice(row, row + _BLOCK) for row in range(0, len(steps), _BLOCK)):
        after = clock[part] - between[part, None]
        weights = shown[part] * (np.abs(after) <= _COURSE + steps[part, None] / 2)[:, None]
        after = np.where(np.isfinite(after), after, 0.0)[:, None]
        (kept, known), (turned, _) = _meet(after, around[part], weights, noises[0], sides.accelerations)
        (aside, _), _ = _meet(after, middles[part], weights, noises[1], ACCELERATION)
        ratios = np.minimum(kept - turned, STRANGE - turned - aside).clip(-MOST, MOST)
        weight = np.minimum(weights[..., :count].max(-1), weights[..., count:].max(-1)) * known
        found.append(np.where(steps[part] <= LONGEST, (weight * ratios).sum(-1), 0.0))
    return np.concatenate(found)


def _noise(values: Float[np.ndarray, "n p 2"], seen: Bool[np.ndarray, "m p"]) -> Float[np.ndarray, " p"]:
    """Error of each pair in one frame, body lengths."""
    bends = np.linalg.norm(values[2:] - 2 * values[1:-1] + values[:-2], axis=-1)
    # The second difference of two axes of white noise is sqrt(6) times its spread, and the median 1.2 times.
    return np.maximum(_LEAST, median_of_seen(bends, seen) / (1.2 * np.sqrt(6)))


def _meet(
    after: Float[np.ndarray, "m 1 k"],
    values: Float[np.ndarray, "m p 2 k"],
    weights: Float[np.ndarray, "m p k"],
    noise: Float[np.ndarray, " p"],
    accelerations: Float[np.ndarray, " p"] | float,
) -> list[tuple[Float[np.ndarray, "m p"], Bool[np.ndarray, "m p"]]]:
    """How badly the courses before and after each step meet.

    Args:
        after: times of the frames around the step, from its middle on, seconds. The first half is before the step.
        values: of the pairs in these frames, body lengths.
        weights: of these frames.
        noise: error of each pair in one frame, body lengths.
        accelerations: usual largest ones of each pair, body lengths per second squared.

    Returns:
        The cost of the courses as they are, and with the first one turned, each with whether they are known.
    """
    count, bent = after.shape[-1] // 2, accelerations * _USUAL
    halves = (slice(count), slice(count, None))
    first, second = (_fit_line(after[..., half], values[..., half], weights[..., half]) for half in halves)
    # Where a course is no line, as that of somebody who spins, its ends are known less well.
    errors = [np.maximum(noise, course[4]) ** 2 for course in (first, second)]
    places = errors[0] * first[2] + errors[1] * second[2] + 2 * (bent * _COURSE**2 / 12) ** 2
    speeds = errors[0] * first[3] + errors[1] * second[3] + 2 * (bent * _COURSE / 2) ** 2

    def off(sign: int) -> Float[np.ndarray, "m p"]:
        apart, slower = second[0] - sign * first[0], second[1] - sign * first[1]
        return cost((apart**2).sum(-1) / places + (slower**2).sum(-1) / speeds)

    return [(off(sign), places < 1.0) for sign in (1, -1)]


def _fit_line(
    times: Float[np.ndarray, "m 1 k"], values: Float[np.ndarray, "m p 2 k"], weights: Float[np.ndarray, "m p k"]
) -> _Line:
    """A line through weighted values.

    Returns:
        Its value and slope at time 0, the variances of both for noise of 1, and the noise.
    """
    s0, s1, s2 = ((weights * times**power).sum(-1) for power in range(3))
    flat = s0 * s2 - s1**2
    known = (flat > 1e-9) & ((weights > 0).sum(-1) >= 2)
    flat = np.where(known, flat, 1.0)
    y0, y1 = ((weights * times**power)[:, :, None] * values for power in range(2))
    y0, y1 = y0.sum(-1), y1.sum(-1)
    value, slope = ((a[..., None] * y0 - b[..., None] * y1) / flat[..., None] for a, b in ((s2, s1), (-s1, -s0)))
    off = values - value[..., None] - slope[..., None] * times[:, :, None]
    free = np.maximum(2 * (weights > 0).sum(-1) - 4, 1)
    noise = np.sqrt(((weights > 0)[:, :, None] * off**2).sum((-1, -2)) / free)
    return value, slope, np.where(known, s2 / flat, 1e9), np.where(known, s0 / flat, 1e9), noise
