"""The bone lengths of a stream."""

from collections import deque

import numpy as np
from jaxtyping import Float

from poselift.geometry import bone_lengths
from poselift.lifting.finish.constant_bones import median_lengths
from poselift.lifting.prepare.prepare_stage import Prepared
from poselift.skeleton import Skeleton

_SAMPLES, _INTERVAL = 200, 0.1
"""Frames at most in which lengths are measured, and least seconds between them: neighbours tell the same."""


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
        """The lengths, with those of the pose at a time if seen. It is None before the first one."""
        row = int(np.searchsorted(prepared.keypoints.timestamps, time))
        due = row < len(joints) and time - self._time >= _INTERVAL
        if due and prepared.keypoints.timestamps[row] == time and prepared.seen[row]:
            self._time = time
            self._samples.append((bone_lengths(joints[row], self._skeleton.parent_indices), prepared.scores[row]))
            lengths, scores = (np.stack(values) for values in zip(*self._samples, strict=True))
            self.lengths = median_lengths(lengths, scores, self._skeleton_in, self._skeleton)
        return self.lengths
