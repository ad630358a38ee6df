"""Up, as far as a body tells it.

Who stands or walks is upright, who sits, pedals or lies has a shape, who rides stays level. The axis from the feet to
the shoulders is upright where feet carry the body, however it bends. For the others see `poselift.kinematics.posture`.
Somebody who lies and somebody who stands under another camera are told apart by that camera: it would be on its side,
upside down or under the ground. Spreads were chosen on people of split train (benchmarks/tilted_worlds.py).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.kinematics.directions import unit
from poselift.kinematics.foot_contacts import Feet, feet_of, find_resting_points, runs_of
from poselift.kinematics.posture import (
    FLAT,
    SADDLE,
    Body,
    Chair,
    ends_seen,
    find_chair,
    find_lying_up,
    find_saddle_up,
    measure_body,
)
from poselift.kinematics.up import CAMERA_UP, find_upright, up_of_tilt
from poselift.structures import Motion

UPRIGHT = np.cos(np.deg2rad(50))
"""Bodies that lean further from the camera's up do not count. The limit is wider than in `poselift.kinematics.up`: a
body is one clue of several here, but all that a drawing has."""

WALKING_LEAN, LEAN, STEEP_LEAN = np.deg2rad([3, 3.5, 6])
"""Angle from upright of a body's mean axis over a clip (standard deviation about each axis): of who walks, of others,
and of others whose axis is far from the camera's up, because a still body seen from above is lifted less well."""

BENT, BENT_SHARE = np.deg2rad(12), 0.7
"""Angle between the body's axis and its trunk from which a body is bent: it sits, rides or stoops; and share of that
angle by which its axis then leans (standard deviation about each axis)."""

CROUCHES, CROUCH_SHARE = np.deg2rad(15), 0.15
"""Bend of all hips and knees from which a body crouches, and share of the rest of that bend by which its axis then
leans (standard deviation about each axis): people crouch with their weight before or behind their feet."""

STRAIGHT_SHARE = 0.2
"""Least share of straight frames of somebody who is mostly bent, for these frames alone to count."""

STEP, STEPS = 0.3, 3
"""Metres between two places where the same foot rests that make a step, and least number of steps of a walk."""

STILL_AXIS = 0.9
"""Least length of the mean of a walker's unit axes: who tumbles has no axis."""

CARRIED, WAY = 0.5, 1.0
"""Seconds before and after a frame in which no foot rests, for somebody who rides; and least way in metres."""

PITCH, PITCH_SPREAD = np.deg2rad([6, 11]).tolist()
"""Mean angle by which cameras look down, and its standard deviation, radians."""

_ON_ITS_SIDE, _LOOKS_UP, _BELOW, _FAR_BELOW = np.sin(np.deg2rad([50, 50, 6, 15]))
"""Sines of the largest roll of a camera, of the largest angle by which it looks up, and of that by which it sees from
below somebody who lies; and of that from which it is doubtful whether somebody stands."""

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
        sits: whether it is that of somebody who sits.
        pedals: whether it is that of somebody who pedals: the feet go round and do not stand.
        doubtful: whether the camera would be far below somebody who stands, and well above somebody who lies.
    """

    axis: Float[np.ndarray, "3"]
    spread: float
    sits: bool = False
    pedals: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class LevelWay:
    """The way of somebody who rides.

    Attributes:
        direction: unit vector, camera frame.
        spread: standard deviation of its slope, radians.
    """

    direction: Float[np.ndarray, "3"]
    spread: float


def find_body_up(motion: Motion, reference: Float[np.ndarray, "3"] = CAMERA_UP, *, walks: float = 0.0) -> BodyUp | None:
    """The upright direction of a body whose ends are in sight.

    None where it tells none.

    Args:
        motion: of one person, in the camera frame.
        reference: who stands leans at most 50 degrees from it.
        walks: how surely the person walks, from 0 to 1; see `Walker`.
    """
    body = measure_body(motion)
    if body is None:
        return None
    saddle, chair = find_saddle_up(body), find_chair(body)
    if saddle is not None and _is_held(saddle):
        return BodyUp(saddle, float(SADDLE), pedals=True)
    if chair is not None and _is_held(chair.up):
        return _sit_or_crouch(chair, unit(body.axis.mean(0)))
    upright = find_upright(body.axis, UPRIGHT, reference)
    if not upright.any():
        return _find_far_up(body)
    body = body.choose(upright)
    straight = body.bends <= BENT
    if np.median(body.bends) > BENT and straight.mean() >= STRAIGHT_SHARE:
        body = body.choose(straight)
    axis = unit(body.axis.mean(0))
    doubtful = bool(axis @ _sight(body) > _FAR_BELOW) and any(_may_be(up, body) for up in find_lying_up(body))
    lean = LEAN + walks * (WALKING_LEAN - LEAN)
    return BodyUp(axis, _spread(float(lean), body), doubtful=doubtful)


def _sit_or_crouch(chair: Chair, axis: Float[np.ndarray, "3"]) -> BodyUp:
    """Up of somebody who sits or crouches. It is the mean of both, weighted by how cameras are held."""
    sits, crouches = chair.sits * _usual_camera(chair.up), (1 - chair.sits) * _usual_camera(axis)
    share = sits / (sits + crouches)
    apart = float(np.arccos(np.clip(chair.up @ axis, -1, 1)))
    up = unit(share * chair.up + (1 - share) * axis)
    # The angle between both lies in one plane; half of its variance is about each axis.
    return BodyUp(up, float(np.hypot(chair.spread, apart * np.sqrt(share * (1 - share) / 2))), sits=share > 0.5)


def _usual_camera(up: Float[np.ndarray, "3"]) -> float:
    """How usual a camera with this up is, from 0 to 1. It is a half at one spread from the usual pitch."""
    off = np.arccos(np.clip(up @ up_of_tilt(PITCH), -1, 1)) / PITCH_SPREAD
    return float(1 / (1 + off**2))


def _spread(lean: float, body: Body) -> float:
    """Standard deviation of an axis about each axis."""
    bend = float(np.median(body.bends))
    crouch = max(float(body.crouch - CROUCHES), 0.0)
    return float(np.hypot(np.hypot(lean, BENT_SHARE * bend * (bend > BENT)), CROUCH_SHARE * crouch))


def _find_far_up(body: Body) -> BodyUp | None:
    """The up of a body whose axis is far from the camera's. It lies, stands on its hands, or is seen from above."""
    mean = body.axis.mean(0)
    axes = [unit(mean), -unit(mean)] if np.linalg.norm(mean) > STILL_AXIS else []
    told = [BodyUp(up, _spread(float(STEEP_LEAN), body)) for up in axes]
    told += [BodyUp(up, _spread(float(FLAT), body)) for up in find_lying_up(body)]
    likely = [one for one in told if _may_be(one.axis, body)]
    return max(likely, key=lambda one: float(one.axis @ CAMERA_UP), default=None)


