"""Which feet are on the ground: those that are at rest, and low for the body.

A foot is known by its heel and big toe where the skeleton has them, and by its ankle otherwise. Lifted motion is
noisy, above all in depth, so speeds are slopes of lines fitted to a fifth of a second, and speed along the line of
sight counts half. A foot comes down when it is slow, and stays down until it is fast or high. A lifter gives feet
that nobody saw, too, and they stand well; only those in sight say anything.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.times import usual_interval
from poselift.skeleton import Skeleton
from poselift.structures import FEET, Motion

_WINDOW = 0.1
"""Seconds before and after a frame to which the line is fitted whose slope is the speed."""

_COMES_DOWN, _TAKES_OFF = 0.45, 0.6
"""Speeds in m/s below which a foot comes down, and above which it takes off. A foot that is swung in walking moves at
2 to 4 m/s; one that stands seems to move at 0.3 m/s on lifted motion."""

_DEPTH_TRUST = 0.5
"""How much of the speed along the line of sight counts."""

_LIFTED = 0.15
"""Metres above the body's lowest joint at which a slow foot is not down: held in the air, or above a person who stands
on the hands. It is not asked how high above the ground's plane: there are stairs and uneven terrain, and the root's
depth, which is not known well, makes that height wander."""

_SHORTEST = 0.17
"""Seconds; a foot that is slow for less only turns in the air, as at the height of a jump, whose speed is below
`_TAKES_OFF` for 0.12 s; a spell lasts from the frame before to the frame after."""

_NEARBY, _OFTEN = 0.5, 0.3
"""Seconds before and after a frame, and the share of the frames in them in which a joint is seen that is in sight: it
may be hidden for 0.7 s. Of feet outside the picture a detector sees something in a tenth of the frames."""

_REST_HEIGHT = {"ankle": 0.08, "heel": 0.02, "big_toe": 0.03}
"""Metres over the ground of the joints of a flat foot, for legs of `_LEG`."""

_LEG = 0.85
"""Metres from hip to ankle of an adult (Winter 2009, Biomechanics and Motor Control of Human Movement, fig. 4.1)."""


@dataclass(frozen=True)
class Feet:
    """Where the points are that a person's feet are known by.

    Attributes:
        points: metres, left and right foot, in the motion's frame.
        joints: name of each point without its side.
        rest: height over the ground of each point when the foot is flat, metres.
        seen: whether a point is in sight, or the ankle that it hangs on (`in_sight`).
    """

    points: Float[np.ndarray, "t 2 p 3"]
    joints: tuple[str, ...]
    rest: Float[np.ndarray, " p"]
    seen: Bool[np.ndarray, "t 2 p"]


def feet_of(motion: Motion, threshold: float = 0.2) -> Feet | None:
    """The feet of a motion; None where its skeleton has not even ankles.

    Args:
        motion: one person's.
        threshold: keypoints that score less were not seen.
    """
    skeleton = motion.skeleton
    joints = next((names for names in (("heel", "big_toe"), ("ankle",)) if _has(skeleton, (*names, "ankle"))), None)
    if joints is None:
        return None
    rows = [skeleton.indices([f"{foot.removesuffix('_foot')}_{joint}" for joint in joints]) for foot in FEET]
    points = motion.joints[:, rows] + motion.root[:, None, None]
    rest = np.array([_REST_HEIGHT[joint] for joint in joints]) * (_leg_length(motion) / _LEG)
    sight = in_sight(motion, threshold)
    seen = sight[:, rows] | sight[:, skeleton.indices(["left_ankle", "right_ankle"]), None]
    return Feet(points.astype(np.float64), joints, rest, seen)


def in_sight(motion: Motion, threshold: float = 0.2) -> Bool[np.ndarray, "t j"]:
    """Which joints are in sight: those that are seen often enough around a frame.

    Args:
        motion: one person's.
        threshold: keypoints that score less were not seen.
    """
    keypoints, times = motion.keypoints, motion.timestamps
    both = [joint for joint in motion.skeleton.joints if joint in keypoints.skeleton.joints]
    seen = np.zeros(motion.joints.shape[:2], int)
    seen[:, motion.skeleton.indices(both)] = keypoints.used(threshold)[:, keypoints.skeleton.indices(both)]
    low, high = (np.searchsorted(times, times + away) for away in (-_NEARBY - 1e-6, _NEARBY + 1e-6))
    total = np.pad(np.cumsum(seen, axis=0), ((1, 0), (0, 0)))
    often: np.ndarray = total[high] - total[low] >= _OFTEN * (high - low)[:, None]
    return often


def at_rest(feet: Feet, times: Float[np.ndarray, " t"]) -> Bool[np.ndarray, "t 2 p"]:
    """Which points are in sight and slow, whatever their height.

    Args:
        feet: of one person in the camera frame; NaN where not known.
        times: seconds, increasing, in any steps.
    """
    velocity = _velocity(feet.points, times)
    sight = feet.points / np.maximum(np.linalg.norm(feet.points, axis=-1, keepdims=True), 1e-9)
    along = (velocity * sight).sum(-1, keepdims=True) * sight
    speed = np.linalg.norm(velocity - (1 - _DEPTH_TRUST) * along, axis=-1)
    # NaN is neither slow nor stays: no comparison with it is true.
    return _hysteresis(feet.seen & (speed < _COMES_DOWN), feet.seen & (speed < _TAKES_OFF), times)


def find_contacts(
    motion: Motion, up: Float[np.ndarray, "3"], threshold: float = 0.2
) -> Bool[np.ndarray, "t 2 p"] | None:
    """Which points of the feet are on the ground, on a stair or on a roof, in the order of `Feet.points`.

    Args:
        motion: one person's, in the camera frame.
        up: unit vector away from the ground, camera frame.
        threshold: keypoints that score less were not seen; what is not in sight is not down.

    Returns:
        None where the skeleton has not even ankles.
    """
    feet = feet_of(motion, threshold)
    if feet is None:
        return None
    with np.errstate(invalid="ignore"):
        lowest = ((motion.joints + motion.root[:, None]) @ up).min(1)[:, None, None]
        low = feet.points @ up - feet.rest - lowest < _LIFTED
    slow = at_rest(feet, motion.timestamps) & low
    return _hysteresis(slow, slow, motion.timestamps)


def spells(flags: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"] | None = None) -> list[tuple[int, int]]:
    """Runs of frames (first, end) in which a flag is set.

    Args:
        flags: of each frame.
        times: seconds, increasing; no run goes over a step in which frames are lacking. Left out, runs do.
    """
    joined = np.pad(flags[1:] & flags[:-1], 1)
    if times is not None:
        joined[1:-1] &= ~gaps(times)
    firsts, lasts = np.flatnonzero(flags & ~joined[:-1]), np.flatnonzero(flags & ~joined[1:])
    return [(int(first), int(last) + 1) for first, last in zip(firsts, lasts, strict=True)]


def gaps(times: Float[np.ndarray, " t"]) -> Bool[np.ndarray, " steps"]:
    """Steps from frame to frame in which the clip lacks frames, and a foot may have gone elsewhere."""
    return np.diff(times) > max(2 * _WINDOW, 2 * usual_interval(times)) + 1e-6


def _has(skeleton: Skeleton, names: tuple[str, ...]) -> bool:
    return {f"{foot.removesuffix('_foot')}_{name}" for foot in FEET for name in names} <= set(skeleton.joints)


def _leg_length(motion: Motion) -> float:
    """Metres from hip to ankle through the knee, the median over frames and legs; an adult's where it is not known."""
    lengths = []
    for foot in FEET:
        names = [f"{foot.removesuffix('_foot')}_{joint}" for joint in ("hip", "knee", "ankle")]
        if set(names) <= set(motion.skeleton.joints):
            bones = np.diff(motion.joints[:, motion.skeleton.indices(names)], axis=1)
            lengths.append(np.linalg.norm(bones, axis=-1).sum(-1))
    known = np.concatenate(lengths) if lengths else np.zeros(0)
    known = known[np.isfinite(known)]
    return float(np.median(known)) if len(known) else _LEG


