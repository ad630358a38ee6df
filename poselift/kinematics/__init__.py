"""Joint rotations and angles, gait events and filtering of a motion, computed once for all formats that need them."""

from poselift.kinematics.angles import Angles, joint_angles
from poselift.kinematics.filtering import butterworth
from poselift.kinematics.gait import Gait, gait
from poselift.kinematics.inverse import points_y_up, solve
from poselift.kinematics.opensim_coordinates import coordinates
from poselift.kinematics.rig import Z_UP, Rig, RiggedMotion

__all__ = [
    "Z_UP",
    "Angles",
    "Gait",
    "Rig",
    "RiggedMotion",
    "butterworth",
    "coordinates",
    "gait",
    "joint_angles",
    "points_y_up",
    "solve",
]
