"""Arms and legs: two segments with a hinge between them.

The direction of a segment is that of its bone. Its turn about the bone shows only in the plane in which the limb bends,
and not at all while the limb is straight. So the turn is that of the bend plane where the limb is clearly bent, and
passes over to the turns before and after, and to the clip's usual turn, the straighter the limb is.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry.products import compose
from poselift.kinematics.directions import basis, swing
from poselift.kinematics.limits import Ball

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
    parent: Float[Tensor, "t 3 3"],
    upper: Float[Tensor, "t 3"],
    lower: Float[Tensor, "t 3"],
    hinge: Hinge,
    interval: float,
    ball: Ball | None,
) -> tuple[Float[Tensor, "t 3 3"], Float[Tensor, "t 3 3"]]:
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
    along, axis = (torch.tensor(vector, dtype=upper.dtype) for vector in (hinge.along, hinge.axis))
    swung = compose(swing((parent * along).sum(-1), upper), parent)
    # The bend plane's normal in the plane across the bone, where the swing alone leaves the axis at angle 0.
    normal = torch.linalg.cross(upper, lower)
    across = [(swung * vector).sum(-1) for vector in (axis, torch.linalg.cross(along, axis))]
    turn = torch.complex(*((normal * vector).sum(-1) for vector in across))
    turn = _settle(turn, interval)
    if ball is not None:
        middle = (ball.untwisted(parent, upper, along) * axis).sum(-1)
        start = torch.complex(*((middle * vector).sum(-1) for vector in across))
        twist = (turn * start.conj()).angle()
        kept = ball.twist(twist)
        turn = torch.where(kept == twist, turn, start * torch.polar(torch.ones_like(kept), kept))
    axes = turn.real[:, None] * across[0] + turn.imag[:, None] * across[1]
    rest = basis(along, axis).mT
    ahead = torch.linalg.cross(axes, upper)
    cos, sin, side = ((lower * vector).sum(-1, keepdim=True) for vector in (upper, ahead, axes))
    flexion, length = torch.atan2(sin, cos), torch.hypot(cos, sin)
    if ball is not None:
        flexion, sideways = flexion.clamp(*_LIMITS), side.clamp(-_BENT, _BENT)
        length = torch.where(sideways == side, length, (1 - sideways.square()).sqrt())
        side = sideways
    lower = length * (flexion.cos() * upper + flexion.sin() * ahead) + side * axes
    return compose(basis(upper, axes), rest), compose(basis(lower, axes), rest)


def _settle(turn: Tensor, interval: float) -> Tensor:
    """The turns as numbers of length 1, given with the sine of the flexion as length."""
    size = turn.abs()
    squared = turn * size
    usual = squared.mean() + 1e-6
    around = _smoothed(squared, interval) + _PRIOR * usual / usual.abs()
    share = ((size - STRAIGHT) / (_BENT - STRAIGHT)).clamp(0, 1)
    share = share.square() * (3 - 2 * share)
    # Just off 0, so that opposite turns have a direction too.
    mixed = share * turn / size.clamp_min(1e-12) + (1 - share) * around / around.abs().clamp_min(1e-12)
    return mixed / mixed.abs().clamp_min(1e-12)


def _smoothed(values: Tensor, interval: float) -> Tensor:
    """Weighted mean over the frames around each."""
    if interval <= 0:
        return values
    reach = min(int(3 * _MEMORY / interval) + 1, len(values))
    away = torch.arange(-reach, reach + 1, dtype=torch.float64) * interval / _MEMORY
    weights = torch.exp(-0.5 * away.square())[None, None]
    rows = torch.stack((values.real, values.imag, torch.ones_like(values.real)))[:, None]
    real, imag, total = torch.nn.functional.conv1d(rows, weights, padding=reach)[:, 0]
    return torch.complex(real, imag) / total
