"""Constant bone lengths: bones do not change from frame to frame."""

import numpy as np
from jaxtyping import Float

from poselift.geometry import bone_lengths
from poselift.skeleton import Skeleton

_RARELY = 0.05
"""Least share of frames in which a joint must be seen for its bone's length to be measured."""


def measure_clip(
    joints: Float[np.ndarray, "t j 3"],
    scores: Float[np.ndarray, "t j_in"],
    skeleton_in: Skeleton,
    skeleton: Skeleton,
) -> Float[np.ndarray, " j"] | None:
    """Median length of each bone, by the joint at its end.

    None if no frame is known.

    Args:
        joints: relative to the root, metres; NaN in frames left empty.
        scores: of the lifter's input joints. Frames with keypoints count; all known frames if there are none.
        skeleton_in: of `scores`.
        skeleton: of `joints`.
    """
    known, seen = np.isfinite(joints).all((1, 2)), np.any(scores > 0, axis=-1)
    if not known.any():
        return None
    rows = known & seen if (known & seen).any() else known
    return median_lengths(bone_lengths(joints[rows], skeleton.parent_indices), scores[seen], skeleton_in, skeleton)


def median_lengths(
    lengths: Float[np.ndarray, "t j"], scores: Float[np.ndarray, "n j_in"], skeleton_in: Skeleton, skeleton: Skeleton
) -> Float[np.ndarray, " j"]:
    """The median length of each bone, by the joint at its end.

    Bones of joints that were hardly ever seen take the length of the other side's, if that was seen.

    Args:
        lengths: of the bones in each frame.
        scores: of the lifter's input joints in the frames with keypoints.
        skeleton_in: of `scores`.
        skeleton: of the bones.
    """
    # The lower of two middle values, as torch has it, is the length of some frame.
    median = np.sort(lengths, axis=0)[(len(lengths) - 1) // 2]
    unseen = np.mean(scores > 0, axis=0) < _RARELY if len(scores) else np.zeros(len(skeleton_in), bool)
    hidden = {name for name, flag in zip(skeleton_in.joints, unseen, strict=True) if flag}
    for joint, partner in enumerate(skeleton.flip_indices):
        if skeleton.joints[joint] in hidden and skeleton.joints[partner] not in hidden:
            median[joint] = median[partner]
    return median
