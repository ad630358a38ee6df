"""Conversion from one skeleton to another, by joint name.

Joints with equal names are copied. A joint that the source lacks is derived from others where `COMBINATIONS` has it,
and marked so. All other joints are masked.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Float, Real

from poselift.core.errors import InputError
from poselift.skeleton.skeleton import Skeleton

COMBINATIONS: dict[str, tuple[dict[str, float], ...]] = {
    # The first combination whose joints the source has applies.
    "pelvis": ({"left_hip": 0.5, "right_hip": 0.5},),
    "mid_shoulders": ({"left_shoulder": 0.5, "right_shoulder": 0.5},),
    # SMPL's neck is at Human3.6M's thorax; elsewhere the middle of the shoulders is closest.
    "thorax": ({"mid_shoulders": 1.0}, {"neck": 1.0}, {"left_shoulder": 0.5, "right_shoulder": 0.5}),
    "spine": (
        {"spine2": 1.0},
        {"pelvis": 0.5, "thorax": 0.5},
        {"pelvis": 0.5, "mid_shoulders": 0.5},
        {"pelvis": 0.5, "left_shoulder": 0.25, "right_shoulder": 0.25},
        {"left_hip": 0.25, "right_hip": 0.25, "left_shoulder": 0.25, "right_shoulder": 0.25},
    ),
    "left_big_toe": ({"left_foot": 1.0},),
    "right_big_toe": ({"right_foot": 1.0},),
}
"""Joints defined by others: alternatives in order of preference, each with weights by name that sum to 1."""


@dataclass(frozen=True)
class Converted:
    """Values in another skeleton.

    Attributes:
        values: (*batch, joints out, channels), NaN where `mask` is False.
        mask: (*batch, joints out), True where the value is known.
        derived: (joints out,), True for joints that are combinations of the source's joints.
    """

    values: Float[np.ndarray, "*batch j_out c"]
    mask: Bool[np.ndarray, "*batch j_out"]
    derived: Bool[np.ndarray, " j_out"]


@cache
def _matrix(source: Skeleton, target: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """The conversion's weights, and True for derived rows.

    (joints out, joints in).
    """
    weights = np.zeros((len(target), len(source)))
    derived = np.zeros(len(target), bool)
    for row, joint in enumerate(target.joints):
        if joint in source.joints:
            weights[row, source.index(joint)] = 1.0
            continue
        for combination in COMBINATIONS.get(joint, ()):
            if all(name in source.joints for name in combination):
                for name, weight in combination.items():
                    weights[row, source.index(name)] = weight
                derived[row] = True
                break
    return weights, derived


def convert(
    values: Real[np.ndarray, "*batch j_in c"],
    source: Skeleton,
    target: Skeleton,
    mask: Bool[np.ndarray, "*batch j_in"] | None = None,
) -> Converted:
    """The values in another skeleton, with a mask of the known ones.

    Args:
        values: positions in 2D or 3D; a joint with a NaN is unknown.
        source: skeleton of `values`.
        target: skeleton of the result.
        mask: True for known joints of the source; all finite joints by default.

    Raises:
        InputError: `values` and `source` differ in their number of joints.

    Example:
        >>> from poselift.skeleton import COCO17, H36M17
        >>> converted = convert(np.zeros((100, 17, 2)), COCO17, H36M17)
        >>> converted.values.shape
        (100, 17, 2)
        >>> [joint for joint, known in zip(H36M17.joints, converted.mask[0]) if not known]
        ['neck_base', 'head_top']
        >>> [joint for joint, derived in zip(H36M17.joints, converted.derived) if derived]
        ['pelvis', 'spine', 'thorax']
    """
    if values.shape[-2] != len(source):
        raise InputError(f"values have {values.shape[-2]} joints, but {source.name} has {len(source)}")
    if not np.issubdtype(values.dtype, np.floating):  # integer pixels have no NaN and no halves
        values = values.astype(np.float64)
    weights, derived = _matrix(source, target)
    known = np.isfinite(values).all(-1)
    if mask is not None:
        known = known & mask
    used = weights != 0
    # A target joint is known where all its parts are.
    missing_parts = (~known).astype(float) @ used.T.astype(float)
    out_mask = used.any(-1) & (missing_parts == 0)
    out = np.einsum("oi,...ic->...oc", weights, np.where(known[..., None], values, 0.0)).astype(values.dtype)
    return Converted(np.where(out_mask[..., None], out, np.nan).astype(values.dtype), out_mask, derived)
