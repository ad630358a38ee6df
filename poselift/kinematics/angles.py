"""Joint angles after the International Society of Biomechanics.

As far as joints show them. Hip, trunk and neck: Grood and Suntay's order of flexion, adduction (bending), rotation (Wu
et al., J. Biomech. 2002). Pelvis: rotation, list, tilt (Baker, Human Movement Science 2001). Shoulder: plane and
elevation of the upper arm (Wu et al., J. Biomech. 2005). Knee and elbow: a hinge. docs/angles.md has the signs. The
angles are those of the rig that `solve` fits. A value that the pose cannot show is NaN: the rotation of a thigh or
upper arm whose knee or elbow is straight, and the plane of a hanging arm.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.arrays import AnyArray, array_namespace, constant
from poselift.geometry.products import compose, rotate, transpose
from poselift.kinematics.hinges import LEFT_ARM, LEG, RIGHT_ARM, STRAIGHT, Hinge
from poselift.kinematics.inverse import solve
from poselift.kinematics.rig import RiggedMotion
from poselift.structures import Motion

_LOCKED = 1e-6
"""Cosine of the middle angle below which the first and the third one turn about one axis."""

_POLE = 10.0
"""Degrees from the arm that hangs or points up within which the plane of its elevation is unknown."""

_HIPS, _SHOULDERS = ("left_hip", "right_hip"), ("left_shoulder", "right_shoulder")

_NEEDS = {
    "pelvis": _HIPS,
    "trunk": _HIPS + _SHOULDERS,
    "neck": (*_SHOULDERS, "head_top"),
    "hip": (*_HIPS, "own_knee"),
    "knee": ("own_hip", "own_knee", "own_ankle"),
    "ankle": ("own_knee", "own_ankle", "own_big_toe"),
    "shoulder": (*_SHOULDERS, "own_elbow"),
    "elbow": ("own_shoulder", "own_elbow", "own_wrist"),
}
"""Joints that the angles of each joint need, of their own side."""

_TWIST = {"hip": ("own_ankle",), "shoulder": ("own_wrist",)}
"""Joints that also show the turn of the upper limb about itself."""

SIDES = {"left": (1.0, LEFT_ARM), "right": (-1.0, RIGHT_ARM)}
"""The sign of x on each side, and the arm's rest pose."""


@dataclass(frozen=True)
class Angles:
    """Joint angles over time.

    Attributes:
        names: of the angles; sides first, as in "left_knee_flexion".
        degrees: NaN in empty frames and where the pose does not show the angle. Continuous: a person who turns twice
            comes to 720 degrees.
        timestamps: seconds.
        uncertainty: half-width of the 90 % interval of each value, degrees, where the value is known; None if unknown.
            `add_uncertainty` fills it.
    """

    names: tuple[str, ...]
    degrees: Float[np.ndarray, "t a"]
    timestamps: Float[np.ndarray, " t"]
    uncertainty: Float[np.ndarray, "t a"] | None = None

    def of(self, name: str) -> Float[np.ndarray, " t"]:
        """One angle by name, degrees."""
        return self.degrees[:, self.names.index(name)]

    def ranges(self) -> Float[np.ndarray, "a 2"]:
        """Lowest and highest value of each angle, degrees; NaN if unseen."""
        shown = np.isfinite(self.degrees)
        low = np.where(shown, self.degrees, np.inf).min(0)
        high = np.where(shown, self.degrees, -np.inf).max(0)
        return np.where(shown.any(0)[:, None], np.stack([low, high], 1), np.nan)


