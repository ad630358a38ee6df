"""Streaming likelihood and calibration of uncertainties; see `poselift.metrics.functional.likelihood`."""

from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics import functional
from poselift.metrics.base import MeanOfTerms
from poselift.metrics.functional.likelihood import Distribution


class UncertaintyMetric(MeanOfTerms):
    """A metric of predictions that come with the scale of their error."""

    higher_is_better = False

    def update(
        self,
        pred: Float[Tensor, "*batch j c"],
        target: Float[Tensor, "*batch j c"],
        scale: Float[Tensor, "*batch j #c"],
        mask: Bool[Tensor, "*batch j"] | None = None,
    ) -> None:
        """Adds a batch, in metres; `mask` is True where a joint counts."""
        self.add(pred, target, scale, mask=mask)


class GaussianNLL(UncertaintyMetric):
    """Mean negative log-likelihood per joint under Gaussians, in nats."""

    terms = staticmethod(functional.gaussian_nlls)


class LaplaceNLL(UncertaintyMetric):
    """Mean negative log-likelihood per joint under Laplace distributions, in nats."""

    terms = staticmethod(functional.laplace_nlls)


class CalibrationError(UncertaintyMetric):
    """How far the share of truths within an interval is from the share promised, 0 to 0.5.

    Args:
        distribution: "gaussian" or "laplace".
    """

    terms = staticmethod(functional.coverages)

    def __init__(self, distribution: Distribution) -> None:
        super().__init__(entries=len(functional.LEVELS), distribution=distribution)

    def compute(self) -> Tensor:
        """The error so far."""
        return functional.miscalibration(super().compute())
