"""Joint angles after the recommendations of the International Society of Biomechanics, as far as joints show them.

Hip, trunk and neck: Grood and Suntay's order of flexion, adduction (bending), rotation (Wu et al., J. Biomech. 2002).
Pelvis: rotation, list, tilt (Baker, Human Movement Science 2001). Shoulder: plane and elevation of the upper arm (Wu et
al., J. Biomech. 2005). Knee and elbow: a hinge. docs/angles.md has the signs. The angles are those of the rig that
`solve` fits. A value that the pose cannot show is NaN: the rotation of a thigh or upper arm whose knee or elbow is
straight, and the plane of a hanging arm.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.kinematics.hinges import LEFT_ARM, LEG, RIGHT_ARM, STRAIGHT, Hinge
from poselift.kinematics.inverse import solve
from poselift.kinematics.rig import RiggedMotion
from poselift.structures import Motion

_POLE = 10.0
"""Degrees from the arm that hangs or points up within which the plane of its elevation is unknown."""

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
    """

    names: tuple[str, ...]
    degrees: Float[np.ndarray, "t a"]
    timestamps: Float[np.ndarray, " t"]

    def of(self, name: str) -> Float[np.ndarray, " t"]:
        """One angle by name, degrees."""
        return self.degrees[:, self.names.index(name)]

    def ranges(self) -> Float[np.ndarray, "a 2"]:
        """Lowest and highest value of each angle, degrees; NaN for an angle that no frame shows."""
        shown = np.isfinite(self.degrees)
        low = np.where(shown, self.degrees, np.inf).min(0)
        high = np.where(shown, self.degrees, -np.inf).max(0)
        return np.where(shown.any(0)[:, None], np.stack([low, high], 1), np.nan)


def joint_angles(motion: Motion | RiggedMotion) -> Angles:
    """The joint angles of a motion.

    Args:
        motion: of h36m17 or cmu28, or what `solve` made of it. Ankles and the head's rotation need cmu28.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    rigged = motion if isinstance(motion, RiggedMotion) else solve(motion)
    local = Locals(rigged)
    radians: dict[str, np.ndarray] = {}
    pelvis = rigged.rotations[:, 0]
    radians["pelvis_tilt"] = np.arctan2(-pelvis[:, 1, 2], pelvis[:, 1, 1])
    radians["pelvis_list"] = np.arcsin(np.clip(pelvis[:, 1, 0], -1, 1))
    radians["pelvis_rotation"] = np.arctan2(-pelvis[:, 2, 0], pelvis[:, 0, 0])
    for name, turned in (("trunk", local.between("pelvis", "thorax")), ("neck", local.between("thorax", "neck_base"))):
        radians[f"{name}_flexion"], radians[f"{name}_bending"], rotation = cardan(turned)
        if name == "trunk" or "nose" in rigged.rig.names:
            radians[f"{name}_rotation"] = rotation
    for side, (sign, arm) in SIDES.items():
        flexion, adduction, rotation = cardan(local.between("pelvis", f"{side}_hip"))
        knee = local.flexion(f"{side}_knee", LEG)
        radians[f"{side}_hip_flexion"] = -flexion
        radians[f"{side}_hip_adduction"] = -sign * adduction
        radians[f"{side}_hip_rotation"] = np.where(_straight(knee), np.nan, -sign * rotation)
        radians[f"{side}_knee_flexion"] = knee
        if f"{side}_big_toe" in rigged.rig.names:
            radians[f"{side}_ankle_dorsiflexion"] = local.dorsiflexion(side)
        elbow = local.flexion(f"{side}_elbow", arm)
        plane, elevation, rotation = _shoulder(local.between("thorax", f"{side}_shoulder"), arm, sign)
        radians[f"{side}_shoulder_elevation"] = elevation
        radians[f"{side}_shoulder_plane"] = plane
        radians[f"{side}_shoulder_rotation"] = np.where(_straight(elbow), np.nan, rotation)
        radians[f"{side}_elbow_flexion"] = elbow
    degrees = np.stack([unwrap_degrees(np.degrees(values)) for values in radians.values()], 1)
    return Angles(tuple(radians), degrees, rigged.timestamps)


class Locals:
    """Rotations of segments relative to others, and flexions of hinges.

    Args:
        rigged: the motion.
    """

    def __init__(self, rigged: RiggedMotion) -> None:
        self._orientations, self._names = rigged.orientations(), rigged.rig.names

    def between(self, proximal: str, distal: str) -> Float[np.ndarray, "t 3 3"]:
        """Rotation of a segment in the frame of another."""
        first, second = (self._orientations[:, self._names.index(name)] for name in (proximal, distal))
        return np.swapaxes(first, -1, -2) @ second

    def flexion(self, joint: str, hinge: Hinge) -> Float[np.ndarray, " t"]:
        """Flexion of a knee or an elbow, radians."""
        top = joint.replace("knee", "hip").replace("elbow", "shoulder")
        along = np.array(hinge.along)
        lower = self.between(top, joint) @ along
        return np.arctan2(lower @ np.cross(hinge.axis, along), lower @ along)

    def dorsiflexion(self, side: str) -> Float[np.ndarray, " t"]:
        """Of an ankle, radians; 0 where the sole is at a right angle to the shank."""
        ahead = self.between(f"{side}_knee", f"{side}_ankle")[:, :, 2]
        return np.arctan2(ahead[:, 1], ahead[:, 2])


def cardan(turned: Float[np.ndarray, "t 3 3"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles about x, then the new z, then the new y, radians: flexion, bending and rotation of a segment."""
    bending = -np.arcsin(np.clip(turned[:, 0, 1], -1, 1))
    return np.arctan2(turned[:, 2, 1], turned[:, 1, 1]), bending, np.arctan2(turned[:, 0, 2], turned[:, 0, 0])


