"""The ground and the direction of up, from the motion of all people in a clip.

Three things tell which way is up: feet rest on one plane, bodies are upright on average, and cameras are held nearly
level. Each is a residual divided by its standard deviation, and one least-squares fit weighs them. A walking person
determines the plane; for a person on one spot, body and camera do. Footfalls off the plane, on a roof or on stairs,
lose their weight. Only joints in sight count: the legs of a person seen from the waist up are the lifter's guess.

People whose height is only estimated may also change their size about the camera: the feet of somebody taken for too
small seem to float. Their estimate is one more residual. So a given height of one person also measures the others on
the same ground.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.kinematics.foot_contacts import feet_of, find_resting_points, find_seen_joints, runs_of
from poselift.kinematics.height import SPREAD, has_given_height
from poselift.kinematics.up import find_upright
from poselift.numerics.least_squares import fit_least_squares
from poselift.structures import Motion

_ROLL = np.deg2rad(3)
"""Roll of cameras (standard deviation)."""

_PITCH, _PITCH_SPREAD = np.deg2rad(6), np.deg2rad(9)
"""Mean angle by which cameras look down, and its standard deviation."""

_LEAN = np.deg2rad(5)
"""Angle of a body's mean axis over a clip from upright (standard deviation about each axis)."""

_FOOTFALL = 0.07
"""Distance of a resting foot from the plane, metres, by errors of pose and depth (standard deviation)."""

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

UPRIGHT = np.cos(np.deg2rad(50))
"""Bodies that lean further from the camera's up do not count. The limit is wider than in `poselift.kinematics.up`: a
body is one clue of three here, but all that a drawing has."""