def measure_joint_angles(motion: Motion | RiggedMotion) -> Angles:
    """The joint angles of a motion.

    Args:
        motion: of h36m17 or cmu28, or what `solve` made of it. Ankles and the head's rotation need cmu28. Angles of
            joints that no keypoint shows (`Motion.in_sight`) are NaN; a rigged motion counts as seen.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    rigged = motion if isinstance(motion, RiggedMotion) else solve(motion)
    shown = None if isinstance(motion, RiggedMotion) else Shown(motion)
    radians = rig_angles(rigged.orientations(), rigged.rig.names)
    degrees = np.stack([unwrap_degrees(np.degrees(values)) for values in radians.values()], 1)
    if shown is not None:
        needs = [joints_of(name) for name in radians]
        degrees[~np.stack([shown.all(joints) for joints in needs], 1)] = np.nan
    return Angles(tuple(radians), degrees, rigged.timestamps)


def rig_angles(orientations: Float[AnyArray, "t s 3 3"], names: Sequence[str]) -> dict[str, Float[AnyArray, " t"]]:
    """A rig's joint angles by name, radians from -pi to pi.

    Args:
        orientations: of the segments in the world; the first one is the pelvis.
        names: of the segments.
    """
    xp, local = array_namespace(orientations), Locals(orientations, names)
    radians: dict[str, AnyArray] = {}
    pelvis = orientations[:, 0]
    radians["pelvis_tilt"] = xp.atan2(-pelvis[:, 1, 2], pelvis[:, 1, 1])
    radians["pelvis_list"] = xp.asin(xp.clip(pelvis[:, 1, 0], -1.0, 1.0))
    radians["pelvis_rotation"] = xp.atan2(-pelvis[:, 2, 0], pelvis[:, 0, 0])
    for name, turned in (("trunk", local.between("pelvis", "thorax")), ("neck", local.between("thorax", "neck_base"))):
        radians[f"{name}_flexion"], radians[f"{name}_bending"], rotation = cardan(turned)
        if name == "trunk" or "nose" in names:
            radians[f"{name}_rotation"] = rotation
    for side, (sign, arm) in SIDES.items():
        flexion, adduction, rotation = cardan(local.between("pelvis", f"{side}_hip"))
        knee = local.flexion(f"{side}_knee", LEG)
        radians[f"{side}_hip_flexion"] = -flexion
        radians[f"{side}_hip_adduction"] = -sign * adduction
        radians[f"{side}_hip_rotation"] = xp.where(_straight(knee), xp.nan, -sign * rotation)
        radians[f"{side}_knee_flexion"] = knee
        if f"{side}_big_toe" in names:
            radians[f"{side}_ankle_dorsiflexion"] = local.dorsiflexion(side)
        elbow = local.flexion(f"{side}_elbow", arm)
        plane, elevation, rotation = _shoulder(local.between("thorax", f"{side}_shoulder"), arm, sign)
        radians[f"{side}_shoulder_elevation"] = elevation
        radians[f"{side}_shoulder_plane"] = plane
        radians[f"{side}_shoulder_rotation"] = xp.where(_straight(elbow), xp.nan, rotation)
        radians[f"{side}_elbow_flexion"] = elbow
    return radians


def joints_of(name: str) -> tuple[str, ...]:
    """The joints of the skeleton that an angle needs."""
    side, kind = name.split("_", 1) if name.startswith(("left_", "right_")) else ("", name)
    part, _, movement = kind.rpartition("_")
    needed = _NEEDS[part] + (_TWIST[part] if movement == "rotation" and part in _TWIST else ())
    return tuple(joint.replace("own", side) for joint in needed)


class Shown:
    """Which joints the keypoints show (`Motion.in_sight`).

    Args:
        motion: of one person.
    """

    def __init__(self, motion: Motion) -> None:
        self._seen, self._joints = motion.in_sight(), motion.skeleton.joints

    def all(self, joints: Sequence[str]) -> Bool[np.ndarray, " t"]:
        """Frames in which all of these joints are in sight. Joints that the skeleton lacks do not count."""
        rows = [self._joints.index(joint) for joint in joints if joint in self._joints]
        return np.asarray(self._seen[:, rows].all(axis=1))


class Locals:
    """Rotations of segments relative to others, and flexions of hinges.

    Args:
        orientations: of the segments in the world.
        names: of the segments.
    """

    def __init__(self, orientations: Float[AnyArray, "t s 3 3"], names: Sequence[str]) -> None:
        self._orientations, self._names = orientations, list(names)

    def between(self, proximal: str, distal: str) -> Float[AnyArray, "t 3 3"]:
        """Rotation of a segment in the frame of another."""
        first, second = (self._orientations[:, self._names.index(name)] for name in (proximal, distal))
        return compose(transpose(first), second)

    def flexion(self, joint: str, hinge: Hinge) -> Float[AnyArray, " t"]:
        """Flexion of a knee or an elbow, radians."""
        top = joint.replace("knee", "hip").replace("elbow", "shoulder")
        turned = self.between(top, joint)
        along, side = constant(hinge.along, turned), constant(np.cross(hinge.axis, hinge.along), turned)
        lower = rotate(turned, along)
        return array_namespace(lower).atan2((lower * side).sum(-1), (lower * along).sum(-1))

    def dorsiflexion(self, side: str) -> Float[AnyArray, " t"]:
        """Dorsiflexion of an ankle, radians. 0 where the sole is at a right angle to the shank."""
        ahead = self.between(f"{side}_knee", f"{side}_ankle")[:, :, 2]
        return array_namespace(ahead).atan2(ahead[:, 1], ahead[:, 2])


def cardan(turned: Float[AnyArray, "t 3 3"]) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Angles about x, then the new z, then the new y, radians.

    They are the flexion, bending and rotation of a segment.
    """
    xp = array_namespace(turned)
    bending = -xp.asin(xp.clip(turned[:, 0, 1], -1.0, 1.0))
    return xp.atan2(turned[:, 2, 1], turned[:, 1, 1]), bending, xp.atan2(turned[:, 0, 2], turned[:, 0, 0])


