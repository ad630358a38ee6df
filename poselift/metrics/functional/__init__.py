"""Metrics as pure functions of tensors, one family a file.

All take metres (or pixels in 2D) and a mask that is True where something counts, work in float64, and give NaN
where nothing counts. A function named in the plural returns `Terms`, values per joint or frame that a caller can
average as it likes; the metric of the same family is their mean.
"""

from poselift.metrics.functional.angles import (
    ANGLES,
    angle_errors,
    angle_names,
    joint_angles,
    mjae,
)
from poselift.metrics.functional.bones import (
    bone_length_error,
    bone_length_errors,
    bone_length_variation,
    bone_length_variations,
)
from poselift.metrics.functional.likelihood import (
    LEVELS,
    calibration_error,
    coverages,
    gaussian_nll,
    gaussian_nlls,
    laplace_nll,
    laplace_nlls,
    miscalibration,
)
from poselift.metrics.functional.motion import (
    acceleration_error,
    acceleration_errors,
    jerks,
    jitter,
    mpjve,
    velocity_errors,
)
from poselift.metrics.functional.oks import (
    COCO_SIGMAS,
    OKS_THRESHOLDS,
    PosesInImage,
    average_precision,
    joint_similarities,
    match_poses,
    oks,
    oks_ap,
    pose_similarities,
)
from poselift.metrics.functional.pck import (
    bbox_diagonal,
    correct_joints,
    head_length,
    pck,
    pckh,
    pdj,
    pdj_curve,
    torso_diameter,
)
from poselift.metrics.functional.pck3d import (
    auc3d,
    correct_joints3d,
    joint_auc3d,
    pck3d,
)
from poselift.metrics.functional.pcp import (
    LIMBS,
    correct_limbs,
    pcp,
)
from poselift.metrics.functional.position import (
    aligned_joint_errors,
    epe,
    joint_errors,
    mpjpe,
    mrpe,
    n_mpjpe,
    p_mpjpe,
    pixel_errors,
    procrustes_align,
    root_errors,
    root_relative,
    scale_align,
    scaled_joint_errors,
)
from poselift.metrics.functional.terms import (
    Terms,
)
from poselift.metrics.functional.trajectory import (
    Alignment,
    trajectory_error,
    trajectory_errors,
)

__all__ = [
    "ANGLES",
    "COCO_SIGMAS",
    "LEVELS",
    "LIMBS",
    "OKS_THRESHOLDS",
    "Alignment",
    "PosesInImage",
    "Terms",
    "acceleration_error",
    "acceleration_errors",
    "aligned_joint_errors",
    "angle_errors",
    "angle_names",
    "auc3d",
    "average_precision",
    "bbox_diagonal",
    "bone_length_error",
    "bone_length_errors",
    "bone_length_variation",
    "bone_length_variations",
    "calibration_error",
    "correct_joints",
    "correct_joints3d",
    "correct_limbs",
    "coverages",
    "epe",
    "gaussian_nll",
    "gaussian_nlls",
    "head_length",
    "jerks",
    "jitter",
    "joint_angles",
    "joint_auc3d",
    "joint_errors",
    "joint_similarities",
    "laplace_nll",
    "laplace_nlls",
    "match_poses",
    "miscalibration",
    "mjae",
    "mpjpe",
    "mpjve",
    "mrpe",
    "n_mpjpe",
    "oks",
    "oks_ap",
    "p_mpjpe",
    "pck",
    "pck3d",
    "pckh",
    "pcp",
    "pdj",
    "pdj_curve",
    "pixel_errors",
    "pose_similarities",
    "procrustes_align",
    "root_errors",
    "root_relative",
    "scale_align",
    "scaled_joint_errors",
    "torso_diameter",
    "trajectory_error",
    "trajectory_errors",
    "velocity_errors",
]
