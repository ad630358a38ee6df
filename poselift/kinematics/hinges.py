"""Arms and legs: two segments with a hinge between them.

The direction of a segment is that of its bone. Its turn about the bone shows only in the plane in which the limb bends,
and not at all while the limb is straight. So the turn is that of the bend plane where the limb is clearly bent, and
passes over to the turns before and after, and to the clip's usual turn, the straighter the limb is.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.geometry.products import compose, transpose
from poselift.kinematics.directions import basis, swing
from poselift.kinematics.joint_limits import Ball

STRAIGHT, _BENT = 0.14, 0.42
"""Sines of the flexion (8 and 25 degrees) below which the bend plane counts nothing and above which it alone counts."""

_MEMORY = 0.3
"""Standard deviation in seconds of the weights of the frames around a straight limb."""

_PRIOR = 1e-3
"""Weight of the clip's usual turn: that of a limb bent by 2 degrees all the time."""

_LIMITS = (-0.17, 2.88)
"""Flexion of knees and elbows in radians: from 10 degrees of hyperextension to 165 degrees. Normal are -10 to 135 for
the knee and 0 to 150 for the elbow (see `limits`)."""


@dataclass(frozen=True)
class Hinge:
    """The rest pose of a limb.

    Attributes:
        along: unit vector along both bones.
        axis: unit vector of the axis about which flexion is positive.
    """

    along: tuple[float, float, float]
    axis: tuple[float, float, float]


LEG = Hinge((0.0, -1.0, 0.0), (1.0, 0.0, 0.0))
LEFT_ARM, RIGHT_ARM = Hinge((1.0, 0.0, 0.0), (0.0, -1.0, 0.0)), Hinge((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def bend(
    parent: Float[np.ndarray, "t 3 3"],
    upper: Float[np.ndarray, "t 3"],
    lower: Float[np.ndarray, "t 3"],
    hinge: Hinge,
    interval: float,
    ball: Ball | None,
) -> tuple[Float[np.ndarray, "t 3 3"], Float[np.ndarray, "t 3 3"]]:
    """Rotations of the two segments of a limb, in the world.

    Args:
        parent: rotation of the segment to which the limb belongs.
        upper: unit vector along the upper bone.
        lower: unit vector along the lower bone.
        hinge: rest pose of the limb.
        interval: seconds between frames.
        ball: limits of the joint at the top; None for no limits, neither of the hinge.

    Returns:
        Of the upper and the lower segment.
    """
    along, axis = np.array(hinge.along), np.array(hinge.axis)
    swung = compose(swing(parent @ along, upper), parent)
    # The bend plane's normal in the plane across the bone, where the swing alone leaves the axis at angle 0.
    normal = np.cross(upper, lower)
    across = swung @ axis, swung @ np.cross(along, axis)
    turn = _settle(_project(normal, across), interval)
    if ball is not None:
        start = _project(ball.untwist(parent, upper, along) @ axis, across)
        twist = np.angle(turn * start.conj())
        kept = ball.limit_twist(twist)
        turn = np.where(kept == twist, turn, start * np.exp(1j * kept))
    axes = turn.real[:, None] * across[0] + turn.imag[:, None] * across[1]
    rest = transpose(basis(along, axis))
    ahead = np.cross(axes, upper)
    cos, sin, side = ((lower * vector).sum(-1, keepdims=True) for vector in (upper, ahead, axes))
    flexion, length = np.arctan2(sin, cos), np.hypot(cos, sin)
    if ball is not None:
        flexion, sideways = flexion.clip(*_LIMITS), side.clip(-_BENT, _BENT)
        length = np.where(sideways == side, length, np.sqrt(1 - sideways**2))
        side = sideways
    lower = length * (np.cos(flexion) * upper + np.sin(flexion) * ahead) + side * axes
    return compose(basis(upper, axes), rest), compose(basis(lower, axes), rest)


def _project(vectors: np.ndarray, plane: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Vectors as complex numbers in the plane of two others."""
    real, imag = ((vectors * axis).sum(-1) for axis in plane)
    return real + 1j * imag


def _settle(turn: np.ndarray, interval: float) -> np.ndarray:
    """The turns as numbers of length 1, given with the sine of the flexion as length."""
    size = np.abs(turn)
    squared = turn * size
    usual = squared.mean() + 1e-6
    around = _smooth(squared, interval) + _PRIOR * usual / np.abs(usual)
    share = ((size - STRAIGHT) / (_BENT - STRAIGHT)).clip(0, 1)
    share = share**2 * (3 - 2 * share)
    # Just off 0, so that opposite turns have a direction too.
    mixed = share * turn / np.maximum(size, 1e-12) + (1 - share) * around / np.maximum(np.abs(around), 1e-12)
    return mixed / np.maximum(np.abs(mixed), 1e-12)


def _smooth(values: np.ndarray, interval: float) -> np.ndarray:
    """Weighted mean over the frames around each."""
    if interval <= 0:
        return values
    reach = min(int(3 * _MEMORY / interval) + 1, len(values))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * interval / _MEMORY) ** 2)
    total, counts = (np.convolve(each, weights)[reach:-reach] for each in (values, np.ones(len(values))))
    return total / counts
