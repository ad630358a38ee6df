"""From one joint set to another, by joint name.

A joint of the target that the source has by the same name is copied. One that the source lacks, but that is
the stated combination of others (`COMBINATIONS`), is derived, and said to be. Anything else is masked.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Float, Real

from poselift.skeleton.skeleton import Skeleton

COMBINATIONS: dict[str, tuple[dict[str, float], ...]] = {
    # The first combination whose joints the source has is taken.
    "pelvis": ({"left_hip": 0.5, "right_hip": 0.5},),
    "mid_shoulders": ({"left_shoulder": 0.5, "right_shoulder": 0.5},),
    # SMPL's neck joint sits where Human3.6M has its thorax; elsewhere the middle of the shoulders is nearest.
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
"""Joints that are a combination of others: alternatives in order of preference, weights by name, sum 1."""


@dataclass(frozen=True)
class Converted:
    """Values in another joint set.

    Attributes:
        values: (*batch, joints out, channels), NaN where `mask` is False.
        mask: (*batch, joints out), True where the value is known.
        derived: (joints out,), True where a joint is a combination of others and not one of the source.
    """

    values: Float[np.ndarray, "*batch j_out c"]
    mask: Bool[np.ndarray, "*batch j_out"]
    derived: Bool[np.ndarray, " j_out"]


@cache
def _matrix(source: Skeleton, target: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """The (joints out, joints in) weights of the conversion, and which rows are derived."""
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
    """Brings values (positions in 2D or 3D) from one joint set into another.

    Args:
        values: positions; a joint with a NaN is taken as unknown.
        source: the joint set of `values`.
        target: the joint set that is wanted.
        mask: True where a joint of the source is known; all that are finite if left out.

    Returns:
        The values, which of them are known, and which joints are derived from others.

    Raises:
        ValueError: the number of joints in `values` is not that of `source`.
    """
    if values.shape[-2] != len(source):
        raise ValueError(f"{values.shape[-2]} joints were given, but {source.name} has {len(source)}")
    if not np.issubdtype(values.dtype, np.floating):  # whole pixels have no NaN, and no halves
        values = values.astype(np.float64)
    weights, derived = _matrix(source, target)
    known = np.isfinite(values).all(-1)
    if mask is not None:
        known = known & mask
    used = weights != 0
    # A target joint is known where every joint that it is made of is.
    missing_parts = (~known).astype(float) @ used.T.astype(float)
    out_mask = used.any(-1) & (missing_parts == 0)
    out = np.einsum("oi,...ic->...oc", weights, np.where(known[..., None], values, 0.0)).astype(values.dtype)
    return Converted(np.where(out_mask[..., None], out, np.nan).astype(values.dtype), out_mask, derived)
