"""Constant bone lengths: bones do not change from frame to frame."""

from collections import deque

import numpy as np
from jaxtyping import Float

from poselift.geometry import bone_lengths
from poselift.lifting.prepare.prepare_stage import Prepared
from poselift.skeleton import Skeleton

_RARELY = 0.05
"""Least share of frames in which a joint must be seen for its bone's length to be measured."""

_SAMPLES, _INTERVAL = 200, 0.1
"""Frames at most in which a stream measures lengths, and least seconds between them: neighbours tell the same."""


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


class BonesSoFar:
    """The bone lengths of a stream, which settle with time.

    Args:
        skeleton_in: the lifter's input joints.
        skeleton: the lifter's joints.

    Attributes:
        lengths: measured so far, of the bone that ends at each joint, metres; None before the first pose.
    """

    def __init__(self, skeleton_in: Skeleton, skeleton: Skeleton) -> None:
        self._skeleton_in, self._skeleton = skeleton_in, skeleton
        self._samples: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_SAMPLES)  # lengths and scores
        self._time = -np.inf
        self.lengths: np.ndarray | None = None

    def measure(self, time: float, joints: Float[np.ndarray, "t j 3"], prepared: Prepared) -> np.ndarray | None:
        """The lengths, with those of the pose at a time if seen. None before the first one."""
        row = int(np.searchsorted(prepared.keypoints.timestamps, time))
        due = row < len(joints) and time - self._time >= _INTERVAL
        if due and prepared.keypoints.timestamps[row] == time and prepared.seen[row]:
            self._time = time
            self._samples.append((bone_lengths(joints[row], self._skeleton.parent_indices), prepared.scores[row]))
            lengths, scores = (np.stack(values) for values in zip(*self._samples, strict=True))
            self.lengths = median_lengths(lengths, scores, self._skeleton_in, self._skeleton)
        return self.lengths


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
