"""Foot contacts: slow feet, low for the body, are on ground.

A foot is its heel and big toe if the skeleton has them, and its ankle otherwise. Lifted motion is noisy, above all in
depth. So speeds are slopes of lines fitted to a fifth of a second, and speed along the line of sight counts half. A
foot comes down when it is slow, and stays down until it is fast or high. Two feet that stand do not move against each
other, as those of a person who turns do. A lifter also gives feet that nobody saw, and they stand very still: only feet
in sight count.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.numerics.times import median_interval
from poselift.skeleton import Skeleton
from poselift.structures import FEET, Motion

_WINDOW = 0.1
"""Seconds before and after a frame to which a line is fitted; its slope is the speed."""

_COMES_DOWN, _TAKES_OFF = 0.45, 0.6
"""Speeds in m/s below which a foot comes down, and above which it takes off. A walker's swinging foot moves at 2 to
4 m/s; a standing foot seems to move at 0.3 m/s in lifted motion."""

_HALF, _DOUBT = 0.35, 0.15
"""Speed in m/s at which a foot stands with a probability of a half, and the width of that border. They are set by the
root's path with feet that stand (benchmarks/world.md)."""

_HEIGHT_DOUBT = 0.03
"""Width in metres of the border at `_LIFTED`."""

_DEPTH_TRUST = 0.5
"""Share of the speed along the line of sight that counts."""

_LIFTED = 0.15
"""Metres above the body's lowest joint from which a slow foot is not down: it is held in the air, or the person stands
on the hands. The height above the ground's plane does not matter: there are stairs and slopes, and errors of the root's
depth make that height wander."""

_SHORTEST = 0.17
"""Shortest contact in seconds, from the frame before it to the frame after it. A foot that is slow for less only turns
in the air: at the top of a jump, speed is below `_TAKES_OFF` for 0.12 s."""

_REST_HEIGHT = {"ankle": 0.08, "heel": 0.02, "big_toe": 0.03}
"""Height of a flat foot's joints over the ground, metres, for legs of `_LEG`."""

_LEG = 0.85
"""Metres from hip to ankle of an adult (Winter 2009, Biomechanics and Motor Control of Human Movement, fig. 4.1)."""


@dataclass(frozen=True)
class Feet:
    """Points of a person's feet.

    Attributes:
        points: metres, left and right foot, in the motion's frame.
        joints: name of each point without its side.
        rest: height of each point over the ground when the foot is flat, metres.
        seen: whether a point or its ankle is in sight (`in_sight`).
    """

    points: Float[np.ndarray, "t 2 p 3"]
    joints: tuple[str, ...]
    rest: Float[np.ndarray, " p"]
    seen: Bool[np.ndarray, "t 2 p"]


def feet_of(motion: Motion) -> Feet | None:
    """The feet of a motion; None if its skeleton has no ankles."""
    skeleton = motion.skeleton
    joints = next((names for names in (("heel", "big_toe"), ("ankle",)) if _has(skeleton, (*names, "ankle"))), None)
    if joints is None:
        return None
    rows = [skeleton.indices([f"{foot.removesuffix('_foot')}_{joint}" for joint in joints]) for foot in FEET]
    points = motion.joints[:, rows] + motion.root[:, None, None]
    rest = np.array([_REST_HEIGHT[joint] for joint in joints]) * (_leg_length(motion) / _LEG)
    sight = find_seen_joints(motion)
    seen = sight[:, rows] | sight[:, skeleton.indices(["left_ankle", "right_ankle"]), None]
    return Feet(points.astype(np.float64), joints, rest, seen)


def find_seen_joints(motion: Motion) -> Bool[np.ndarray, "t j"]:
    """Joints whose own keypoints are seen often enough around each frame."""
    keypoints = motion.keypoints
    both = [joint for joint in motion.skeleton.joints if joint in keypoints.skeleton.joints]
    seen = np.zeros(motion.joints.shape[:2], bool)
    seen[:, motion.skeleton.indices(both)] = keypoints.in_sight(motion.threshold, of_found=False)[
        :, keypoints.skeleton.indices(both)
    ]
    return seen


