"""The ground and up, from the motion of all people.

Four things tell which way is up: feet rest on one plane, bodies are upright on average, who rides moves on the level,
and cameras are held nearly level. Each is a residual divided by its standard deviation, and one least-squares fit
weighs them. A walking person determines the plane; for a person on one spot, body and camera do. Cameras that look down
steeply say nothing by themselves: there bodies count alone. Footfalls off the plane, on a roof or on stairs,
lose their weight. Only joints in sight count: the legs of a person seen from the waist up are the lifter's guess.

People whose height is only estimated may also change their size about the camera: the feet of somebody taken for too
small seem to float. Their estimate is one more residual. So a given height of one person also measures the others on
the same ground.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.kinematics.body_up import (
    PITCH,
    PITCH_SPREAD,
    UPRIGHT,
    find_body_up,
    find_level_way,
    find_upright_footfalls,
    find_walk,
)
from poselift.kinematics.foot_contacts import feet_of, find_seen_joints
from poselift.kinematics.height import SPREAD, has_given_height
from poselift.kinematics.up import CAMERA_UP
from poselift.numerics.least_squares import fit_least_squares
from poselift.structures import Motion

_ROLL = np.deg2rad(3)
"""Roll of cameras (standard deviation)."""

_USUAL_TILT, _UNUSUAL_TILT = np.deg2rad(12), np.deg2rad(6)
"""Angle from a usual camera's pitch and roll up to which the prior counts fully, and further angle at which it counts a
quarter: bodies tell more of a camera at the ceiling, and of one on its side."""

_KNOWN_TILT = np.deg2rad(1)
"""Standard deviation of a tilt that somebody measured."""

_STEEP_WAY = np.deg2rad(15)
"""Slope of a way at which it counts a quarter: who falls or climbs does not ride."""

UNKNOWN_UP = np.deg2rad(30)
"""Uncertainty of up where no body tells, or one that may as well lie as stand: cameras look down from anywhere."""

_FOOTFALL = 0.07
"""Distance of a resting foot from the plane, metres, by errors of pose and depth (standard deviation)."""

_MOST = 8.0
"""Most footfalls' worth that all of them count together: their errors have much in common."""

_REACHES = (0.3, 0.15)
"""Distance from the plane, metres, at which a footfall counts a quarter in the first rounds, while up is uncertain. In
later rounds it is `_FOOTFALL`. Footfalls further off, in the air or on a stair, drop out (Geman-McClure weights)."""

_ROUNDS = 5
"""Fits at the last reach, each with weights by the one before."""

_FAIR_SHARE = 0.2
"""Share of the footfalls of the most used level that a level needs to be the ground."""

_CAMERA_HEIGHT = 1.4
"""Usual height of a camera above the ground, metres; its standard deviation is one metre."""

_UNUSUAL = 2.0
"""Difference from `_CAMERA_HEIGHT`, metres, at which the usual height counts a quarter beside footfalls. It helps for a
hand-held camera; at full weight it would tilt the world of a camera on a mast or a drone by 20 degrees."""

_FLESH = 0.06
"""Distance of the body's lowest joint from the ground below it, metres."""

_LEVELS = 2000
"""Most footfalls to choose the ground's level from: each is compared with each."""


@dataclass(frozen=True)
class Ground:
    """The ground's plane in the camera frame: up · x = height.

    Attributes:
        up: unit vector away from the ground.
        height: along `up`, metres; negative where the camera is above the ground.
        uncertainty: standard deviation of `up` about the worse of its two axes, radians.
        feet_seen: whether any foot was ever in sight; if not, the ground is a guess.
        scales: by which each motion is to be enlarged about the camera so that its feet are on the ground.
    """

    up: Float[np.ndarray, "3"]
    height: float
    uncertainty: float
    feet_seen: bool
    scales: Float[np.ndarray, " n"]


