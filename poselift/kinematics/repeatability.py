"""Standard deviation of a trial's measures under repetition."""

from dataclasses import dataclass

from poselift.skeleton.skeleton import strip_side

FREEDOM = 8
"""Degrees of freedom for which the standard deviations below stand, beside a person's own repeated trials: few, because
people differ in how much they repeat themselves. With 8, deviations of five children of split train call 4.7 % of the
measures of the sixth one changed between two views of one walk."""


@dataclass(frozen=True)
class Repeatability:
    """Standard deviation of one trial.

    Attributes:
        deviation: in the unit of the measure, or as a share of it.
        share: whether it is a share.
    """

    deviation: float
    share: bool

    def of(self, value: float) -> float:
        """The standard deviation of a measure of this value, in its unit."""
        return self.deviation * abs(value) if self.share else self.deviation


def find_repeatability(name: str, walking: bool) -> Repeatability | None:
    """A measure's repeatability by name, or None.

    Names are those of `poselift.kinematics.measure_numbers`; None if it was never measured.

    Args:
        name: with or without its side.
        walking: whether it is of a gait.
    """
    kind = strip_side(name)
    deviation = (WALKING if walking else OTHERS).get(kind)
    if deviation is None:
        return None
    return Repeatability(float(deviation), not (kind.endswith(("_deg", "_percent")) or kind == "step_width_m"))


WALKING: dict[str, float] = {
    "ankle_dorsiflexion_highest_deg": 3.21,
    "ankle_dorsiflexion_lowest_deg": 4.67,
    "ankle_dorsiflexion_range_deg": 4.49,
    "cadence_per_min": 0.0261,
    "double_support_percent": 1.35,
    "elbow_flexion_highest_deg": 6.76,
    "elbow_flexion_lowest_deg": 5.31,
    "elbow_flexion_range_deg": 6.59,
    "foot_pitch_highest_deg": 2.78,
    "foot_pitch_lowest_deg": 4.77,
    "foot_pitch_range_deg": 5.16,
    "forearm_lean_ahead_highest_deg": 5.42,
    "forearm_lean_ahead_lowest_deg": 6.48,
    "forearm_lean_ahead_range_deg": 8.05,
    "hip_adduction_highest_deg": 2.89,
    "hip_adduction_lowest_deg": 3,
    "hip_adduction_range_deg": 2.73,
    "hip_flexion_highest_deg": 2.47,
    "hip_flexion_lowest_deg": 2.43,
    "hip_flexion_range_deg": 3.16,
    "knee_flexion_highest_deg": 4.7,
    "knee_flexion_lowest_deg": 3.26,
    "knee_flexion_range_deg": 4.61,
    "neck_bending_highest_deg": 2.86,
    "neck_bending_lowest_deg": 3.04,
    "neck_bending_range_deg": 1.56,
    "neck_flexion_highest_deg": 3.65,
    "neck_flexion_lowest_deg": 3.38,
    "neck_flexion_range_deg": 2.44,
    "pelvis_list_highest_deg": 2.35,
    "pelvis_list_lowest_deg": 2.72,
    "pelvis_list_range_deg": 1.74,
    "pelvis_tilt_highest_deg": 1.63,
    "pelvis_tilt_lowest_deg": 1.62,
    "pelvis_tilt_range_deg": 1.61,
    "shank_lean_ahead_highest_deg": 1.86,
    "shank_lean_ahead_lowest_deg": 3.27,
    "shank_lean_ahead_range_deg": 3.51,
    "shank_lean_out_highest_deg": 4.53,
    "shank_lean_out_lowest_deg": 3.7,
    "shank_lean_out_range_deg": 4.78,
    "shoulder_elevation_highest_deg": 3.26,
    "shoulder_elevation_lowest_deg": 2.51,
    "shoulder_elevation_range_deg": 3.77,
    "speed_m_per_s": 0.0301,
    "stance_percent": 1.06,
    "stance_symmetry_percent": 2.2,
    "step_length_m": 0.0364,
    "step_length_symmetry_percent": 5.14,
    "step_time_s": 0.0303,
    "step_time_symmetry_percent": 4.84,
    "step_width_m": 0.0242,
    "stride_length_m": 0.0262,
    "stride_time_s": 0.0267,
    "thigh_lean_ahead_highest_deg": 2.26,
    "thigh_lean_ahead_lowest_deg": 2.06,
    "thigh_lean_ahead_range_deg": 2.62,
    "thigh_lean_out_highest_deg": 2.17,
    "thigh_lean_out_lowest_deg": 1.96,
    "thigh_lean_out_range_deg": 2.6,
    "trunk_bending_highest_deg": 2.65,
    "trunk_bending_lowest_deg": 2.83,
    "trunk_bending_range_deg": 1.67,
    "trunk_flexion_highest_deg": 1.64,
    "trunk_flexion_lowest_deg": 1.77,
    "trunk_flexion_range_deg": 1.58,
    "trunk_lean_ahead_highest_deg": 1.84,
    "trunk_lean_ahead_lowest_deg": 1.63,
    "trunk_lean_ahead_range_deg": 0.826,
    "trunk_lean_right_highest_deg": 1.15,
    "trunk_lean_right_lowest_deg": 1.16,
    "trunk_lean_right_range_deg": 0.98,
    "upper_arm_lean_ahead_highest_deg": 4.23,
    "upper_arm_lean_ahead_lowest_deg": 4.14,
    "upper_arm_lean_ahead_range_deg": 5.18,
    "upper_arm_lean_out_highest_deg": 3.53,
    "upper_arm_lean_out_lowest_deg": 4.8,
    "upper_arm_lean_out_range_deg": 3.76,
}
"""Of walks: children and CMU's people, filmed by cameras of different places, with feet in the 2D or without, whichever
differs by more, and at least what people of the corpus differ by who repeat a walk at one speed
(benchmarks/repeatability.py)."""