def find_resting_points(feet: Feet, times: Float[np.ndarray, " t"]) -> Bool[np.ndarray, "t 2 p"]:
    """Points that are in sight and slow, at any height.

    Args:
        feet: of one person in the camera frame; NaN where unknown.
        times: seconds, increasing, in any steps.
    """
    speed, apart, faster = _speeds(feet, times)
    # Comparisons with NaN are false: unknown points are not at rest.
    moves = (apart > _TAKES_OFF)[:, None] & faster
    still = feet.seen & ~moves[..., None]
    return _hysteresis(still & (speed < _COMES_DOWN), still & (speed < _TAKES_OFF), times)


def _speeds(
    feet: Feet, times: Float[np.ndarray, " t"]
) -> tuple[Float[np.ndarray, "t 2 p"], Float[np.ndarray, " t"], Bool[np.ndarray, "t 2"]]:
    """Speeds of the points, and of the feet against each other, m/s. Also, which foot is the faster one."""
    velocity = point_velocity(feet.points, times)
    sight = feet.points / np.maximum(np.linalg.norm(feet.points, axis=-1, keepdims=True), 1e-9)
    along = (velocity * sight).sum(-1, keepdims=True) * sight
    velocity -= (1 - _DEPTH_TRUST) * along
    speed = np.linalg.norm(velocity, axis=-1)
    # Feet roll, so the slowest points count. Errors of the root move both feet alike and cancel out here.
    apart = np.linalg.norm(velocity[:, 0, :, None] - velocity[:, 1, None], axis=-1).min((1, 2))
    slowest = speed.min(-1)
    return speed, apart, slowest >= slowest[:, ::-1]


def find_contacts(motion: Motion, up: Float[np.ndarray, "3"]) -> Bool[np.ndarray, "t 2 p"] | None:
    """Points of the feet that stand on ground, stair or roof.

    Args:
        motion: of one person, in the camera frame. A point out of sight is not down.
        up: unit vector away from the ground, camera frame.

    Returns:
        In the order of `Feet.points`; None if the skeleton has no ankles.
    """
    feet = feet_of(motion)
    if feet is None:
        return None
    with np.errstate(invalid="ignore"):
        low = _heights(motion, feet, up) < _LIFTED
    slow = find_resting_points(feet, motion.timestamps) & low
    return _hysteresis(slow, slow, motion.timestamps)


def find_standing_shares(motion: Motion, up: Float[np.ndarray, "3"]) -> Float[np.ndarray, "t 2 p"] | None:
    """Probabilities that points of the feet stand, 0 to 1.

    They fall with the point's speed, its height over the body's lowest joint, and, for the faster foot, the speed of
    the feet against each other. Unlike `find_contacts`, they do not jump where a foot comes down.

    Args:
        motion: of one person, in the camera frame. A point out of sight has 0.
        up: unit vector away from the ground, camera frame.

    Returns:
        In the order of `Feet.points`; None if the skeleton has no ankles.
    """
    feet = feet_of(motion)
    if feet is None:
        return None
    speed, apart, faster = _speeds(feet, motion.timestamps)
    share = _below(speed, _HALF, _DOUBT) * _below(_heights(motion, feet, up), _LIFTED, _HEIGHT_DOUBT)
    share *= np.where(faster, _below(apart, _TAKES_OFF, _DOUBT)[:, None], 1.0)[..., None]
    return np.where(feet.seen, np.nan_to_num(share), 0.0)


def _heights(motion: Motion, feet: Feet, up: Float[np.ndarray, "3"]) -> Float[np.ndarray, "t 2 p"]:
    """Heights over the lowest joint, less those of a flat foot, metres."""
    lowest = ((motion.joints + motion.root[:, None]) @ up).min(1)[:, None, None]
    heights: np.ndarray = feet.points @ up - feet.rest - lowest
    return heights


