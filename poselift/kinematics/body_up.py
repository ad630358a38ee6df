"""What a body tells of up: who stands or walks is upright, who sits has an upright trunk, who rides stays level.

The axis from the feet to the shoulders is upright where feet carry the body, however it bends. It is not for somebody
who sits: there the trunk is. Somebody who lies looks like somebody who stands under another camera; only steps tell
them apart.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.kinematics.foot_contacts import Feet, feet_of, find_resting_points, find_seen_joints, runs_of
from poselift.kinematics.up import CAMERA_UP, find_upright
from poselift.structures import Motion

UPRIGHT = np.cos(np.deg2rad(50))
"""Bodies that lean further from the camera's up do not count. The limit is wider than in `poselift.kinematics.up`: a
body is one clue of several here, but all that a drawing has."""

LEAN, TRUNK_LEAN = np.deg2rad(5), np.deg2rad(8)
"""Angle from upright of a body's mean axis over a clip, and of the trunk of somebody who sits (standard deviation about
each axis)."""

BENT = np.deg2rad(12)
"""Angle between the body's axis and its trunk from which a body is bent: it sits, rides or stoops."""

STRAIGHT_SHARE = 0.2
"""Least share of straight frames of somebody who is mostly bent, for these frames alone to count."""

SITS, STEADY = np.deg2rad(35), np.deg2rad(8)
"""Least bend of both knees of somebody who sits, and its largest standard deviation: legs that pedal or step change."""

STEP, STEPS = 0.3, 3
"""Metres between two places where the same foot rests that make a step, and least number of steps of a walk."""

STILL_AXIS = 0.9
"""Least length of the mean of a walker's unit axes: who tumbles has no axis."""

CARRIED, WAY = 0.5, 1.0
"""Seconds before and after a frame in which no foot rests, for somebody who rides; and least way in metres."""

ROLLS = 0.5
"""Metres that somebody who sits travels, at least, for the feet to be on wheels."""

SLOPE, WANDERS = np.deg2rad(2), 0.1
"""Slope of a rider's way (standard deviation), and how far a root leaves it by errors of depth, metres."""


@dataclass(frozen=True)
class BodyUp:
    """A direction that is upright.

    Attributes:
        axis: unit vector, camera frame.
        spread: standard deviation of its angle from up about each axis, radians.
        sits: whether it is the trunk of somebody who sits.
    """

    axis: Float[np.ndarray, "3"]
    spread: float
    sits: bool = False


@dataclass(frozen=True)
class LevelWay:
    """The way of somebody who rides.

    Attributes:
        direction: unit vector, camera frame.
        spread: standard deviation of its slope, radians.
    """

    direction: Float[np.ndarray, "3"]
    spread: float


def find_body_up(motion: Motion, reference: Float[np.ndarray, "3"] = CAMERA_UP) -> BodyUp | None:
    """The upright direction of a body whose ends are in sight; None without upright frames.

    Args:
        motion: of one person, in the camera frame.
        reference: bodies count that lean at most 50 degrees from it.
    """
    axes, trunks, knees = _measure_body(motion)
    if axes is None or trunks is None or knees is None:
        return None
    counts = find_upright(axes, UPRIGHT, reference) & _ends_seen(motion)
    if not counts.any():
        return None
    axes, trunks, knees = _unit(axes[counts]), _unit(trunks[counts]), knees[counts]
    bends = np.arccos((axes * trunks).sum(-1).clip(-1, 1))
    straight = bends <= BENT
    if np.median(bends) > BENT and straight.mean() >= STRAIGHT_SHARE:
        axes, trunks, knees, bends = axes[straight], trunks[straight], knees[straight], bends[straight]
    bend = float(np.median(bends))
    if bend > BENT and np.median(knees, 0).min() > SITS and knees.std(0).max() < STEADY:
        return BodyUp(_unit(trunks.mean(0)), float(TRUNK_LEAN), sits=True)
    return BodyUp(_unit(axes.mean(0)), float(np.hypot(LEAN, max(bend - BENT, 0.0))))


def find_walking_axis(motion: Motion) -> Float[np.ndarray, "3"] | None:
    """The mean axis of somebody who walks, whatever the camera's tilt; None for others."""
    feet, axes = feet_of(motion), motion.body_axis()
    if feet is None or axes is None:
        return None
    known = _ends_seen(motion) & np.isfinite(axes).all(-1)
    if not known.any():
        return None
    mean = _unit(axes[known]).mean(0)
    if np.linalg.norm(mean) < STILL_AXIS:
        return None
    axis = _unit(mean)
    slow, steps = find_resting_points(feet, motion.timestamps), 0
    for foot in range(slow.shape[1]):
        runs = runs_of(np.asarray(slow[:, foot].any(-1)), motion.timestamps)
        places = np.array([np.median(feet.points[first:end, foot].mean(1), axis=0) for first, end in runs])
        moved = np.diff(places.reshape(-1, 3), axis=0)
        across = np.linalg.norm(moved - (moved @ axis)[:, None] * axis, axis=-1)
        steps += int((across >= STEP).sum())
    return axis if steps >= STEPS else None


