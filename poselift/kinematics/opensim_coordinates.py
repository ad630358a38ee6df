"""A motion as coordinates of OpenSim's full-body model."""

import numpy as np
from jaxtyping import Float

from poselift.geometry.rotation import rotation_z
from poselift.kinematics.angles import SIDES, Locals, cardan, euler_zxy, unwrap_degrees
from poselift.kinematics.hinges import LEG
from poselift.kinematics.rig import RiggedMotion

_PELVIS = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Axes of the model's pelvis (ahead, up, to the right) in columns, in the rig's axes (to the left, up, ahead)."""

_HIPS, _THIGH = np.array([-0.0563, -0.0785, 0.0]), 0.4044
"""Middle of the model's hips in its pelvis, and the length of its thigh, metres."""

_ARM, _ELBOW = np.radians(2.6), np.radians(6.2)
"""How far the model's upper arm points ahead at 0, and its forearm is extended beyond the upper arm."""


def compute_coordinates(rigged: RiggedMotion) -> dict[str, Float[np.ndarray, " t"]]:
    """Values by the names of Rajagopal et al. (IEEE Trans. Biomed. Eng. 2016), degrees, and metres for pelvis_t*.

    Their order and signs are the model's, and OpenSim's ground has the axes of the motion. The pelvis lies so that the
    middle of the hips of a model with the person's thighs is the rig's. Every angle has a value, also that of a
    straight limb's rotation, which `measure_joint_angles` leaves out. Coordinates that joints do not show are missing:
    subtalar joints, toes, forearm rotation and wrists.
    """
    local = Locals(rigged.orientations(), rigged.rig.names)
    radians: dict[str, np.ndarray] = {}
    pelvis = rigged.rotations[:, 0] @ _PELVIS
    radians |= dict(zip(("pelvis_tilt", "pelvis_list", "pelvis_rotation"), euler_zxy(pelvis).T, strict=True))
    flexion, bending, rotation = cardan(local.between("pelvis", "thorax"))
    radians |= {"lumbar_extension": -flexion, "lumbar_bending": bending, "lumbar_rotation": rotation}
    for side, (sign, arm) in SIDES.items():
        end = side[0]
        hanging = rotation_z(np.asarray(sign * np.pi / 2))
        for names, turned, zero in (
            (("hip_flexion", "hip_adduction", "hip_rotation"), local.between("pelvis", f"{side}_hip"), 0.0),
            (("arm_flex", "arm_add", "arm_rot"), local.between("thorax", f"{side}_shoulder") @ hanging, _ARM),
        ):
            flexion, adduction, rotation = cardan(turned)
            values = -flexion - zero, -sign * adduction, -sign * rotation
            radians |= {f"{name}_{end}": value for name, value in zip(names, values, strict=True)}
        radians[f"knee_angle_{end}"] = local.flexion(f"{side}_knee", LEG)
        radians[f"elbow_flex_{end}"] = local.flexion(f"{side}_elbow", arm) + _ELBOW
        if f"{side}_big_toe" in rigged.rig.names:
            radians[f"ankle_angle_{end}"] = local.dorsiflexion(side)
    index, positions = rigged.rig.names.index, rigged.positions()
    left, right = (positions[:, index(f"{side}_hip")] for side in SIDES)
    thigh = np.linalg.norm(rigged.rig.offsets[[index(f"{side}_knee") for side in SIDES]], axis=-1).mean()
    x, y, z = ((left + right) / 2 - thigh / _THIGH * pelvis @ _HIPS).T
    return {name: unwrap_degrees(np.degrees(values)) for name, values in radians.items()} | {
        "pelvis_tx": x,
        "pelvis_ty": y,
        "pelvis_tz": z,
    }