def find_ground(
    motions: Sequence[Motion], resize: bool = False, given_up: Float[np.ndarray, "3"] | None = None
) -> Ground:
    """The ground that all people share.

    Args:
        motions: in the camera frame, of one clip.
        resize: whether people whose height is not given may change their size.
        given_up: unit vector in the camera frame, from a measured tilt; found if None.

    Raises:
        InputError: a motion is not in the camera frame.
    """
    if in_world := [motion.keypoints.person for motion in motions if motion.frame != "camera"]:
        raise InputError(
            f"person {in_world[0]} is in the world frame; lift again without --world, for the camera frame"
        )
    walks = [find_walk(motion) for motion in motions]
    walking = [walk.axis for walk in walks if walk is not None]
    reference = _find_reference(walking) if given_up is None else given_up
    told = [
        find_body_up(motion, reference, walks=walk.surely if walk is not None else 0.0)
        for motion, walk in zip(motions, walks, strict=True)
    ]
    bodies = [body for body in told if body is not None]
    axes = np.array([body.axis for body in bodies]).reshape(-1, 3)
    spreads = np.array([body.spread for body in bodies]).reshape(-1, 1)
    # Its product with a vector is the cross products of each axis and the vector, over the spreads.
    across = np.cross((axes / spreads)[:, None], np.eye(3)).swapaxes(-1, -2).reshape(-1, 3)
    ways = [way for motion in motions if (way := find_level_way(motion)) is not None]
    level = np.array([way.direction / way.spread for way in ways]).reshape(-1, 3)
    falls = [
        (np.zeros((0, 3)), np.zeros(0)) if body and body.pedals else find_upright_footfalls(motion, reference)
        for motion, body in zip(motions, told, strict=True)
    ]
    places = np.concatenate([np.zeros((0, 3)), *(places for places, _ in falls)])
    rest = np.concatenate([np.zeros(0), *(rest for _, rest in falls)])
    owners = np.repeat(np.arange(len(falls)), [len(rest) for _, rest in falls])
    free = np.array([resize and not has_given_height(motion) for motion in motions], bool)
    counts = np.zeros(len(places))
    weight = 1.0
    roll, pitch = (0.0, PITCH) if given_up is None else _angles(given_up)
    pitch_spread = PITCH_SPREAD if given_up is None else _KNOWN_TILT
    start = _angles(axes.mean(0)) if len(axes) and given_up is None else (roll, pitch)
    # Bodies decide, not the fit: there the usual pose would keep its own weight.
    known = _weigh_usual_pose(np.array(start)) if given_up is None else 1.0
    rides = np.ones(len(ways))

    def scales(x: np.ndarray) -> np.ndarray:
        found = np.ones((*x.shape[:-1], len(motions)))
        found[..., free] = np.exp(x[..., 3:])
        return found

    def off(x: np.ndarray) -> np.ndarray:
        """The footfalls' heights over the ground, at people's true size. At a free size all would shrink."""
        above: np.ndarray = _direction(x) @ places.T - rest - x[..., 2:3] / scales(x)[..., owners]
        return above

    def over_usual(x: np.ndarray) -> np.ndarray:
        """By how much the ground is above its usual place; (..., 1). It does not change if everybody grows."""
        size = scales(x).mean(-1, keepdims=True) if len(motions) else 1.0
        above: np.ndarray = x[..., 2:3] / size + _CAMERA_HEIGHT
        return above

    def residuals(x: np.ndarray) -> np.ndarray:
        """Of unknowns (..., n)."""
        up = _direction(x)
        return np.concatenate(
            [
                np.sqrt(known) * (x[..., :2] - [roll, pitch]) / [_ROLL, pitch_spread],
                np.sqrt(weight) * over_usual(x),
                up @ across.T,
                np.sqrt(rides) * (up @ level.T),
                x[..., 3:] / SPREAD,
                np.sqrt(counts) * off(x) / _FOOTFALL,
            ],
            -1,
        )

    def weigh(x: np.ndarray) -> None:
        """Sets what each way counts for."""
        nonlocal rides
        slopes = np.array([way.direction @ _direction(x) for way in ways])
        rides = _geman_mcclure(slopes / _STEEP_WAY)

    x = np.array([*start, -_CAMERA_HEIGHT, *np.zeros(free.sum())])
    weigh(x)
    x, slopes = fit_least_squares(residuals, x)
    if len(places):
        x[2] = _ground_level(places @ _direction(x) - rest)
        for reach in (*_REACHES, *(_FOOTFALL,) * _ROUNDS):
            counts = _geman_mcclure(off(x) / reach)
            counts *= min(1.0, _MOST / max(counts.sum(), 1e-9))
            weight = float(_geman_mcclure(over_usual(x) / _UNUSUAL)[0])
            weigh(x)
            x, slopes = fit_least_squares(residuals, x)
    else:
        for _ in range(_ROUNDS):
            weigh(x)
            x, slopes = fit_least_squares(residuals, x)
    up = _direction(x)
    # Roll turns up by less where the camera looks down.
    turns = np.array([np.cos(x[1]), 1.0])
    covariance = np.linalg.pinv(slopes.T @ slopes)[:2, :2] * np.outer(turns, turns)
    uncertainty = float(np.sqrt(np.trace(covariance)))
    if given_up is None and bodies:
        uncertainty = math.hypot(uncertainty, _angle((axes / spreads**2).sum(0), up))
    if given_up is None and not walking and all(body.doubtful for body in bodies):
        uncertainty = max(uncertainty, float(UNKNOWN_UP))
    height = float(x[2])
    seen = [_feet_seen(motion)[:, None] for motion in motions]
    feet_seen = any(feet.any() for feet in seen)
    if not feet_seen:
        seen = [find_seen_joints(motion) for motion in motions]
    lowest = np.concatenate([np.zeros(0), *(_lowest(*one, up) for one in zip(motions, seen, strict=True))])
    if not len(places) and len(lowest):
        below = float(np.percentile(lowest, 5)) - _FLESH
        height = below if feet_seen else min(height, below)
    return Ground(up, height, uncertainty, feet_seen, scales(x))


