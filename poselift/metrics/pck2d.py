"""Streaming shares of joints within a distance in 2D, in percent; see `poselift.metrics.functional.pck2d`."""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms
from poselift.metrics.functional.pck2d import PCKH_THRESHOLD, PDJ_THRESHOLD
from poselift.skeleton import Skeleton


class PCK2D(MeanOfTerms):
    """Percentage of keypoints within a part of the person's size.

    Args:
        threshold: the part of the size.
        entries: the number of joints, to keep them apart.
    """

    higher_is_better = True
    terms = staticmethod(functional.correct_joints2d)

    def __init__(self, threshold: float, entries: int | None = None) -> None:
        super().__init__(entries, threshold=threshold)

    def update(
        self,
        pred: Float[Tensor, "*batch j 2"],
        target: Float[Tensor, "*batch j 2"],
        size: Float[Tensor, "*batch"],
        mask: Bool[Tensor, "*batch j"] | None = None,
    ) -> None:
        """Adds a batch, in pixels; `size` is each person's, `mask` is True where a joint counts."""
        self.add(pred, target, size, mask=mask)


class PCKh(PCK2D):
    """PCK by the size of the head, which is what `update` takes for `size`.

    Args:
        threshold: the part of the head's size.
        entries: the number of joints, to keep them apart.
    """

    def __init__(self, threshold: float = PCKH_THRESHOLD, entries: int | None = None) -> None:
        super().__init__(threshold, entries)


class PDJ(MeanOfTerms):
    """Percentage of detected joints: PCK by the torso of the target, from right hip to left shoulder.

    Args:
        skeleton: the joint set.
        threshold: the part of the torso.
        entries: the number of joints, to keep them apart.
    """

    higher_is_better = True
    terms = staticmethod(functional.correct_joints2d)

    def __init__(self, skeleton: Skeleton, threshold: float = PDJ_THRESHOLD, entries: int | None = None) -> None:
        super().__init__(entries, threshold=threshold)
        self.skeleton = skeleton

    def update(
        self,
        pred: Float[Tensor, "*batch j 2"],
        target: Float[Tensor, "*batch j 2"],
        mask: Bool[Tensor, "*batch j"] | None = None,
    ) -> None:
        """Adds a batch, in pixels; `mask` is True where a joint counts."""
        self.add(pred, target, functional.torso_diameter(target, self.skeleton, mask), mask=mask)
