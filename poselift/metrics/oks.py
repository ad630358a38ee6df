"""Streaming OKS and its average precision, 0 to 1; see `poselift.metrics.functional.oks`."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms


class OKS(MeanOfTerms):
    """Mean object keypoint similarity of people.

    Args:
        sigmas: per joint, COCO's if left out.
    """

    higher_is_better = True
    terms = staticmethod(functional.pose_similarities)

    def __init__(self, sigmas: Sequence[float] = functional.COCO_SIGMAS) -> None:
        super().__init__(sigmas=tuple(sigmas))

    def update(
        self,
        pred: Float[Tensor, "*batch j 2"],
        target: Float[Tensor, "*batch j 2"],
        area: Float[Tensor, "*batch"],
        mask: Bool[Tensor, "*batch j"] | None = None,
    ) -> None:
        """Adds a batch, in pixels; `area` is each person's, `mask` is True where a joint is labelled."""
        self.add(pred, target, area, mask=mask)


class OKSAP(Metric):
    """COCO's keypoint average precision.

    Args:
        sigmas: per joint, COCO's if left out.
    """

    full_state_update = False
    higher_is_better = True
    scores: list[Tensor]
    matched: list[Tensor]
    people: Tensor

    def __init__(self, sigmas: Sequence[float] = functional.COCO_SIGMAS) -> None:
        super().__init__()
        self.sigmas = tuple(sigmas)
        self.add_state("scores", [], dist_reduce_fx="cat")
        self.add_state("matched", [], dist_reduce_fx="cat")
        self.add_state("people", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, images: Sequence[functional.PosesInImage]) -> None:
        """Adds images, each with all of its people."""
        for image in images:
            scores, matched, people = functional.match_poses(image, self.sigmas)
            self.scores.append(scores.double())
            self.matched.append(matched.double())
            self.people = self.people + people

    def compute(self) -> Tensor:
        """The mean of the average precisions at OKS 0.5, 0.55, ..., 0.95."""
        scores = dim_zero_cat([torch.zeros(0, dtype=torch.float64, device=self.device), *_listed(self.scores)])
        empty = torch.zeros(0, len(functional.OKS_THRESHOLDS), dtype=torch.float64, device=self.device)
        matched = dim_zero_cat([empty, *_listed(self.matched)])
        return functional.average_precision(scores, matched.bool(), int(self.people)).mean()


def _listed(state: list[Tensor] | Tensor) -> list[Tensor]:
    """A list state is one tensor after processes were synchronised."""
    return [state] if isinstance(state, Tensor) else state
