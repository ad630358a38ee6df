"""Bones of constant length: a body does not grow or shrink from frame to frame."""

from collections.abc import Collection

import numpy as np
import torch
from jaxtyping import Bool, Float

from poselift.geometry import bone_vectors, points_from_bones
from poselift.skeleton import Skeleton


def with_constant_bones(
    joints: Float[np.ndarray, "t j 3"],
    skeleton: Skeleton,
    seen: Bool[np.ndarray, " t"],
    unseen: Collection[str] = (),
) -> Float[np.ndarray, "t j 3"]:
    """Joints whose bones keep their median length and each frame's direction.

    Args:
        joints: relative to the root, metres; NaN in frames left empty.
        skeleton: of `joints`.
        seen: frames that the median is taken over; all known frames if none is seen.
        unseen: joints that were hardly ever seen. Their bones take the length of the other side's, if that was seen.

    Returns:
        The joints; NaN where they were NaN.
    """
    known = np.isfinite(joints).all((1, 2))
    if not known.any():
        return joints
    vectors = bone_vectors(torch.from_numpy(joints[known]), skeleton.parent_indices)
    lengths = vectors.norm(dim=-1, keepdim=True)
    measured = torch.from_numpy(seen[known])
    median = (lengths[measured] if measured.any() else lengths).median(0).values
    for joint, partner in enumerate(skeleton.flip_indices):
        if skeleton.joints[joint] in unseen and skeleton.joints[partner] not in unseen:
            median[joint] = median[partner]
    vectors = vectors / lengths.clamp(min=1e-6) * median
    constant = joints.copy()
    root = torch.zeros(len(vectors), 3, dtype=vectors.dtype)
    constant[known] = points_from_bones(vectors, root, skeleton.parent_indices).numpy()
    return constant
