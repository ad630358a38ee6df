"""Metrics of 3D poses.

For each family of metrics, one file has the functions of tensors and, below them, the torchmetrics classes that
accumulate their values over batches, views and processes. All take metres and a mask that is True where something
counts, work in float64, and give NaN where nothing counts. Results are in millimetres, degrees or percent.
"""

from poselift.metrics.angle_errors import ANGLES, MJAE, angle_errors, angle_names, joint_angles
from poselift.metrics.bone_errors import (
    BoneLengthError,
    BoneLengthVariation,
    bone_length_errors,
    bone_length_variations,
)
from poselift.metrics.elements import ElementValues
from poselift.metrics.mean import ElementMean, PairMetric
from poselift.metrics.motion import (
    MPJVE,
    AccelerationError,
    Jitter,
    acceleration_errors,
    jerks,
    velocity_errors,
)
from poselift.metrics.pck2d import PCK2D, PCK2D_ALPHA, box_diagonal, correct_pixels
from poselift.metrics.pck3d import (
    AUC3D,
    CURVE_THRESHOLDS_MM,
    PCK3D,
    PCK3DCurve,
    correct_joints,
    correct_joints_by_threshold,
    joint_areas,
)
from poselift.metrics.pcp import LIMBS, PCP, correct_limbs
from poselift.metrics.pdj import PDJ, detected_joints, torso_diameter
from poselift.metrics.per_group import PerGroup
from poselift.metrics.position import (
    MPJPE,
    NMPJPE,
    PMPJPE,
    aligned_joint_errors,
    joint_errors,
    procrustes_align,
    scale_align,
    scaled_joint_errors,
)

__all__ = [
    "ANGLES",
    "AUC3D",
    "CURVE_THRESHOLDS_MM",
    "LIMBS",
    "MJAE",
    "MPJPE",
    "MPJVE",
    "NMPJPE",
    "PCK2D",
    "PCK2D_ALPHA",
    "PCK3D",
    "PCP",
    "PDJ",
    "PMPJPE",
    "AccelerationError",
    "BoneLengthError",
    "BoneLengthVariation",
    "ElementMean",
    "ElementValues",
    "Jitter",
    "PCK3DCurve",
    "PairMetric",
    "PerGroup",
    "acceleration_errors",
    "aligned_joint_errors",
    "angle_errors",
    "angle_names",
    "bone_length_errors",
    "bone_length_variations",
    "box_diagonal",
    "correct_joints",
    "correct_joints_by_threshold",
    "correct_limbs",
    "correct_pixels",
    "detected_joints",
    "jerks",
    "joint_angles",
    "joint_areas",
    "joint_errors",
    "procrustes_align",
    "scale_align",
    "scaled_joint_errors",
    "torso_diameter",
    "velocity_errors",
]
