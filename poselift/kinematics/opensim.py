"""A motion as coordinates of OpenSim's full-body model."""

import numpy as np
import torch
from jaxtyping import Float

from poselift.geometry.rotation import rotation_z
from poselift.kinematics.angles import SIDES, Locals, cardan, continuous
from poselift.kinematics.limbs import LEG
from poselift.kinematics.rig import RiggedMotion


def coordinates(rigged: RiggedMotion) -> dict[str, Float[np.ndarray, " t"]]:
    """Values by the names of Rajagopal et al. (IEEE Trans. Biomed. Eng. 2016), degrees, and metres for pelvis_t*.

    Their order and signs are the model's. OpenSim has x ahead, y up and z to the right; our z, y and -x. Every angle
    has a value, also that of a straight limb's rotation, which `joint_angles` leaves out. Coordinates that joints do
    not show are missing: subtalar joints, toes, forearm rotation and wrists.
    """
    local = Locals(rigged)
    radians: dict[str, np.ndarray] = {}
    for names, turned in (
        (("pelvis_tilt", "pelvis_list", "pelvis_rotation"), rigged.rotations[:, 0]),
        (("lumbar_extension", "lumbar_bending", "lumbar_rotation"), local.between("pelvis", "thorax")),
    ):
        flexion, bending, rotation = cardan(turned)
        radians |= dict(zip(names, (-flexion, bending, rotation), strict=True))
    for side, (sign, arm) in SIDES.items():
        end = side[0]
        hanging = rotation_z(torch.tensor(sign * np.pi / 2)).numpy()
        for names, turned in (
            (("hip_flexion", "hip_adduction", "hip_rotation"), local.between("pelvis", f"{side}_hip")),
            (("arm_flex", "arm_add", "arm_rot"), local.between("thorax", f"{side}_shoulder") @ hanging),
        ):
            flexion, adduction, rotation = cardan(turned)
            values = -flexion, -sign * adduction, -sign * rotation
            radians |= {f"{name}_{end}": value for name, value in zip(names, values, strict=True)}
        radians[f"knee_angle_{end}"] = local.flexion(f"{side}_knee", LEG)
        radians[f"elbow_flex_{end}"] = local.flexion(f"{side}_elbow", arm)
        if f"{side}_big_toe" in rigged.rig.names:
            radians[f"ankle_angle_{end}"] = local.dorsiflexion(side)
    x, y, z = rigged.root.T
    return {name: continuous(np.degrees(values)) for name, values in radians.items()} | {
        "pelvis_tx": z,
        "pelvis_ty": y,
        "pelvis_tz": -x,
    }
