"""The streaming share of limbs that are found, in percent; see `poselift.metrics.functional.pcp`."""

from poselift.metrics import functional
from poselift.metrics.base import PoseMetric
from poselift.metrics.functional.pcp import PCP_THRESHOLD
from poselift.skeleton import Skeleton


class PCP(PoseMetric):
    """Percentage of correct parts.

    Args:
        skeleton: the joint set.
        threshold: the part of the limb's length.
        strict: both ends must be within it, or else the mean of both.
        entries: the number of limbs, to keep them apart.
    """

    higher_is_better = True
    terms = staticmethod(functional.correct_limbs)

    def __init__(
        self, skeleton: Skeleton, threshold: float = PCP_THRESHOLD, strict: bool = True, entries: int | None = None
    ) -> None:
        super().__init__(entries, skeleton=skeleton, threshold=threshold, strict=strict)