OTHERS: dict[str, float] = {
    "elbow_flexion_highest_deg": 4.36,
    "elbow_flexion_lowest_deg": 2.36,
    "elbow_flexion_range_deg": 4.56,
    "forearm_lean_ahead_highest_deg": 2.93,
    "forearm_lean_ahead_lowest_deg": 2.66,
    "forearm_lean_ahead_range_deg": 3.09,
    "hip_adduction_highest_deg": 0.908,
    "hip_adduction_lowest_deg": 1.26,
    "hip_adduction_range_deg": 1.34,
    "hip_flexion_highest_deg": 2.04,
    "hip_flexion_lowest_deg": 2.54,
    "hip_flexion_range_deg": 2.91,
    "knee_flexion_highest_deg": 1.72,
    "knee_flexion_lowest_deg": 0.995,
    "knee_flexion_range_deg": 2.05,
    "neck_bending_highest_deg": 1.04,
    "neck_bending_lowest_deg": 1,
    "neck_bending_range_deg": 1.58,
    "neck_flexion_highest_deg": 2.84,
    "neck_flexion_lowest_deg": 2.33,
    "neck_flexion_range_deg": 3.95,
    "pelvis_list_highest_deg": 0.53,
    "pelvis_list_lowest_deg": 0.871,
    "pelvis_list_range_deg": 0.963,
    "pelvis_tilt_highest_deg": 1.8,
    "pelvis_tilt_lowest_deg": 1.35,
    "pelvis_tilt_range_deg": 1.45,
    "shank_lean_ahead_highest_deg": 1.08,
    "shank_lean_ahead_lowest_deg": 1.33,
    "shank_lean_ahead_range_deg": 1.55,
    "shank_lean_out_highest_deg": 1.61,
    "shank_lean_out_lowest_deg": 1.26,
    "shank_lean_out_range_deg": 1.75,
    "shoulder_elevation_highest_deg": 3.84,
    "shoulder_elevation_lowest_deg": 1.12,
    "shoulder_elevation_range_deg": 4,
    "thigh_lean_ahead_highest_deg": 1.41,
    "thigh_lean_ahead_lowest_deg": 1.36,
    "thigh_lean_ahead_range_deg": 1.65,
    "thigh_lean_out_highest_deg": 2.12,
    "thigh_lean_out_lowest_deg": 1.11,
    "thigh_lean_out_range_deg": 2.05,
    "trunk_bending_highest_deg": 0.811,
    "trunk_bending_lowest_deg": 0.65,
    "trunk_bending_range_deg": 0.762,
    "trunk_flexion_highest_deg": 1.69,
    "trunk_flexion_lowest_deg": 0.747,
    "trunk_flexion_range_deg": 1.48,
    "trunk_lean_ahead_highest_deg": 2.28,
    "trunk_lean_ahead_lowest_deg": 1.56,
    "trunk_lean_ahead_range_deg": 1.93,
    "trunk_lean_right_highest_deg": 1.03,
    "trunk_lean_right_lowest_deg": 0.974,
    "trunk_lean_right_range_deg": 1.02,
    "upper_arm_lean_ahead_highest_deg": 3.6,
    "upper_arm_lean_ahead_lowest_deg": 3.65,
    "upper_arm_lean_ahead_range_deg": 4.94,
    "upper_arm_lean_out_highest_deg": 5.58,
    "upper_arm_lean_out_lowest_deg": 5.78,
    "upper_arm_lean_out_range_deg": 8.34,
}
"""Of other movements: a real person who repeats eleven actions, filmed by one camera (benchmarks/repeatability.py)."""
