"""Streaming shares of joints within a distance in 3D, in percent; see `poselift.metrics.functional.pck3d`."""

from poselift.metrics import functional
from poselift.metrics.base import PoseMetric
from poselift.metrics.functional.pck3d import PCK_THRESHOLD_MM


class PCK3D(PoseMetric):
    """Percentage of correct keypoints in 3D.

    Args:
        threshold_mm: in millimetres.
        entries: the number of joints, to keep them apart.
    """

    higher_is_better = True
    terms = staticmethod(functional.correct_joints3d)

    def __init__(self, threshold_mm: float = PCK_THRESHOLD_MM, entries: int | None = None) -> None:
        super().__init__(entries, threshold_mm=threshold_mm)


class AUC3D(PoseMetric):
    """Area under the curve of PCK3D from 0 to 150 mm."""

    higher_is_better = True
    terms = staticmethod(functional.joint_auc3d)
