"""Whether a pose is one that a body can have: no angle and no bone far beyond what anybody in a corpus shows."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.data.corpus import MotionCorpus
from poselift.geometry import bone_lengths
from poselift.metrics.functional.angles import joint_angles
from poselift.skeleton import H36M17, Skeleton

_ANGLE_MARGIN = 5.0
"""Degrees beyond the corpus's extremes."""

_LENGTH_MARGIN = 0.1
"""Of a bone's share of the body, beyond the corpus's extremes."""


@dataclass(frozen=True)
class Anatomy:
    """The range of each figure of a pose.

    Attributes:
        low: the least that is possible.
        high: the most.
    """

    low: Float[Tensor, " figures"]
    high: Float[Tensor, " figures"]

    @classmethod
    def of(cls, corpus: MotionCorpus) -> "Anatomy":
        """The extremes over all frames of a corpus, and a margin."""
        angles, shares = figures(corpus.converted(H36M17).joints, H36M17)
        margin = torch.deg2rad(torch.tensor(_ANGLE_MARGIN))

        def extreme(values: Tensor, of: float) -> Tensor:
            """Least (-1) or most (1) of each column; NaN is no frame's."""
            return of * (of * values).nan_to_num(-torch.inf).amax(0)

        low = torch.cat((extreme(angles, -1) - margin, extreme(shares, -1) * (1 - _LENGTH_MARGIN)))
        high = torch.cat((extreme(angles, 1) + margin, extreme(shares, 1) * (1 + _LENGTH_MARGIN)))
        return cls(low, high)

    def impossible(self, joints: Float[Tensor, "t j 3"], skeleton: Skeleton) -> Bool[Tensor, " t"]:
        """Frames with a figure out of its range; what is not known is not."""
        values = torch.cat(figures(joints, skeleton), -1)
        return ((values < self.low) | (values > self.high)).any(-1)


def figures(
    joints: Float[Tensor, "t j 3"], skeleton: Skeleton
) -> tuple[Float[Tensor, "t angles"], Float[Tensor, "t bones"]]:
    """The angles between limbs and how far the knees bend, radians, and each bone's share of the sum of all bones.

    Args:
        joints: in any frame of reference.
        skeleton: Human3.6M-17.
    """

    def point(joint: str) -> Tensor:
        return joints[:, skeleton.index(joint)]

    leftwards = torch.nn.functional.normalize(point("left_hip") - point("right_hip"), dim=-1)
    bends = []
    for side in ("left", "right"):
        thigh = point(f"{side}_knee") - point(f"{side}_hip")
        shank = point(f"{side}_ankle") - point(f"{side}_knee")
        # Negative where the knee bends forwards, as seen from the hips.
        across = (torch.linalg.cross(thigh, shank) * leftwards).sum(-1)
        bends.append(torch.atan2(across, (thigh * shank).sum(-1)))
    lengths = bone_lengths(joints, skeleton.parent_indices)
    angles = torch.cat((joint_angles(joints, skeleton), torch.stack(bends, -1)), -1)
    return angles, lengths / lengths.sum(-1, keepdim=True)