def _ground_level(heights: Float[np.ndarray, " n"]) -> float:
    """The lowest level with a fair share of the footfalls. People on a roof are not on the ground."""
    if len(heights) > _LEVELS:
        heights = np.quantile(heights, np.linspace(0, 1, _LEVELS))
    apart = heights[:, None] - heights
    support = _geman_mcclure(apart / _REACHES[0]).sum(-1)
    return float(heights[support >= _FAIR_SHARE * support.max()].min())


def _geman_mcclure(off: Float[np.ndarray, "*n"]) -> np.ndarray:
    """Weight by distance over reach: 1 at 0, a quarter at 1."""
    counts: np.ndarray = 1 / (1 + off**2) ** 2
    return counts


def _direction(x: Float[np.ndarray, "*b n"]) -> Float[np.ndarray, "*b 3"]:
    """Up for unknowns that begin with a camera's roll and pitch, radians. Roll to its right, pitch downwards."""
    roll, pitch = x[..., 0], x[..., 1]
    return np.stack([np.sin(roll) * np.cos(pitch), -np.cos(roll) * np.cos(pitch), -np.sin(pitch)], -1)


def _angle(direction: Float[np.ndarray, "3"], up: Float[np.ndarray, "3"]) -> float:
    """Angle between a direction of any length and a unit vector, radians. It is 0 without a direction."""
    return math.atan2(float(np.linalg.norm(np.cross(direction, up))), float(direction @ up))


def _angles(up: Float[np.ndarray, "3"]) -> tuple[float, float]:
    """Roll and pitch of a camera with this up, radians."""
    return float(np.arctan2(up[0], -up[1])), float(np.arctan2(-up[2], np.hypot(up[0], up[1])))


def _weigh_usual_pose(tilt: Float[np.ndarray, "2"]) -> float:
    """The weight of cameras' usual pose, beside bodies that tell another."""
    off = np.abs(tilt - [0.0, PITCH]).max(keepdims=True) - _USUAL_TILT
    return float(_geman_mcclure(off.clip(min=0.0) / _UNUSUAL_TILT)[0])


def _find_reference(axes: Sequence[Float[np.ndarray, "3"]]) -> Float[np.ndarray, "3"]:
    """Roughly where up is, from the camera or walking people.

    The camera's up, or the axis of people who walk far from it.

    Args:
        axes: of people who walk.
    """
    steep = [axis for axis in axes if axis @ CAMERA_UP < UPRIGHT]
    if 2 * len(steep) <= len(axes):
        return CAMERA_UP
    mean = np.mean(steep, axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def _feet_seen(motion: Motion) -> Bool[np.ndarray, " t"]:
    """Frames in which a foot is in sight."""
    feet = feet_of(motion)
    return np.zeros(len(motion), bool) if feet is None else np.any(feet.seen, axis=(1, 2))


def _lowest(motion: Motion, counts: Bool[np.ndarray, "t _"], up: Float[np.ndarray, "3"]) -> Float[np.ndarray, " n"]:
    """Lowest counting joint's height along `up`, where there is one.

    Args:
        motion: in the camera frame.
        counts: joints that count, or frames all of whose joints count.
        up: unit vector.
    """
    heights = np.where(counts, (motion.joints + motion.root[:, None]) @ up, np.inf).min(1)
    known: np.ndarray = heights[np.isfinite(heights)]
    return known
