"""Rods: pairs of joints whose distance hardly changes while a body moves."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from poselift.skeleton import Skeleton

_LIMB, _TRUNK, _LOOSE = 0.010, 0.018, 0.035
"""Change of a rod's length from frame to frame, metres (standard deviation): between two joint centres of a limb,
inside of the trunk, and across joints of the trunk that move against each other."""

_SIDED = (
    ("hip", "knee", _LIMB),
    ("knee", "ankle", _LIMB),
    ("shoulder", "elbow", _LIMB),
    ("elbow", "wrist", _LIMB),
    ("shoulder", "hip", _LOOSE),
    ("ankle", "heel", _LIMB),
    ("ankle", "big_toe", _TRUNK),
    ("ankle", "small_toe", _TRUNK),
    ("heel", "big_toe", _TRUNK),
    ("wrist", "hand", _TRUNK),
    ("ear", "eye", _LIMB),
    ("ear", "shoulder", _LOOSE),
)
"""Rods of one side."""

_CROSSED = (("shoulder", "hip", _LOOSE),)
"""Rods from the right to the left, and from the left to the right."""

_MIDDLE = (
    ("left_hip", "right_hip", _LIMB),
    ("left_shoulder", "right_shoulder", _TRUNK),
    ("left_ear", "right_ear", _LIMB),
    ("left_eye", "right_eye", _LIMB),
    ("left_ear", "nose", _LIMB),
    ("right_ear", "nose", _LIMB),
    ("pelvis", "left_hip", _LIMB),
    ("pelvis", "right_hip", _LIMB),
    ("pelvis", "spine", _TRUNK),
    ("spine", "thorax", _TRUNK),
    ("thorax", "neck_base", _TRUNK),
    ("thorax", "left_shoulder", _TRUNK),
    ("thorax", "right_shoulder", _TRUNK),
    ("neck_base", "head_top", _TRUNK),
    ("head_top", "left_ear", _TRUNK),
    ("head_top", "right_ear", _TRUNK),
    ("neck_base", "nose", _LOOSE),
    ("neck_base", "left_shoulder", _LOOSE),
    ("neck_base", "right_shoulder", _LOOSE),
    ("mid_shoulders", "left_shoulder", _TRUNK),
    ("mid_shoulders", "right_shoulder", _TRUNK),
)


@dataclass(frozen=True)
class Rods:
    """The rods of a skeleton.

    Attributes:
        starts: joint at one end.
        ends: joint at the other end.
        spread: change of the length, metres (standard deviation).
    """

    starts: Int[np.ndarray, " b"]
    ends: Int[np.ndarray, " b"]
    spread: Float[np.ndarray, " b"]

    def __len__(self) -> int:
        return len(self.starts)

    def vectors(self, joints: Float[np.ndarray, "*n j 3"]) -> Float[np.ndarray, "*n b 3"]:
        """From start to end."""
        return joints[..., self.ends, :] - joints[..., self.starts, :]


def rods_of(skeleton: Skeleton) -> Rods:
    """The rods between joints that a skeleton has."""
    named = [(f"{side}_{a}", f"{side}_{b}", spread) for a, b, spread in _SIDED for side in ("left", "right")]
    for a, b, spread in _CROSSED:
        named += [(f"left_{a}", f"right_{b}", spread), (f"right_{a}", f"left_{b}", spread)]
    named += _MIDDLE
    known = [(a, b, spread) for a, b, spread in named if a in skeleton.joints and b in skeleton.joints]
    starts = np.array([skeleton.index(a) for a, _, _ in known], int)
    ends = np.array([skeleton.index(b) for _, b, _ in known], int)
    return Rods(starts, ends, np.array([spread for _, _, spread in known]))
