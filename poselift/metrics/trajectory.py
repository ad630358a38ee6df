"""The streaming error of a path through space, in mm; see `poselift.metrics.functional.trajectory`."""

from poselift.metrics import functional
from poselift.metrics.base import PoseMetric
from poselift.metrics.functional.trajectory import Alignment


class TrajectoryError(PoseMetric):
    """Mean distance between two paths, each aligned as a whole.

    Args:
        alignment: "none", "first_frame", "rigid" or "similarity".
    """

    higher_is_better = False
    terms = staticmethod(functional.trajectory_errors)

    def __init__(self, alignment: Alignment) -> None:
        super().__init__(alignment=alignment)
