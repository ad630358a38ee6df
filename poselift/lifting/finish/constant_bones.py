"""Bones of constant length: a body does not grow or shrink from frame to frame."""

from collections.abc import Collection

import numpy as np
from jaxtyping import Bool, Float

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
    lengths = lengths_of(joints[known], skeleton)
    measured = seen[known]
    usual = usual_lengths(lengths[measured] if measured.any() else lengths, skeleton, unseen)
    constant = joints.copy()
    constant[known] = with_bone_lengths(joints[known], usual, skeleton)
    return constant


def usual_lengths(
    lengths: Float[np.ndarray, "t j"], skeleton: Skeleton, unseen: Collection[str] = ()
) -> Float[np.ndarray, " j"]:
    """The median length of each bone, by the joint at its end.

    Args:
        lengths: of the bones in each frame.
        skeleton: of the bones.
        unseen: joints that were hardly ever seen. Their bones take the length of the other side's, if that was seen.
    """
    # The lower of two middle values, as torch has it, is the length of some frame.
    median = np.sort(lengths, axis=0)[(len(lengths) - 1) // 2]
    for joint, partner in enumerate(skeleton.flip_indices):
        if skeleton.joints[joint] in unseen and skeleton.joints[partner] not in unseen:
            median[joint] = median[partner]
    return median


def with_bone_lengths(
    joints: Float[np.ndarray, "t j 3"], lengths: Float[np.ndarray, " j"], skeleton: Skeleton
) -> Float[np.ndarray, "t j 3"]:
    """Joints whose bones have these lengths and each frame's direction.

    Args:
        joints: relative to the root, metres; finite.
        lengths: of the bone that ends at each joint, metres.
        skeleton: of `joints`.
    """
    bones = _bones(joints, skeleton)
    scaled = bones * (lengths[:, None] / np.maximum(np.linalg.norm(bones, axis=-1, keepdims=True), 1e-6))
    for joint in skeleton.topological_order[1:]:
        scaled[:, joint] += scaled[:, skeleton.parent_indices[joint]]
    return scaled


def lengths_of(joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton) -> Float[np.ndarray, "t j"]:
    """The length of the bone that ends at each joint, metres; 0 for the root."""
    return np.linalg.norm(_bones(joints, skeleton), axis=-1)


def _bones(joints: Float[np.ndarray, "t j 3"], skeleton: Skeleton) -> Float[np.ndarray, "t j 3"]:
    """The vector to each joint from its parent; 0 for the root."""
    return joints - joints[:, [max(parent, 0) for parent in skeleton.parent_indices]]
