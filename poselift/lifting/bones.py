"""Bones that keep their length: a body does not grow and shrink from frame to frame."""

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
    """Gives each bone its median length over the clip, and keeps its direction in each frame.

    Args:
        joints: relative to the root, metres; NaN in frames left empty.
        skeleton: the joint set of `joints`.
        seen: frames whose lengths are asked; all known ones where none is seen.
        unseen: joints whose bones are guesses in all frames: they get the length of the other side's, where that was
            seen.

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
    for joint, partner in enumerate(skeleton.flip_indices):
        if skeleton.joints[joint] in unseen and skeleton.joints[partner] not in unseen:
            median[joint] = median[partner]
    vectors = vectors / lengths.clamp(min=1e-6) * median
    steady = joints.copy()
    root = torch.zeros(len(vectors), 3, dtype=vectors.dtype)
    steady[known] = points_from_bones(vectors, root, skeleton.parent_indices).numpy()
    return steady