def _velocity(points: Float[np.ndarray, "t 2 p 3"], times: Float[np.ndarray, " t"]) -> Float[np.ndarray, "t 2 p 3"]:
    """Slope of the line fitted to the known frames within `_WINDOW`; 0 where there is one frame alone."""
    velocity = np.full(points.shape, np.nan)
    for first, end in spells(np.isfinite(points).all((1, 2, 3)), times):
        seconds = times[first:end] - times[first:end].mean()
        run = points[first:end].reshape(end - first, -1)
        run = run - run.mean(0)
        low = np.searchsorted(seconds, seconds - _WINDOW - 1e-6)
        high = np.searchsorted(seconds, seconds + _WINDOW + 1e-6)
        # Frames further apart than the window: the neighbours on both sides.
        alone = high - low < 2
        low = np.where(alone, np.maximum(low - 1, 0), low)
        high = np.where(alone, np.minimum(high + 1, end - first), high)

        def total(values: np.ndarray, low: np.ndarray = low, high: np.ndarray = high) -> np.ndarray:
            # Each window by itself: in the difference of running sums, hours of frames leave no digits.
            padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
            return np.add.reduceat(padded, np.stack([low, high], 1).reshape(-1))[::2]

        t = seconds[:, None]
        n = (high - low)[:, None]
        spread = n * total(t * t) - total(t) ** 2
        slope = (n * total(t * run) - total(t) * total(run)) / np.where(n > 1, spread, 1.0)
        velocity[first:end] = slope.reshape(end - first, *points.shape[1:])
    return velocity


def _hysteresis(
    starts: Bool[np.ndarray, "t 2 p"], stays: Bool[np.ndarray, "t 2 p"], times: Float[np.ndarray, " t"]
) -> Bool[np.ndarray, "t 2 p"]:
    """Spells of `stays` in which there is a `starts`, if they last or are as long as the clip."""
    out = np.zeros_like(stays)
    # 1 where no frame follows on the one before: at the clip's ends and after a gap.
    apart = np.pad(gaps(times).astype(int), 1, constant_values=1)
    for foot, point in np.ndindex(stays.shape[1:]):
        for first, end in spells(stays[:, foot, point], times):
            # Between the frames before and after: a spell of one frame lasts for what a frame lasts.
            lasts = times[end - apart[end]] - times[first - 1 + apart[first]]
            whole = end - first == len(times)
            if starts[first:end, foot, point].any() and (whole or lasts >= _SHORTEST):
                out[first:end, foot, point] = True
    return out
