"""Limits of ball joints: swing from a middle pose, and twist.

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

import numpy as np
from jaxtyping import Float

from poselift.core.arrays import Array, array_namespace, constant
from poselift.geometry import axis_angle_to_matrix, rotation_x, rotation_y, rotation_z
from poselift.geometry.products import compose, rotate, transpose
from poselift.kinematics.directions import swing

_PASSING = math.radians(45)
"""A twist that is this close to the opposite of the middle passes over from one end of the range to the other."""

_ROUND = 4
"""Order of the superellipse: 2 is an ellipse, which cuts normal poses that bend two ways; infinity is a rectangle."""

_ABOUT = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_AXES = dict(zip("xyz", np.eye(3), strict=True))


@dataclass(frozen=True)
class Ball:
    """A joint's range in the resting parent's axes.

    x to the left, y up, z ahead.

    Attributes:
        axes: the two axes of swing, then that of twist, along the segment; such as "xzy".
        middle: rotation about each of these axes in turn, from rest to the middle of the range, degrees.
        reach: half of the range about each of these axes, degrees.
    """

    axes: str
    middle: tuple[float, float, float]
    reach: tuple[float, float, float]

    def mirror(self) -> "Ball":
        """The same joint of the other side."""
        signs = [1.0 if axis == "x" else -1.0 for axis in self.axes]
        first, second, third = (sign * angle for sign, angle in zip(signs, self.middle, strict=True))
        return replace(self, middle=(first, second, third))

    def hold(self, rotation: Float[Array, "t 3 3"]) -> Float[Array, "t 3 3"]:
        """A segment's relative rotation, within the limits."""
        xp = array_namespace(rotation)
        along, first, middle = (
            constant(value, rotation) for value in (_AXES[self.axes[2]], _AXES[self.axes[0]], self._middle)
        )
        local = compose(transpose(middle), rotation)
        pointed = rotate(local, along)
        kept = self._limit_swing(along, pointed)
        turned = rotate(compose(transpose(swing(along, pointed)), local), first)
        side = constant(np.cross(_AXES[self.axes[2]], _AXES[self.axes[0]]), rotation)
        twist = xp.atan2((turned * side).sum(-1), (turned * first).sum(-1))
        allowed = self.limit_twist(twist)
        limited = compose(compose(middle, swing(along, kept)), _ABOUT[self.axes[2]](allowed))
        within = xp.all(kept == pointed, axis=-1) & (allowed == twist)
        return xp.where(within[:, None, None], rotation, limited)

    def limit_direction(
        self, parent: Float[Array, "t 3 3"], direction: Float[Array, "t 3"], along: Float[Array, "3"]
    ) -> Float[Array, "t 3"]:
        """A segment's direction, within the limits.

        Args:
            parent: rotation of the parent in the world.
            direction: unit vector in the world.
            along: the segment's direction at rest, in the axes of the parent.
        """
        xp = array_namespace(direction)
        middle = compose(parent, constant(self._middle, parent))
        local = rotate(transpose(middle), direction)
        kept = self._limit_swing(along, local)
        return xp.where(xp.all(kept == local, axis=-1)[:, None], direction, rotate(middle, kept))

    def untwist(
        self, parent: Float[Array, "t 3 3"], direction: Float[Array, "t 3"], along: Float[Array, "3"]
    ) -> Float[Array, "t 3 3"]:
        """A segment's world rotation, with its twist mid-range."""
        middle = compose(parent, constant(self._middle, parent))
        return compose(middle, swing(along, rotate(transpose(middle), direction)))

    def limit_twist(self, angle: Float[Array, " t"]) -> Float[Array, " t"]:
        """The twist from the middle, within limits; -pi to pi."""
        xp, end = array_namespace(angle), math.radians(self.reach[2])
        away = (math.pi - xp.abs(angle)) / min(_PASSING, math.pi - end)
        return xp.where(xp.abs(angle) > end, xp.sign(angle) * end * xp.where(away < 1, away, 1.0), angle)

    @cached_property
    def _middle(self) -> np.ndarray:
        """Rotation from rest to the middle of the range."""
        angles = zip(self.axes, np.deg2rad(self.middle), strict=True)
        first, second, third = (_ABOUT[axis](np.asarray(angle)) for axis, angle in angles)
        return compose(compose(first, second), third)

    def _limit_swing(self, along: Float[Array, "3"], pointed: Float[Array, "t 3"]) -> Float[Array, "t 3"]:
        """A direction within the swing's superellipse. The axes are those of the middle pose."""
        xp = array_namespace(pointed)
        cross = xp.linalg.cross(xp.broadcast_to(along, pointed.shape), pointed)
        sin, cos = xp.linalg.vector_norm(cross, axis=-1, keepdims=True), (pointed * along).sum(-1)[:, None]
        vector = cross / xp.where(sin > 1e-12, sin, 1e-12) * xp.atan2(sin, cos)
        columns = ["xyz".index(axis) for axis in self.axes[:2]]
        shares = vector[:, columns] / constant(np.deg2rad(self.reach[:2]), pointed)
        beyond = (shares**_ROUND).sum(-1)[:, None] ** (1 / _ROUND)
        limited = rotate(axis_angle_to_matrix(vector / xp.where(beyond > 1, beyond, 1.0)), along)
        return xp.where(beyond > 1, limited, pointed)


_HIP = Ball("xzy", (-45.0, 8.0, 0.0), (105.0, 68.0, 75.0))
_SHOULDER = Ball("yzx", (-45.0, 0.0, -55.0), (135.0, 135.0, 130.0))
_ANKLE = Ball("xyz", (0.0, 0.0, 0.0), (80.0, 60.0, 60.0))
_BACK = Ball("xzy", (27.0, 0.0, 0.0), (82.0, 65.0, 75.0))

BALLS = {
    "spine": _BACK,
    "thorax": _BACK,
    "neck_base": Ball("xzy", (0.0, 0.0, 0.0), (75.0, 75.0, 90.0)),
    **{
        f"{side}_{joint}": ball if side == "left" else ball.mirror()
        for joint, ball in (("hip", _HIP), ("shoulder", _SHOULDER), ("ankle", _ANKLE))
        for side in ("left", "right")
    },
}
"""Limits by the name of the segment. Those of spine and thorax are relative to the pelvis, the others to the parent."""
