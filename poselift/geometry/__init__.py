"""Cameras, rays, rotations, alignment, bones, forward kinematics: numpy and torch.

Every function takes any leading axes, works in float32 and float64 and gives tensors gradients. Lengths are metres,
angles radians; the camera frame is x right, y down, z forward.
"""

from typing import TYPE_CHECKING

from poselift.core.on_demand import names_on_demand
from poselift.geometry.alignment import apply_similarity, umeyama
from poselift.geometry.bones import bone_lengths, bone_vectors, points_from_bones, set_bone_lengths
from poselift.geometry.kinematics import forward_kinematics
from poselift.geometry.pinhole import (
    ASSUMED_FOV,
    NEAREST_PERSON,
    intrinsics_from_fov,
    pixels_to_rays,
    project,
    world_to_camera,
)
from poselift.geometry.root_position import root_from_rays
from poselift.geometry.rotation import (
    axis_angle_to_matrix,
    matrix_to_quaternion,
    quaternion_to_matrix,
    rotation_towards,
    rotation_x,
    rotation_y,
    rotation_z,
)

if TYPE_CHECKING:
    from poselift.geometry.camera import Camera, camera_for

__all__ = [
    "ASSUMED_FOV",
    "NEAREST_PERSON",
    "Camera",
    "apply_similarity",
    "axis_angle_to_matrix",
    "bone_lengths",
    "bone_vectors",
    "camera_for",
    "forward_kinematics",
    "intrinsics_from_fov",
    "matrix_to_quaternion",
    "pixels_to_rays",
    "points_from_bones",
    "project",
    "quaternion_to_matrix",
    "root_from_rays",
    "rotation_towards",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "set_bone_lengths",
    "umeyama",
    "world_to_camera",
]

if not TYPE_CHECKING:  # late, because other rooms import this module by itself: two threads would wait for each other
    __getattr__ = names_on_demand(__name__, {"Camera": "camera", "camera_for": "camera"})
