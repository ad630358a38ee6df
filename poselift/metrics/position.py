"""Streaming errors of positions, in mm; see `poselift.metrics.functional.position`."""

from poselift.metrics import functional
from poselift.metrics.base import PoseMetric


class MPJPE(PoseMetric):
    """Mean per-joint position error."""

    higher_is_better = False
    terms = staticmethod(functional.joint_errors)


class PMPJPE(PoseMetric):
    """MPJPE after a similarity transform of each pose (P-MPJPE)."""

    higher_is_better = False
    terms = staticmethod(functional.aligned_joint_errors)


class NMPJPE(PoseMetric):
    """MPJPE after scaling each pose (N-MPJPE)."""

    higher_is_better = False
    terms = staticmethod(functional.scaled_joint_errors)


class EPE(PoseMetric):
    """End-point error: the mean distance of 2D keypoints, in pixels."""

    higher_is_better = False
    terms = staticmethod(functional.pixel_errors)


class MRPE(PoseMetric):
    """Mean root position error."""

    higher_is_better = False
    terms = staticmethod(functional.root_errors)
