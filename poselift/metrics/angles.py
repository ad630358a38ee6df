"""The streaming error of joint angles, in degrees; see `poselift.metrics.functional.angles`."""

from poselift.metrics import functional
from poselift.metrics.base import PoseMetric
from poselift.skeleton import Skeleton


class MJAE(PoseMetric):
    """Mean joint angle error.

    Args:
        skeleton: the joint set.
        entries: the number of angles, to keep them apart.
    """

    higher_is_better = False
    terms = staticmethod(functional.angle_errors)

    def __init__(self, skeleton: Skeleton, entries: int | None = None) -> None:
        super().__init__(entries, skeleton=skeleton)
