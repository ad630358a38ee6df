"""Streaming errors of bone lengths; see `poselift.metrics.functional.bones`."""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms, PoseMetric
from poselift.skeleton import Skeleton


class BoneLengthError(PoseMetric):
    """Mean absolute error of bone lengths, in mm.

    Args:
        skeleton: the joint set.
        entries: the number of bones, to keep them apart.
    """

    higher_is_better = False
    terms = staticmethod(functional.bone_length_errors)

    def __init__(self, skeleton: Skeleton, entries: int | None = None) -> None:
        super().__init__(entries, skeleton=skeleton)


class BoneLengthVariation(MeanOfTerms):
    """Mean coefficient of variation of bone lengths over each clip, in percent.

    Args:
        skeleton: the joint set.
        entries: the number of bones, to keep them apart.
    """

    higher_is_better = False
    terms = staticmethod(functional.bone_length_variations)

    def __init__(self, skeleton: Skeleton, entries: int | None = None) -> None:
        super().__init__(entries, skeleton=skeleton)

    def update(self, points: Float[Tensor, "*batch t j 3"], mask: Bool[Tensor, "*batch t j"] | None = None) -> None:
        """Adds clips, in metres; `mask` is True where a joint counts."""
        self.add(points, mask=mask)
