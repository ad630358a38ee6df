"""Skeletons, the joint sets of the field, and conversion between them by joint name."""

from poselift.skeleton.convert import COMBINATIONS, Converted, convert
from poselift.skeleton.joint_sets import (
    BODY25,
    BODY25B,
    CMU28,
    COCO17,
    COCO18,
    COCO_WHOLEBODY23,
    CROWDPOSE14,
    H36M17,
    H36M32,
    HALPE26,
    HUMANEVA15,
    MPI_INF_3DHP17,
    MPII16,
    POSETRACK17,
    SKELETONS,
    SMPL24,
    get_skeleton,
)
from poselift.skeleton.naming import closest_joint_set, our_name
from poselift.skeleton.skeleton import Skeleton, other_side

__all__ = [
    "BODY25",
    "BODY25B",
    "CMU28",
    "COCO17",
    "COCO18",
    "COCO_WHOLEBODY23",
    "COMBINATIONS",
    "CROWDPOSE14",
    "H36M17",
    "H36M32",
    "HALPE26",
    "HUMANEVA15",
    "MPII16",
    "MPI_INF_3DHP17",
    "POSETRACK17",
    "SKELETONS",
    "SMPL24",
    "Converted",
    "Skeleton",
    "closest_joint_set",
    "convert",
    "get_skeleton",
    "other_side",
    "our_name",
]
