"""Joint rotations and angles, gait events and filtering of a motion, computed once for all formats that need them."""

from poselift.kinematics.angles import Angles, joint_angles
from poselift.kinematics.cycles import PERCENT, Cycles, gait_cycles
from poselift.kinematics.feet import lock_feet
from poselift.kinematics.filtering import butterworth
from poselift.kinematics.footfalls import Footfalls, find_footfalls, steps_with
from poselift.kinematics.gait import Gait, Step, Stride, measure_gait
from poselift.kinematics.heading import along_x
from poselift.kinematics.inverse import points_y_up, solve
from poselift.kinematics.opensim_coordinates import compute_coordinates
from poselift.kinematics.propagation import with_uncertainty
from poselift.kinematics.rate import at_rate
from poselift.kinematics.rig import Z_UP, Rig, RiggedMotion
from poselift.kinematics.segments import segment_angles
from poselift.kinematics.whole_body import relative_to_body

__all__ = [
    "PERCENT",
    "Z_UP",
    "Angles",
    "Cycles",
    "Footfalls",
    "Gait",
    "Rig",
    "RiggedMotion",
    "Step",
    "Stride",
    "along_x",
    "at_rate",
    "butterworth",
    "compute_coordinates",
    "find_footfalls",
    "gait_cycles",
    "joint_angles",
    "lock_feet",
    "measure_gait",
    "points_y_up",
    "relative_to_body",
    "segment_angles",
    "solve",
    "steps_with",
    "with_uncertainty",
]
