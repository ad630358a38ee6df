"""Joint rotations and angles, gait events and filtering of a motion, computed once for all formats that need them."""

from poselift.kinematics.angles import Angles, joint_angles
from poselift.kinematics.feet import lock_feet
from poselift.kinematics.filtering import butterworth
from poselift.kinematics.gait import Gait, gait
from poselift.kinematics.inverse import solve, upright
from poselift.kinematics.opensim import coordinates
from poselift.kinematics.rate import at_rate
from poselift.kinematics.rig import Z_UP, Rig, RiggedMotion

__all__ = [
    "Z_UP",
    "Angles",
    "Gait",
    "Rig",
    "RiggedMotion",
    "at_rate",
    "butterworth",
    "coordinates",
    "gait",
    "joint_angles",
    "lock_feet",
    "solve",
    "upright",
]
