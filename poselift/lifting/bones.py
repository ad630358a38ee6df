"""Bones that keep their length: a body does not grow and shrink from frame to frame."""

import numpy as np
import torch
from jaxtyping import Bool, Float

from poselift.geometry import bone_vectors, points_from_bones
from poselift.skeleton import Skeleton


def steady_bones(
    joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton, seen: Bool[np.ndarray, " t"]
) -> Float[np.ndarray, "t j 3"]:
    """Gives each bone its median length over the clip, and keeps its direction in each frame.

    Args:
        joints: relative to the root, metres; NaN in frames left empty.
        skeleton: the joint set of `joints`.
        seen: frames whose lengths are asked; all known ones where none is seen.

    Returns:
        The joints with every bone of constant length, NaN where they were.
    """
    known = np.isfinite(joints).all((1, 2))
    if not known.any():
        return joints
    vectors = bone_vectors(torch.from_numpy(joints[known]), skeleton.parent_indices)
    lengths = vectors.norm(dim=-1, keepdim=True)
    asked = torch.from_numpy(seen[known])
    median = (lengths[asked] if asked.any() else lengths).median(0).values
    vectors = vectors / lengths.clamp(min=1e-6) * median
    steady = joints.copy()
    root = torch.zeros(len(vectors), 3, dtype=vectors.dtype)
    steady[known] = points_from_bones(vectors, root, skeleton.parent_indices).numpy()
    return steady