def euler_zxy(turned: Float[np.ndarray, "*n 3 3"]) -> Float[np.ndarray, "*n 3"]:
    """Angles (z, x, y) of Rz Rx Ry, radians."""
    x = np.arcsin(np.clip(turned[..., 2, 1], -1.0, 1.0))
    z = np.arctan2(-turned[..., 0, 1], turned[..., 1, 1])
    y = np.arctan2(-turned[..., 2, 0], turned[..., 2, 2])
    return np.stack([z, x, y], -1)


def euler_zyx(turned: Float[np.ndarray, "*n 3 3"]) -> Float[np.ndarray, "*n 3"]:
    """Angles (z, y, x) of Rz Ry Rx, radians. x is 0 where y is a right angle, as z and x turn about one axis there."""
    y = -np.arcsin(np.clip(turned[..., 2, 0], -1.0, 1.0))
    locked = np.hypot(turned[..., 0, 0], turned[..., 1, 0]) < _LOCKED
    z = np.arctan2(
        np.where(locked, -turned[..., 0, 1], turned[..., 1, 0]), np.where(locked, turned[..., 1, 1], turned[..., 0, 0])
    )
    x = np.where(locked, 0.0, np.arctan2(turned[..., 2, 1], turned[..., 2, 2]))
    return np.stack([z, y, x], -1)


def _shoulder(turned: Float[AnyArray, "t 3 3"], arm: Hinge, sign: float) -> tuple[AnyArray, AnyArray, AnyArray]:
    """An upper arm's plane of elevation, elevation and rotation, radians. They are in the thorax's frame."""
    xp = array_namespace(turned)
    along, axis = (rotate(turned, constant(vector, turned)) for vector in (arm.along, arm.axis))
    x, y, z = xp.unstack(along, axis=-1)
    elevation = xp.atan2(xp.sqrt(x**2 + z**2), -y)
    pole = xp.sin(elevation) < math.sin(math.radians(_POLE))
    plane = xp.where(pole, xp.nan, xp.atan2(z, sign * x))
    # The elbow's axis of a hanging arm that bends ahead is -x; the shortest swing to `along` takes it to `neutral`.
    above = xp.where(y < 1 - 1e-9, 1 - y, 1e-9)
    neutral = xp.stack([-1 + x * x / above, x * (y - 1) / above, x * z / above], axis=-1)
    rotation = sign * xp.atan2((xp.linalg.cross(neutral, axis) * along).sum(-1), (neutral * axis).sum(-1))
    return plane, elevation, xp.where(pole & (y > 0), xp.nan, rotation)


def _straight(flexion: Float[AnyArray, " t"]) -> AnyArray:
    """Limbs whose bend plane is unknown."""
    xp = array_namespace(flexion)
    return xp.abs(xp.sin(flexion)) < STRAIGHT


def unwrap_degrees(degrees: np.ndarray) -> np.ndarray:
    """The angles without steps of 360 degrees. Their middle lies within half a turn of 0."""
    known = np.isfinite(degrees)
    if not known.any():
        return degrees
    out = degrees.copy()
    out[known] = np.unwrap(degrees[known], period=360.0)
    return out - 360.0 * np.round(np.median(out[known]) / 360.0)
