"""Streaming OKS and its average precision, 0 to 1; see `poselift.metrics.functional.oks`."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torchmetrics import Metric

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms

_THRESHOLDS = len(functional.OKS_THRESHOLDS)


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
    rows: list[Tensor]
    people: Tensor

    def __init__(self, sigmas: Sequence[float] = functional.COCO_SIGMAS) -> None:
        super().__init__()
        self.sigmas = tuple(sigmas)
        # A row is a score and whether it was matched at each threshold. Flat and float32, because that is what
        # torchmetrics sends for a process that saw no image.
        self.add_state("rows", [], dist_reduce_fx="cat")
        self.add_state("people", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, images: Sequence[functional.PosesInImage]) -> None:
        """Adds images, each with all of its people."""
        for image in images:
            scores, matched, people = functional.match_poses(image, self.sigmas)
            self.rows.append(torch.cat((scores[:, None], matched), 1).float().flatten())
            self.people = self.people + people

    def compute(self) -> Tensor:
        """The mean of the average precisions at OKS 0.5, 0.55, ..., 0.95."""
        # One tensor already, where processes were synchronised.
        rows = [self.rows] if isinstance(self.rows, Tensor) else self.rows
        table = torch.cat([torch.zeros(0, device=self.device), *rows]).unflatten(0, (-1, 1 + _THRESHOLDS))
        return functional.average_precision(table[:, 0], table[:, 1:].bool(), int(self.people)).mean()
