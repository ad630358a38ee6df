"""A body's turn from upright in a picture, and its box."""

import math

import numpy as np
from jaxtyping import Bool, Float

from poselift.skeleton import Skeleton

_CLEAR = 0.2
"""Least score of joints that tell where a body's head and feet are."""
LEANING = math.radians(30)
"""Angle from which on a crop of the turned body may be better than one at the upright picture: up to here MoveNet
finds 97 of 100 joints, at 60 degrees 82 (benchmarks/turned.md)."""
SURE = 0.5
"""Mean joint score from which on a crop needs no others at other angles."""


def body_angle(
    keypoints: Float[np.ndarray, "j 2"], scores: Float[np.ndarray, " j"], skeleton: Skeleton
) -> float | None:
    """A body's clockwise turn from upright, -pi to pi.

    It is the mean of two directions to the shoulders: from the hips, and from the ankles where they are clear. So the
    trunk of somebody who bends or sits counts more than the legs.

    Args:
        keypoints: pixels; NaN for joints that were not seen.
        scores: of the joints.
        skeleton: of the joints.

    Returns:
        None if the shoulders or the hips are not clear.
    """
    clear = np.isfinite(keypoints).all(-1) & (scores >= _CLEAR)
    shoulders, hips, ankles = (_middle(name, keypoints, clear, skeleton) for name in ("shoulder", "hip", "ankle"))
    if shoulders is None or hips is None:
        return None
    x, y = (shoulders - hips) + (0 if ankles is None else shoulders - ankles)
    return float(np.arctan2(x, -y))


def _middle(
    name: str, keypoints: Float[np.ndarray, "j 2"], clear: Bool[np.ndarray, " j"], skeleton: Skeleton
) -> Float[np.ndarray, "2"] | None:
    """The middle of the clear ones of a pair, or None. The pair is a left and a right joint."""
    pair = [f"left_{name}", f"right_{name}"]
    if not set(pair) <= set(skeleton.joints):
        return None
    rows = [row for row in skeleton.indices(pair) if clear[row]]
    middle: np.ndarray | None = keypoints[rows].mean(0) if rows else None
    return middle


def box_along(points: Float[np.ndarray, "n 2"], angle: float) -> Float[np.ndarray, "4"]:
    """The box around points along a turned body.

    Args:
        points: pixels, at least one.
        angle: clockwise, radians.

    Returns:
        x0, y0, x1, y1 of the box before it is turned about its own middle.
    """
    to_picture = rotation(angle)
    along = points @ to_picture
    low, high = along.min(0), along.max(0)
    middle, half = to_picture @ (low + high) / 2, (high - low) / 2
    return np.concatenate([middle - half, middle + half])


def other_angles(used: float, measured: float) -> list[float]:
    """Other angles at which a body may be looked at.

    Args:
        used: of the crop before, radians.
        measured: of the body that this crop shows.

    Returns:
        The measured angle and quarter turns, without those near to `used` or to each other.
    """
    others: list[float] = []
    for angle in [measured, *(np.pi / 2 * turns for turns in range(4))]:
        if all(angle_between(angle, known) > LEANING for known in [used, *others]):
            others.append(angle)
    return others


def rotation(angle: float) -> Float[np.ndarray, "2 2"]:
    """The matrix that turns picture vectors clockwise, by radians. y is down."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def angle_between(one: float, other: float) -> float:
    """Difference of two angles, radians from 0 to pi."""
    return abs(np.remainder(one - other + np.pi, 2 * np.pi) - np.pi)
