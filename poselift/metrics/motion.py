"""Streaming errors of motion; see `poselift.metrics.functional.motion`.

Differences are taken within a batch: give clips, (*batch, t, j, 3), not single frames.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms, PoseMetric


class MPJVE(PoseMetric):
    """Mean per-joint velocity error, in mm per frame."""

    higher_is_better = False
    terms = staticmethod(functional.velocity_errors)


class AccelerationError(PoseMetric):
    """Mean acceleration error, in mm per frame²."""

    higher_is_better = False
    terms = staticmethod(functional.acceleration_errors)


class Jitter(MeanOfTerms):
    """Mean jerk of a motion without a target, in m/s³.

    Args:
        fps: frames per second.
        entries: the number of joints, to keep them apart.
    """

    higher_is_better = False
    terms = staticmethod(functional.jerks)

    def __init__(self, fps: float, entries: int | None = None) -> None:
        super().__init__(entries, fps=fps)

    def update(self, points: Float[Tensor, "*batch t j 3"], mask: Bool[Tensor, "*batch t j"] | None = None) -> None:
        """Adds clips, in metres; `mask` is True where a joint counts."""
        self.add(points, mask=mask)
