"""Streaming shares of joints within a part of the person's size, in percent; see `poselift.metrics.functional.pck`."""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms
from poselift.metrics.functional.pck import PCKH_THRESHOLD, PDJ_THRESHOLD
from poselift.skeleton import Skeleton


class PCK(MeanOfTerms):
    """Percentage of keypoints within a part of the person's size.

    Args:
        threshold: the part of the size.
        entries: the number of joints, to keep them apart.
    """

    higher_is_better = True
    terms = staticmethod(functional.correct_joints)

    def __init__(self, threshold: float, entries: int | None = None) -> None:
        super().__init__(entries, threshold=threshold)

    def update(
        self,
        pred: Float[Tensor, "*batch j c"],
        target: Float[Tensor, "*batch j c"],
        size: Float[Tensor, "*batch"],
        mask: Bool[Tensor, "*batch j"] | None = None,
    ) -> None:
        """Adds a batch, in pixels, or metres in 3D; `size` is each person's, `mask` is True where a joint counts."""
        self.add(pred, target, size, mask=mask)


class PCKh(PCK):
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
    terms = staticmethod(functional.correct_joints)

    def __init__(self, skeleton: Skeleton, threshold: float = PDJ_THRESHOLD, entries: int | None = None) -> None:
        super().__init__(entries, threshold=threshold)
        self.skeleton = skeleton

    def update(
        self,
        pred: Float[Tensor, "*batch j c"],
        target: Float[Tensor, "*batch j c"],
        mask: Bool[Tensor, "*batch j"] | None = None,
    ) -> None:
        """Adds a batch, in pixels, or metres in 3D; `mask` is True where a joint counts."""
        self.add(pred, target, functional.torso_diameter(target, self.skeleton, mask), mask=mask)