def euler_zxy(turned: Float[np.ndarray, "*n 3 3"]) -> Float[np.ndarray, "*n 3"]:
    """Angles (z, x, y) of Rz Rx Ry, radians."""
    x = np.arcsin(np.clip(turned[..., 2, 1], -1.0, 1.0))
    z = np.arctan2(-turned[..., 0, 1], turned[..., 1, 1])
    y = np.arctan2(-turned[..., 2, 0], turned[..., 2, 2])
    return np.stack([z, x, y], -1)


def _shoulder(turned: np.ndarray, arm: Hinge, sign: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Plane of elevation, elevation and rotation of an upper arm in the thorax's frame, radians."""
    along, axis = turned @ np.array(arm.along), turned @ np.array(arm.axis)
    x, y, z = along.T
    elevation = np.arctan2(np.hypot(x, z), -y)
    pole = np.sin(elevation) < np.sin(np.radians(_POLE))
    plane = np.where(pole, np.nan, np.arctan2(z, sign * x))
    # The elbow's axis of a hanging arm that bends ahead is -x; the shortest swing to `along` takes it to `neutral`.
    above = np.maximum(1 - y, 1e-9)
    neutral = np.stack([-1 + x * x / above, x * (y - 1) / above, x * z / above], -1)
    rotation = sign * np.arctan2((np.cross(neutral, axis) * along).sum(-1), (neutral * axis).sum(-1))
    return plane, elevation, np.where(pole & (y > 0), np.nan, rotation)


def _straight(flexion: np.ndarray) -> np.ndarray:
    """Limbs whose bend plane is unknown."""
    return np.abs(np.sin(flexion)) < STRAIGHT


def unwrap_degrees(degrees: np.ndarray) -> np.ndarray:
    """The angles without steps of 360 degrees; their middle lies within half a turn of 0."""
    known = np.isfinite(degrees)
    if not known.any():
        return degrees
    out = degrees.copy()
    out[known] = np.unwrap(degrees[known], period=360.0)
    return out - 360.0 * np.round(np.median(out[known]) / 360.0)
