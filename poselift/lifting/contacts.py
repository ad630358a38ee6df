"""Which feet are on the ground: those that are at rest, and low for the body.

A foot is known by its heel and big toe where the skeleton has them, and by its ankle otherwise. Lifted motion is
noisy, above all in depth, so speeds are slopes of lines fitted to a fifth of a second, and speed along the line of
sight counts half. A foot comes down when it is slow, and stays down until it is fast or high.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

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
    """

    points: Float[np.ndarray, "t 2 p 3"]
    joints: tuple[str, ...]
    rest: Float[np.ndarray, " p"]


def feet_of(motion: Motion) -> Feet | None:
    """The feet of a motion; None where its skeleton has not even ankles."""
    skeleton = motion.skeleton
    joints = next((names for names in (("heel", "big_toe"), ("ankle",)) if _has(skeleton, names)), None)
    if joints is None:
        return None
    rows = [skeleton.indices([f"{foot.removesuffix('_foot')}_{joint}" for joint in joints]) for foot in FEET]
    points = motion.joints[:, rows] + motion.root[:, None, None]
    rest = np.array([_REST_HEIGHT[joint] for joint in joints]) * (_leg_length(motion) / _LEG)
    return Feet(points.astype(np.float64), joints, rest)


def at_rest(feet: Feet, times: Float[np.ndarray, " t"]) -> Bool[np.ndarray, "t 2 p"]:
    """Which points are slow, whatever their height.

    Args:
        feet: of one person in the camera frame; NaN where not known.
        times: seconds, increasing, in any steps.
    """
    velocity = _velocity(feet.points, times)
    sight = feet.points / np.maximum(np.linalg.norm(feet.points, axis=-1, keepdims=True), 1e-9)
    along = (velocity * sight).sum(-1, keepdims=True) * sight
    speed = np.linalg.norm(velocity - (1 - _DEPTH_TRUST) * along, axis=-1)
    # NaN is neither slow nor stays: no comparison with it is true.
    return _hysteresis(speed < _COMES_DOWN, speed < _TAKES_OFF, times)


def find_contacts(motion: Motion, up: Float[np.ndarray, "3"]) -> Bool[np.ndarray, "t 2 p"] | None:
    """Which points of the feet are on the ground, on a stair or on a roof, in the order of `Feet.points`.

    Args:
        motion: one person's, in the camera frame.
        up: unit vector away from the ground, camera frame.

    Returns:
        None where the skeleton has not even ankles.
    """
    feet = feet_of(motion)
    if feet is None:
        return None
    with np.errstate(invalid="ignore"):
        lowest = ((motion.joints + motion.root[:, None]) @ up).min(1)[:, None, None]
        low = feet.points @ up - feet.rest - lowest < _LIFTED
    slow = at_rest(feet, motion.timestamps) & low
    return _hysteresis(slow, slow, motion.timestamps)


def spells(flags: Bool[np.ndarray, " t"]) -> list[tuple[int, int]]:
    """Runs of frames (first, end) in which a flag is set."""
    edges = np.flatnonzero(np.diff(np.pad(flags.astype(np.int8), 1)))
    return [(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


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
    for first, end in spells(np.isfinite(points).all((1, 2, 3))):
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
            sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, 0)])
            return sums[high] - sums[low]

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
    for foot, point in np.ndindex(stays.shape[1:]):
        for first, end in spells(stays[:, foot, point]):
            # Between the frames before and after: a spell of one frame lasts for what a frame lasts.
            lasts = times[min(end, len(times) - 1)] - times[max(first - 1, 0)]
            whole = end - first == len(times)
            if starts[first:end, foot, point].any() and (whole or lasts >= _SHORTEST):
                out[first:end, foot, point] = True
    return out