def _may_be(up: Float[np.ndarray, "3"], body: Body) -> bool:
    """Whether this up is plausible for camera and body.

    The camera is held as cameras are, and not under the ground of the body.
    """
    return _is_held(up) and bool(up @ _sight(body) < _BELOW)


def _sight(body: Body) -> Float[np.ndarray, "3"]:
    """Unit vector from the camera to the body's mean, or zeros."""
    places = body.root[np.isfinite(body.root).all(-1)]
    return unit(places.mean(0)) if len(places) else np.zeros(3)


def _is_held(up: Float[np.ndarray, "3"]) -> bool:
    """Whether a camera with this up is held as cameras are.

    Such a camera is not upside down or on its side, and does not look far up.
    """
    return bool(abs(up[0]) < _ON_ITS_SIDE and up @ CAMERA_UP > -_BELOW and up[2] < _LOOKS_UP)


@dataclass(frozen=True)
class Walker:
    """Somebody who walks.

    Attributes:
        axis: mean axis of the body, unit vector, camera frame.
        surely: 0 for as many steps as a walk needs, 1 for twice as many. A body's weight does not jump with one step.
    """

    axis: Float[np.ndarray, "3"]
    surely: float


def find_walk(motion: Motion) -> Walker | None:
    """The walk of a motion, or None. The camera's tilt does not matter."""
    feet, axes = feet_of(motion), motion.body_axis()
    if feet is None or axes is None:
        return None
    known = ends_seen(motion) & np.isfinite(axes).all(-1)
    if not known.any():
        return None
    mean = unit(axes[known]).mean(0)
    if np.linalg.norm(mean) < STILL_AXIS:
        return None
    axis = unit(mean)
    slow, steps = find_resting_points(feet, motion.timestamps), 0.0
    for foot in range(slow.shape[1]):
        runs = runs_of(np.asarray(slow[:, foot].any(-1)), motion.timestamps)
        places = np.array([np.median(feet.points[first:end, foot].mean(1), axis=0) for first, end in runs])
        moved = np.diff(places.reshape(-1, 3), axis=0)
        across = np.linalg.norm(moved - (moved @ axis)[:, None] * axis, axis=-1)
        steps += float(np.clip(across / STEP - 0.5, 0.0, 1.0).sum())
    return Walker(axis, min(steps / STEPS - 1.0, 1.0)) if steps >= STEPS else None


def find_level_way(motion: Motion) -> LevelWay | None:
    """The way of somebody who moves while no foot rests, or None. Wheels move so."""
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
    """Whether somebody sits and travels.

    Their feet ride along, however slowly, and do not stand.

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
    """Footfalls of an upright body, and their points' heights.

    They are the places where the feet rested, and heights over the ground. Each run counts once, however long it is,
    because its frames share their error.

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
