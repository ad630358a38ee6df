"""Which way is up, and where the ground is, from the motion of everybody in a clip.

Three things say which way is up: the places where feet rest lie on one plane, bodies are upright on average, and
cameras are held nearly level. Each is a residual over what it is good to, and one least squares weighs them:
someone who walks about fixes the plane, and someone who stands on one spot leaves it to body and camera.
Footfalls that are not on the plane, on a roof or on stairs, count less and less. Only what is in sight counts at all:
the legs of somebody who is seen from the waist up are the lifter's guess.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import least_squares

from poselift.lifting.contacts import at_rest, feet_of, in_sight, spells
from poselift.structures import Motion

_ROLL = np.deg2rad(3)
"""Cameras lean to a side by this (standard deviation)."""

_PITCH, _PITCH_SPREAD = np.deg2rad(6), np.deg2rad(9)
"""Cameras look down by this, and its standard deviation."""

_LEAN = np.deg2rad(5)
"""How far a body's axis, averaged over a clip, is from upright (standard deviation about each axis)."""

_FOOTFALL = 0.07
"""Metres from the plane of a foot at rest: of pose and depth together (standard deviation)."""

_REACHES = (0.3, 0.15)
"""Metres from the plane at which a footfall counts a quarter, in the first rounds, when up is not yet known well; then
it is `_FOOTFALL`. What is further off, such as a foot in the air or on a stair, drops out (Geman-McClure weights)."""

_ROUNDS = 5

_FAIR_SHARE = 0.2
"""Of the footfalls of the level that has most, by which a level may be the ground."""

_CAMERA_HEIGHT = 1.4
"""Metres above the ground, good to one metre, where nothing is known."""

_UNUSUAL = 2.0
"""Metres off `_CAMERA_HEIGHT` at which that counts a quarter beside footfalls: it helps where a camera is held, and
would tilt the world of one on a mast, in a stand or on a drone by 20 degrees if it always counted alike."""

_FLESH = 0.06
"""Metres from the body's lowest joint to the ground it lies, kneels or stands on."""

_LEVELS = 2000
"""Footfalls that stand for all of a clip's when the ground is chosen among levels: each is compared with each."""

_UPRIGHT = np.cos(np.deg2rad(50))
"""Bodies that lean further from the camera's up say nothing of the world's."""

_CAMERA_UP = np.array([0.0, -1.0, 0.0])


@dataclass(frozen=True)
class Ground:
    """The ground's plane in the camera frame: the points x with up · x = height.

    Attributes:
        up: unit vector away from the ground.
        height: along `up`, metres; negative where the camera is above the ground.
        uncertainty: standard deviation of `up`, radians, about the worse of its two axes.
        feet_seen: whether a foot of anybody was ever in sight; where the ground is, is a guess otherwise.
    """

    up: Float[np.ndarray, "3"]
    height: float
    uncertainty: float
    feet_seen: bool


def find_ground(motions: Sequence[Motion], threshold: float = 0.2) -> Ground:
    """The ground that people share.

    Args:
        motions: in the camera frame, of one clip.
        threshold: keypoints that score less were not seen.

    Raises:
        ValueError: a motion is not in the camera frame.
    """
    if any(motion.frame != "camera" for motion in motions):
        raise ValueError("the ground is looked for in the camera frame; give motions that are in it")
    axes = np.array([axis for motion in motions if (axis := _mean_axis(motion, threshold)) is not None]).reshape(-1, 3)
    falls = [_footfalls(motion, threshold) for motion in motions]
    places = np.concatenate([np.zeros((0, 3)), *(places for places, _ in falls)])
    rest = np.concatenate([np.zeros(0), *(rest for _, rest in falls)])
    counts = np.zeros(len(places))
    usual = 1.0

    def residuals(x: np.ndarray) -> np.ndarray:
        up = _direction(x[0], x[1])
        return np.concatenate(
            [
                [x[0] / _ROLL, (x[1] - _PITCH) / _PITCH_SPREAD, np.sqrt(usual) * (x[2] + _CAMERA_HEIGHT)],
                np.cross(axes, up).reshape(-1) / _LEAN,
                np.sqrt(counts) * (places @ up - rest - x[2]) / _FOOTFALL,
            ]
        )

    found = least_squares(residuals, [0.0, _PITCH, -_CAMERA_HEIGHT])
    x = found.x
    if len(places):
        x[2] = _ground_level(places @ _direction(x[0], x[1]) - rest)
        for reach in (*_REACHES, *(_FOOTFALL,) * _ROUNDS):
            off = places @ _direction(x[0], x[1]) - rest - x[2]
            counts = _geman_mcclure(off / reach)
            usual = float(_geman_mcclure((x[2:] + _CAMERA_HEIGHT) / _UNUSUAL)[0])
            found = least_squares(residuals, x)
            x = found.x
    up = _direction(x[0], x[1])
    covariance = np.linalg.pinv(found.jac.T @ found.jac)[:2, :2]
    height = float(x[2])
    seen = [_feet_seen(motion, threshold)[:, None] for motion in motions]
    feet_seen = any(feet.any() for feet in seen)
    if not feet_seen:
        seen = [in_sight(motion, threshold) for motion in motions]
    lowest = np.concatenate([np.zeros(0), *(_lowest(*one, up) for one in zip(motions, seen, strict=True))])
    if not len(places) and len(lowest):
        below = float(np.percentile(lowest, 5)) - _FLESH
        height = below if feet_seen else min(height, below)
    return Ground(up, height, float(np.sqrt(np.linalg.eigvalsh(covariance)[-1])), feet_seen)


