"""Smoothing of a stream's poses.

The newest frame of a window trembles, because no later frame steadies it. The One Euro filter (Casiez et al. 2012,
https://doi.org/10.1145/2207676.2208639) is a low-pass filter whose cutoff rises with the speed: slow movements are
smoothed, fast ones hardly lag.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.geometry import bone_lengths, set_bone_lengths
from poselift.lifting.prepare.gaps import MAX_GAP
from poselift.skeleton import Skeleton
from poselift.structures import StreamedPose

_JOINTS = (2.0, 8.0)
"""Cutoff at rest, Hz, and its rise, Hz per m/s. On the CMU val views at 50 fps it halves the acceleration error of the
newest frame for 1 mm of MPJPE (docs/stream.md)."""

_DEPTH = (1.0, 2.0)
"""Cutoff at rest, Hz, and its rise, Hz per e-fold of the root's depth in a second."""

_SPEED_CUTOFF = 1.0
"""Cutoff of the speed itself, Hz."""


class OneEuro:
    """A One Euro filter of vectors: each row has its own speed.

    Args:
        cutoff: at rest, Hz.
        rise: of the cutoff with the speed, Hz per unit a second.

    Example:
        >>> smooth = OneEuro(1.0, 0.0)
        >>> [round(float(smooth(np.array([[x]]), t)[0, 0]), 2) for t, x in ((0.0, 0.0), (0.1, 1.0), (0.2, 1.0))]
        [0.0, 0.39, 0.62]
    """

    def __init__(self, cutoff: float, rise: float) -> None:
        self._cutoff, self._rise = cutoff, rise
        self._time = -np.inf
        self._value = self._speed = np.zeros((0, 0))

    def __call__(self, value: Float[np.ndarray, "n c"], time: float) -> Float[np.ndarray, "n c"]:
        """The smoothed value; starts afresh after `MAX_GAP` seconds."""
        step = time - self._time
        if step > MAX_GAP:
            self._value, self._speed = value, np.zeros_like(value)
        else:
            self._speed = self._speed + _share(_SPEED_CUTOFF, step) * ((value - self._value) / step - self._speed)
            cutoff = self._cutoff + self._rise * np.linalg.norm(self._speed, axis=-1, keepdims=True)
            self._value = self._value + _share(cutoff, step) * (value - self._value)
        self._time = time
        return self._value


class PoseSmoother:
    """Smooths the poses of one person as they come.

    Joints keep the lengths of their bones. Of the root only the depth is smoothed: its place in the picture is exact.

    Args:
        skeleton: of the poses.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self._parents = skeleton.parent_indices
        self._joints, self._depth = OneEuro(*_JOINTS), OneEuro(*_DEPTH)

    def __call__(self, pose: StreamedPose) -> StreamedPose:
        """The smoothed pose."""
        joints, root = pose.joints.astype(np.float64), pose.root.astype(np.float64)
        smooth = self._joints(joints, pose.timestamp)
        smooth = set_bone_lengths(smooth, bone_lengths(joints, self._parents), self._parents)
        depth = float(np.exp(self._depth(np.log(root[2:])[None], pose.timestamp))[0, 0])
        return replace(pose, joints=smooth.astype(np.float32), root=(root * (depth / root[2])).astype(np.float32))


def _share(cutoff: float | Float[np.ndarray, "n 1"], step: float) -> float | Float[np.ndarray, "n 1"]:
    """The new value's share in a low-pass filter."""
    return 1 / (1 + 1 / (2 * np.pi * cutoff * step))