def _below(values: Float[np.ndarray, "*a"], border: float, doubt: float) -> Float[np.ndarray, "*a"]:
    """A smooth step. It is 1 far below the border, a half at it, and 0 far above."""
    steep: np.ndarray = 0.5 - 0.5 * np.tanh((values - border) / (2 * doubt))
    return steep


def runs_of(flags: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"] | None = None) -> list[tuple[int, int]]:
    """Runs of frames (first, end) in which a flag is set.

    Args:
        flags: one for each frame.
        times: seconds, increasing. If given, missing frames end a run.
    """
    joined = np.pad(flags[1:] & flags[:-1], 1)
    if times is not None:
        joined[1:-1] &= ~missing_frames(times)
    firsts, lasts = np.flatnonzero(flags & ~joined[:-1]), np.flatnonzero(flags & ~joined[1:])
    return [(int(first), int(last) + 1) for first, last in zip(firsts, lasts, strict=True)]


def missing_frames(times: Float[np.ndarray, " t"]) -> Bool[np.ndarray, " steps"]:
    """Steps between frames in which the clip lacks frames. A foot may have moved there."""
    return np.diff(times) > max(2 * _WINDOW, 2 * median_interval(times)) + 1e-6


def _has(skeleton: Skeleton, names: tuple[str, ...]) -> bool:
    return {f"{foot.removesuffix('_foot')}_{name}" for foot in FEET for name in names} <= set(skeleton.joints)


def _leg_length(motion: Motion) -> float:
    """Median length from hip over knee to ankle, metres. It is an adult's if unknown."""
    lengths = []
    for foot in FEET:
        names = [f"{foot.removesuffix('_foot')}_{joint}" for joint in ("hip", "knee", "ankle")]
        if set(names) <= set(motion.skeleton.joints):
            bones = np.diff(motion.joints[:, motion.skeleton.indices(names)], axis=1)
            lengths.append(np.linalg.norm(bones, axis=-1).sum(-1))
    known = np.concatenate(lengths) if lengths else np.zeros(0)
    known = known[np.isfinite(known)]
    return float(np.median(known)) if len(known) else _LEG


def point_velocity(
    points: Float[np.ndarray, "t 2 p 3"], times: Float[np.ndarray, " t"]
) -> Float[np.ndarray, "t 2 p 3"]:
    """Velocities of foot points: slopes of lines over 0.1 s.

    A single frame has 0.

    Args:
        points: metres; NaN where unknown.
        times: seconds, increasing, in any steps.
    """
    velocity = np.full(points.shape, np.nan)
    for first, end in runs_of(np.isfinite(points).all((1, 2, 3)), times):
        seconds = times[first:end] - times[first:end].mean()
        run = points[first:end].reshape(end - first, -1)
        run = run - run.mean(0)
        low = np.searchsorted(seconds, seconds - _WINDOW - 1e-6)
        high = np.searchsorted(seconds, seconds + _WINDOW + 1e-6)
        # Where frames are further apart than the window, take the neighbours on both sides.
        alone = high - low < 2
        low = np.where(alone, np.maximum(low - 1, 0), low)
        high = np.where(alone, np.minimum(high + 1, end - first), high)

        def total(values: np.ndarray, low: np.ndarray = low, high: np.ndarray = high) -> np.ndarray:
            # Each window is summed by itself: differences of running sums lose their digits over hours.
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
    """Runs of `stays` that have a `starts` and are long enough. A run that fills the clip counts too."""
    out = np.zeros_like(stays)
    # 1 where no frame directly precedes: at the clip's ends and after a gap.
    apart = np.pad(missing_frames(times).astype(int), 1, constant_values=1)
    for foot, point in np.ndindex(stays.shape[1:]):
        for first, end in runs_of(stays[:, foot, point], times):
            # From the frame before to the frame after: a run of one frame lasts as long as a frame.
            lasts = times[end - apart[end]] - times[first - 1 + apart[first]]
            whole = end - first == len(times)
            if starts[first:end, foot, point].any() and (whole or lasts >= _SHORTEST):
                out[first:end, foot, point] = True
    return out