def _ground_level(heights: Float[np.ndarray, " n"]) -> float:
    """The lowest level on which a fair share of the footfalls is: who stands on a roof is not on the ground."""
    if len(heights) > _LEVELS:
        heights = np.quantile(heights, np.linspace(0, 1, _LEVELS))
    apart = heights[:, None] - heights
    support = _geman_mcclure(apart / _REACHES[0]).sum(-1)
    return float(heights[support >= _FAIR_SHARE * support.max()].min())


def _geman_mcclure(off: Float[np.ndarray, "*n"]) -> np.ndarray:
    """How much counts what is off by so many times its reach: 1 for nothing, a quarter for one."""
    counts: np.ndarray = 1 / (1 + off**2) ** 2
    return counts


def _direction(roll: float, pitch: float) -> Float[np.ndarray, "3"]:
    """Up in the frame of a camera that leans to its right by `roll` and looks down by `pitch`, radians."""
    return np.array([np.sin(roll) * np.cos(pitch), -np.cos(roll) * np.cos(pitch), -np.sin(pitch)])


def _feet_seen(motion: Motion, threshold: float) -> Bool[np.ndarray, " t"]:
    """Frames in which a foot is in sight."""
    feet = feet_of(motion, threshold)
    return np.zeros(len(motion), bool) if feet is None else np.any(feet.seen, axis=(1, 2))


def _lowest(motion: Motion, counts: Bool[np.ndarray, "t _"], up: Float[np.ndarray, "3"]) -> Float[np.ndarray, " n"]:
    """Height along `up` of the lowest of the joints that count, in the frames in which there are any.

    Args:
        motion: in the camera frame.
        counts: joints; or frames, of which all joints do.
        up: unit vector.
    """
    heights = np.where(counts, (motion.joints + motion.root[:, None]) @ up, np.inf).min(1)
    known: np.ndarray = heights[np.isfinite(heights)]
    return known


def _upright(axes: Float[np.ndarray, "t 3"]) -> np.ndarray:
    """Frames in which a body's axis is within reach of the camera's up; NaN is not."""
    return axes @ _CAMERA_UP > _UPRIGHT * np.linalg.norm(axes, axis=-1)


def _mean_axis(motion: Motion, threshold: float) -> Float[np.ndarray, "3"] | None:
    """A unit vector, the mean over the frames in which the body is upright and both its ends seen; None without any."""
    axes = motion.body_axis()
    if axes is None:
        return None
    sight = in_sight(motion, threshold)
    top, bottom = (
        sight[:, motion.skeleton.indices([f"left_{joint}", f"right_{joint}"])].any(-1)
        for joint in ("shoulder", "ankle")
    )
    counts = _upright(axes) & top & bottom
    if not counts.any():
        return None
    axis = axes[counts].mean(0)
    return axis / np.linalg.norm(axis)


def _footfalls(motion: Motion, threshold: float) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, " n"]]:
    """Where the feet of an upright body rested, and the height over the ground of what is known of them.

    Each spell counts once, however long it is: its frames share their error.
    """
    feet, axes = feet_of(motion, threshold), motion.body_axis()
    if feet is None or axes is None:
        return np.zeros((0, 3)), np.zeros(0)
    slow = at_rest(feet, motion.timestamps) & _upright(axes)[:, None, None]
    places, rest = [], []
    for foot, point in np.ndindex(slow.shape[1:]):
        for first, end in spells(slow[:, foot, point], motion.timestamps):
            places.append(np.median(feet.points[first:end, foot, point], axis=0))
            rest.append(feet.rest[point])
    return np.array(places).reshape(-1, 3), np.array(rest)