@dataclass(frozen=True)
class Ground:
    """The ground's plane in the camera frame: the points x with up · x = height.

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


def find_ground(motions: Sequence[Motion], resize: bool = False) -> Ground:
    """The ground that all people share.

    Args:
        motions: in the camera frame, of one clip.
        resize: whether people whose height is not given may change their size.

    Raises:
        InputError: a motion is not in the camera frame.
    """
    if in_world := [motion.keypoints.person for motion in motions if motion.frame != "camera"]:
        raise InputError(
            f"person {in_world[0]} is in the world frame; lift again without --world, for the camera frame"
        )
    axes = np.array([axis for motion in motions if (axis := _mean_axis(motion)) is not None]).reshape(-1, 3)
    falls = [_footfalls(motion) for motion in motions]
    places = np.concatenate([np.zeros((0, 3)), *(places for places, _ in falls)])
    rest = np.concatenate([np.zeros(0), *(rest for _, rest in falls)])
    owners = np.repeat(np.arange(len(falls)), [len(rest) for _, rest in falls])
    free = np.array([resize and not has_given_height(motion) for motion in motions], bool)
    counts = np.zeros(len(places))
    usual = 1.0

    def scales(x: np.ndarray) -> np.ndarray:
        found = np.ones(len(motions))
        found[free] = np.exp(x[3:])
        return found

    def off(x: np.ndarray) -> np.ndarray:
        """Heights of the footfalls over the ground, at the size that people had: otherwise all would shrink."""
        above: np.ndarray = places @ _direction(x[0], x[1]) - rest - x[2] / scales(x)[owners]
        return above

    def over_usual(x: np.ndarray) -> np.ndarray:
        """By how much the ground is above its usual place; (1,). It does not change if everybody grows."""
        size = scales(x).mean() if len(motions) else 1.0
        above: np.ndarray = x[2:3] / size + _CAMERA_HEIGHT
        return above

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.concatenate(
            [
                [x[0] / _ROLL, (x[1] - _PITCH) / _PITCH_SPREAD],
                np.sqrt(usual) * over_usual(x),
                np.cross(axes, _direction(x[0], x[1])).reshape(-1) / _LEAN,
                x[3:] / SPREAD,
                np.sqrt(counts) * off(x) / _FOOTFALL,
            ]
        )

    x, slopes = fit_least_squares(residuals, np.array([0.0, _PITCH, -_CAMERA_HEIGHT, *np.zeros(free.sum())]))
    if len(places):
        x[2] = _ground_level(places @ _direction(x[0], x[1]) - rest)
        for reach in (*_REACHES, *(_FOOTFALL,) * _ROUNDS):
            counts = _geman_mcclure(off(x) / reach)
            usual = float(_geman_mcclure(over_usual(x) / _UNUSUAL)[0])
            x, slopes = fit_least_squares(residuals, x)
    up = _direction(x[0], x[1])
    covariance = np.linalg.pinv(slopes.T @ slopes)[:2, :2]
    height = float(x[2])
    seen = [_feet_seen(motion)[:, None] for motion in motions]
    feet_seen = any(feet.any() for feet in seen)
    if not feet_seen:
        seen = [find_seen_joints(motion) for motion in motions]
    lowest = np.concatenate([np.zeros(0), *(_lowest(*one, up) for one in zip(motions, seen, strict=True))])
    if not len(places) and len(lowest):
        below = float(np.percentile(lowest, 5)) - _FLESH
        height = below if feet_seen else min(height, below)
    return Ground(up, height, float(np.sqrt(np.linalg.eigvalsh(covariance)[-1])), feet_seen, scales(x))


def _ground_level(heights: Float[np.ndarray, " n"]) -> float:
    """The lowest level with a fair share of the footfalls: people on a roof are not on the ground."""
    if len(heights) > _LEVELS:
        heights = np.quantile(heights, np.linspace(0, 1, _LEVELS))
    apart = heights[:, None] - heights
    support = _geman_mcclure(apart / _REACHES[0]).sum(-1)
    return float(heights[support >= _FAIR_SHARE * support.max()].min())


def _geman_mcclure(off: Float[np.ndarray, "*n"]) -> np.ndarray:
    """Weight by distance in units of the reach: 1 at 0, a quarter at 1."""
    counts: np.ndarray = 1 / (1 + off**2) ** 2
    return counts


def _direction(roll: float, pitch: float) -> Float[np.ndarray, "3"]:
    """Up in the frame of a camera with this roll to its right and pitch downwards, radians."""
    return np.array([np.sin(roll) * np.cos(pitch), -np.cos(roll) * np.cos(pitch), -np.sin(pitch)])


def _feet_seen(motion: Motion) -> Bool[np.ndarray, " t"]:
    """Frames in which a foot is in sight."""
    feet = feet_of(motion)
    return np.zeros(len(motion), bool) if feet is None else np.any(feet.seen, axis=(1, 2))


def _lowest(motion: Motion, counts: Bool[np.ndarray, "t _"], up: Float[np.ndarray, "3"]) -> Float[np.ndarray, " n"]:
    """Height along `up` of the lowest joint that counts, for frames with such joints.

    Args:
        motion: in the camera frame.
        counts: joints that count, or frames all of whose joints count.
        up: unit vector.
    """
    heights = np.where(counts, (motion.joints + motion.root[:, None]) @ up, np.inf).min(1)
    known: np.ndarray = heights[np.isfinite(heights)]
    return known


def _mean_axis(motion: Motion) -> Float[np.ndarray, "3"] | None:
    """Mean unit axis over frames with an upright body whose ends are both seen; None without such frames."""
    axes = motion.body_axis()
    if axes is None:
        return None
    sight = find_seen_joints(motion)
    top, bottom = (
        sight[:, motion.skeleton.indices([f"left_{joint}", f"right_{joint}"])].any(-1)
        for joint in ("shoulder", "ankle")
    )
    counts = find_upright(axes, UPRIGHT) & top & bottom
    if not counts.any():
        return None
    axis = axes[counts].mean(0)
    return axis / np.linalg.norm(axis)


def _footfalls(motion: Motion) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, " n"]]:
    """Places where the feet of an upright body rested, and their points' height over the ground.

    Each run counts once, however long it is, because its frames share their error.
    """
    feet, axes = feet_of(motion), motion.body_axis()
    if feet is None or axes is None:
        return np.zeros((0, 3)), np.zeros(0)
    slow = find_resting_points(feet, motion.timestamps) & find_upright(axes, UPRIGHT)[:, None, None]
    places, rest = [], []
    for foot, point in np.ndindex(slow.shape[1:]):
        for first, end in runs_of(slow[:, foot, point], motion.timestamps):
            places.append(np.median(feet.points[first:end, foot, point], axis=0))
            rest.append(feet.rest[point])
    return np.array(places).reshape(-1, 3), np.array(rest)
