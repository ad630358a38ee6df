"""Arms and legs: two segments with a hinge between them.

The direction of a segment is that of its bone. Its turn about the bone shows only in the plane in which the limb bends,
and not at all while the limb is straight. So the turn is that of the bend plane where the limb is clearly bent, and
passes over to the turns before and after, and to the clip's usual turn, the straighter the limb is.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import AnyArray, array_namespace, constant
from poselift.geometry.products import compose, rotate, transpose
from poselift.kinematics.directions import basis, swing, unit
from poselift.kinematics.joint_limits import Ball

STRAIGHT, _BENT = 0.14, 0.42
"""Sines of the flexion (8 and 25 degrees) below which the bend plane counts nothing and above which it alone counts."""

_MEMORY = 0.3
"""Standard deviation in seconds of the weights of the frames around a straight limb."""

_FARTHEST = 256
"""Frames on either side whose weights a tensor counts: enough for 280 frames a second."""

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
    parent: Float[AnyArray, "t 3 3"],
    upper: Float[AnyArray, "t 3"],
    lower: Float[AnyArray, "t 3"],
    hinge: Hinge,
    interval: float | Float[AnyArray, ""],
    ball: Ball | None,
) -> tuple[Float[AnyArray, "t 3 3"], Float[AnyArray, "t 3 3"]]:
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
    xp = array_namespace(parent)
    along, axis = constant(hinge.along, parent), constant(hinge.axis, parent)
    swung = compose(swing(rotate(parent, along), upper), parent)
    # The bend plane's normal in the plane across the bone, where the swing alone leaves the axis at angle 0.
    normal = xp.linalg.cross(upper, lower)
    across = rotate(swung, axis), rotate(swung, xp.linalg.cross(along, axis))
    turn = _settle(_project(normal, across), interval)
    if ball is not None:
        start = _project(rotate(ball.untwist(parent, upper, along), axis), across)
        (x, y), (u, v) = xp.unstack(turn, axis=-1), xp.unstack(start, axis=-1)
        twist = xp.atan2(y * u - x * v, x * u + y * v)
        kept = ball.limit_twist(twist)
        cos, sin = xp.cos(kept), xp.sin(kept)
        limited = xp.stack((u * cos - v * sin, u * sin + v * cos), axis=-1)
        turn = xp.where((kept == twist)[:, None], turn, limited)
    axes = turn[:, :1] * across[0] + turn[:, 1:] * across[1]
    rest = transpose(basis(along, axis))
    ahead = xp.linalg.cross(axes, upper)
    cos, sin, side = ((lower * vector).sum(-1)[:, None] for vector in (upper, ahead, axes))
    flexion, length = xp.atan2(sin, cos), xp.sqrt(cos**2 + sin**2)
    if ball is not None:
        flexion, sideways = xp.clip(flexion, *_LIMITS), xp.clip(side, -_BENT, _BENT)
        length = xp.where(sideways == side, length, xp.sqrt(1 - sideways**2))
        side = sideways
    lower = length * (xp.cos(flexion) * upper + xp.sin(flexion) * ahead) + side * axes
    return compose(basis(upper, axes), rest), compose(basis(lower, axes), rest)


def _project(vectors: Float[AnyArray, "t 3"], plane: tuple[AnyArray, AnyArray]) -> Float[AnyArray, "t 2"]:
    """Coordinates of vectors in the plane of two others."""
    return array_namespace(vectors).stack([(vectors * axis).sum(-1) for axis in plane], axis=-1)


def _settle(turn: Float[AnyArray, "t 2"], interval: float | AnyArray) -> Float[AnyArray, "t 2"]:
    """The turns as unit vectors. They are given with the sine of the flexion as length."""
    xp = array_namespace(turn)
    size = xp.linalg.vector_norm(turn, axis=-1, keepdims=True)
    squared = turn * size
    usual = squared.mean(0) + constant((1e-6, 0.0), turn)
    around = _smooth(squared, interval) + _PRIOR * unit(usual)
    share = xp.clip((size - STRAIGHT) / (_BENT - STRAIGHT), 0.0, 1.0)
    share = share**2 * (3 - 2 * share)
    # Just off 0, so that opposite turns have a direction too.
    return unit(share * unit(turn) + (1 - share) * unit(around))


def _smooth(values: Float[AnyArray, "t 2"], interval: float | AnyArray) -> Float[AnyArray, "t 2"]:
    """Weighted mean over the frames around each."""
    if not isinstance(values, np.ndarray):
        return _convolve(values, interval)
    if interval <= 0:
        return values
    reach = min(int(3 * _MEMORY / interval) + 1, len(values))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * interval / _MEMORY) ** 2)
    ones = np.ones(len(values))
    total = np.stack([np.convolve(each, weights)[reach:-reach] for each in (*values.T, ones)], 1)
    return total[:, :2] / total[:, 2:]


def _convolve(values: AnyArray, interval: AnyArray) -> AnyArray:
    """The same of tensors, with a fixed kernel, for graphs."""
    import torch  # only where there is a tensor

    places = torch.arange(-_FARTHEST, _FARTHEST + 1, dtype=values.dtype)
    weights = torch.exp(-0.5 * (places * interval / _MEMORY) ** 2)
    weights = torch.where(places.abs() <= torch.floor(3 * _MEMORY / interval) + 1, weights, 0.0)
    columns = torch.cat((values, torch.ones_like(values[:, :1])), 1).T
    total = torch.nn.functional.conv1d(columns[:, None], weights[None, None], padding=_FARTHEST)[:, 0].T
    return total[:, :2] / total[:, 2:]