def find_level_way(motion: Motion) -> LevelWay | None:
    """The way of somebody who moves while no foot rests, as on wheels; None without one."""
    feet = feet_of(motion)
    if feet is None:
        return None
    times = motion.timestamps
    rests = times[find_resting_points(feet, times).any((1, 2))]
    apart = np.abs(times[:, None] - rests).min(1, initial=np.inf)
    rides = (apart > CARRIED) & feet.seen.any(-1).all(-1) & np.isfinite(motion.root).all(-1)
    root = motion.root[rides].astype(np.float64)
    if len(root) < 2:
        return None
    root = root - root.mean(0)
    direction = np.linalg.svd(root, full_matrices=False)[2][0]
    way = float(np.ptp(root @ direction))
    return LevelWay(direction, float(np.hypot(SLOPE, WANDERS / way))) if way >= WAY else None


def sits_on_wheels(motion: Motion, reference: Float[np.ndarray, "3"] = CAMERA_UP) -> bool:
    """Whether somebody sits and travels: their feet ride along, however slowly, and do not stand.

    Args:
        motion: of one person, in the camera frame.
        reference: bodies count that lean at most 50 degrees from it.
    """
    body = find_body_up(motion, reference)
    root = motion.root[np.isfinite(motion.root).all(-1)].astype(np.float64)
    if body is None or not body.sits or len(root) < 2:
        return False
    return bool(np.linalg.norm(np.ptp(root, axis=0)) >= ROLLS)


def find_upright_footfalls(
    motion: Motion, reference: Float[np.ndarray, "3"] = CAMERA_UP
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, " n"]]:
    """Places where the feet of an upright body rested, and their points' height over the ground.

    Each run counts once, however long it is, because its frames share their error.

    Args:
        motion: of one person, in the camera frame.
        reference: bodies count that lean at most 50 degrees from it.
    """
    feet, axes = feet_of(motion), motion.body_axis()
    if feet is None or axes is None:
        return np.zeros((0, 3)), np.zeros(0)
    slow = find_resting_points(feet, motion.timestamps) & find_upright(axes, UPRIGHT, reference)[:, None, None]
    return _footfalls(feet, slow, motion.timestamps)


def _footfalls(
    feet: Feet, slow: Bool[np.ndarray, "t 2 p"], times: Float[np.ndarray, " t"]
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, " n"]]:
    places, rest = [], []
    for foot, point in np.ndindex(slow.shape[1:]):
        for first, end in runs_of(slow[:, foot, point], times):
            places.append(np.median(feet.points[first:end, foot, point], axis=0))
            rest.append(feet.rest[point])
    return np.array(places).reshape(-1, 3), np.array(rest)


def _measure_body(
    motion: Motion,
) -> tuple[Float[np.ndarray, "t 3"] | None, Float[np.ndarray, "t 3"] | None, Float[np.ndarray, "t 2"] | None]:
    """Axes from the ankles and from the hips to the shoulders (t, 3), and the bends of both knees (t, 2), radians."""
    axes, skeleton = motion.body_axis(), motion.skeleton
    names = [f"{side}_{joint}" for joint in ("shoulder", "hip", "knee", "ankle") for side in ("left", "right")]
    if axes is None or not set(names) <= set(skeleton.joints):
        return None, None, None
    shoulders, hips, knees, ankles = np.split(motion.joints[:, skeleton.indices(names)].astype(np.float64), 4, axis=1)
    cosine = (_unit(knees - hips) * _unit(ankles - knees)).sum(-1)
    return axes, (shoulders - hips).mean(1), np.arccos(cosine.clip(-1, 1))


def _ends_seen(motion: Motion) -> Bool[np.ndarray, " t"]:
    """Frames in which a shoulder and an ankle are in sight."""
    sight = find_seen_joints(motion)
    top, bottom = (
        sight[:, motion.skeleton.indices([f"left_{joint}", f"right_{joint}"])].any(-1)
        for joint in ("shoulder", "ankle")
    )
    return np.asarray(top & bottom)


def _unit(vectors: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, "*n 3"]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: np.ndarray = vectors / np.maximum(lengths, 1e-9)
    return unit
