"""Limits of joints with three axes: how far a segment may point from a middle pose, and turn about itself.

A rotation is split into the swing of the segment from the middle of its range and the twist about the segment, as in
Baerlocher and Boulic, Parametrization and Range of Motion of the Ball-and-Socket Joint (2001). A swing beyond the limit
ends on a superellipse around the middle. Poses within the limits stay as they are, to the last digit, and a limit adds
no jump to a continuous motion.

The limits are the normal ranges of the American Academy of Orthopaedic Surgeons (Greene and Heckman, The Clinical
Measurement of Joint Motion, 1994), widened by 30 degrees on each side and more for shoulders and feet. docs/angles.md
has both, and how often they act.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from poselift.geometry import axis_angle_to_matrix, rotation_x, rotation_y, rotation_z
from poselift.geometry.products import compose
from poselift.kinematics.directions import swing

_PASSING = math.radians(45)
"""A twist that is this close to the opposite of the middle passes over from one end of the range to the other."""

_ROUND = 4
"""Order of the superellipse: 2 is an ellipse, which cuts normal poses that bend two ways; infinity is a rectangle."""

_ABOUT = {"x": rotation_x, "y": rotation_y, "z": rotation_z}


@dataclass(frozen=True)
class Ball:
    """The range of a joint, in the axes of the parent at rest: x to the left, y up, z ahead.

    Attributes:
        axes: the two axes of swing, then that of twist, along the segment; such as "xzy".
        middle: rotation about each of these axes in turn, from rest to the middle of the range, degrees.
        reach: half of the range about each of these axes, degrees.
    """

    axes: str
    middle: tuple[float, float, float]
    reach: tuple[float, float, float]

    def mirrored(self) -> "Ball":
        """The same joint of the other side."""
        signs = [1.0 if axis == "x" else -1.0 for axis in self.axes]
        first, second, third = (sign * angle for sign, angle in zip(signs, self.middle, strict=True))
        return replace(self, middle=(first, second, third))

    def held(self, rotation: Float[Tensor, "t 3 3"]) -> Float[Tensor, "t 3 3"]:
        """The rotation of a segment relative to its parent, or the one that the limits allow where it is beyond."""
        along, first = (torch.eye(3, dtype=torch.float64)["xyz".index(self.axes[row])] for row in (2, 0))
        local = compose(self._middle.mT, rotation)
        pointed = (local * along).sum(-1)
        kept = self._swung(along, pointed)
        turned = (compose(swing(along, pointed).mT, local) * first).sum(-1)
        twist = torch.atan2((turned * torch.linalg.cross(along, first)).sum(-1), (turned * first).sum(-1))
        allowed = self.twist(twist)
        limited = compose(compose(self._middle, swing(along, kept)), _ABOUT[self.axes[2]](allowed))
        within = (kept == pointed).all(-1) & (allowed == twist)
        return torch.where(within[:, None, None], rotation, limited)

    def pointed(
        self, parent: Float[Tensor, "t 3 3"], direction: Float[Tensor, "t 3"], along: Float[Tensor, "3"]
    ) -> Float[Tensor, "t 3"]:
        """The direction of a segment, or the one that the limits allow where it is beyond.

        Args:
            parent: rotation of the parent in the world.
            direction: unit vector in the world.
            along: the segment's direction at rest, in the axes of the parent.
        """
        middle = compose(parent, self._middle)
        local = (middle.mT * direction[:, None]).sum(-1)
        kept = self._swung(along, local)
        return torch.where((kept == local).all(-1)[:, None], direction, (middle * kept[:, None]).sum(-1))

    def untwisted(
        self, parent: Float[Tensor, "t 3 3"], direction: Float[Tensor, "t 3"], along: Float[Tensor, "3"]
    ) -> Float[Tensor, "t 3 3"]:
        """Rotation in the world of a segment in this direction, with its twist in the middle of the range."""
        middle = compose(parent, self._middle)
        return compose(middle, swing(along, (middle.mT * direction[:, None]).sum(-1)))

    def twist(self, angle: Float[Tensor, " t"]) -> Float[Tensor, " t"]:
        """The twist from the middle, within the limits; radians from -pi to pi."""
        end = math.radians(self.reach[2])
        away = (math.pi - angle.abs()) / min(_PASSING, math.pi - end)
        return torch.where(angle.abs() > end, angle.sign() * end * away.clamp(max=1), angle)

    @cached_property
    def _middle(self) -> Tensor:
        """Rotation from rest to the middle of the range."""
        angles = torch.deg2rad(torch.tensor(self.middle, dtype=torch.float64))
        first, second, third = (_ABOUT[axis](angle) for axis, angle in zip(self.axes, angles, strict=True))
        return compose(compose(first, second), third)

    def _swung(self, along: Tensor, pointed: Tensor) -> Tensor:
        """A direction in the axes of the middle pose, within the superellipse of the swing."""
        cross = torch.linalg.cross(along.expand_as(pointed), pointed)
        sin, cos = cross.norm(dim=-1, keepdim=True), (pointed * along).sum(-1, keepdim=True)
        vector = cross / sin.clamp_min(1e-12) * torch.atan2(sin, cos)
        columns = ["xyz".index(axis) for axis in self.axes[:2]]
        reach = torch.deg2rad(vector.new_tensor(self.reach[:2]))
        beyond = (vector[:, columns] / reach).norm(p=_ROUND, dim=-1, keepdim=True)
        limited = (axis_angle_to_matrix(vector / beyond.clamp_min(1)) * along).sum(-1)
        return torch.where(beyond > 1, limited, pointed)


_HIP = Ball("xzy", (-45.0, 8.0, 0.0), (105.0, 68.0, 75.0))
_SHOULDER = Ball("yzx", (-45.0, 0.0, -55.0), (135.0, 135.0, 130.0))
_ANKLE = Ball("xyz", (0.0, 0.0, 0.0), (80.0, 60.0, 60.0))
_BACK = Ball("xzy", (27.0, 0.0, 0.0), (82.0, 65.0, 75.0))

BALLS = {
    "spine": _BACK,
    "thorax": _BACK,
    "neck_base": Ball("xzy", (0.0, 0.0, 0.0), (75.0, 75.0, 90.0)),
    **{
        f"{side}_{joint}": ball if side == "left" else ball.mirrored()
        for joint, ball in (("hip", _HIP), ("shoulder", _SHOULDER), ("ankle", _ANKLE))
        for side in ("left", "right")
    },
}
"""Limits by the name of the segment. Those of spine and thorax are relative to the pelvis, the others to the parent."""
