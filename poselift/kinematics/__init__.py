"""Joint rotations, angles, gait and filtering of motions.

Computed once for all formats that need them. Feet are in several files, because each needs another thing.
`foot_contacts` says when points of feet stand; `ground` finds the plane below them. `footfalls` finds strikes and
toe-offs of a gait. `feet` locks feet of a character. What changes a lifted motion lies in `poselift.lifting`:
`finish.level_feet` in the camera frame, `world.planted_feet` and `world.resting_height` with the ground.
"""

from poselift.kinematics.angles import Angles, measure_joint_angles
from poselift.kinematics.comparison import Change, TrialMeasures, compare_trials
from poselift.kinematics.cycles import PERCENT, Cycles, cut_gait_cycles
from poselift.kinematics.feet import lock_feet
from poselift.kinematics.filtering import butterworth
from poselift.kinematics.footfalls import Footfalls, find_footfalls, steps_with
from poselift.kinematics.gait import Gait, Step, Stride, measure_gait
from poselift.kinematics.heading import face_along_x
from poselift.kinematics.inverse import points_y_up, solve
from poselift.kinematics.legs_in_picture import legs_as_seen, turn_legs_to_picture
from poselift.kinematics.measures import measure_numbers
from poselift.kinematics.opensim_coordinates import compute_coordinates
from poselift.kinematics.outliers import hampel
from poselift.kinematics.plug_in_gait import as_plug_in_gait
from poselift.kinematics.propagation import add_uncertainty
from poselift.kinematics.rate import resample_motion
from poselift.kinematics.rig import Z_UP, Rig, RiggedMotion
from poselift.kinematics.segments import measure_segment_angles
from poselift.kinematics.whole_body import relative_to_body

__all__ = [
    "PERCENT",
    "Z_UP",
    "Angles",
    "Change",
    "Cycles",
    "Footfalls",
    "Gait",
    "Rig",
    "RiggedMotion",
    "Step",
    "Stride",
    "TrialMeasures",
    "add_uncertainty",
    "as_plug_in_gait",
    "butterworth",
    "compare_trials",
    "compute_coordinates",
    "cut_gait_cycles",
    "face_along_x",
    "find_footfalls",
    "hampel",
    "legs_as_seen",
    "lock_feet",
    "measure_gait",
    "measure_joint_angles",
    "measure_numbers",
    "measure_segment_angles",
    "points_y_up",
    "relative_to_body",
    "resample_motion",
    "solve",
    "steps_with",
    "turn_legs_to_picture",
]
