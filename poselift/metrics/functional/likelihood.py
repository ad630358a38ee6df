"""Whether a predicted uncertainty is right: negative log-likelihood and calibration.

The uncertainty is the scale of a distribution about the prediction, in metres: the standard deviation of a
Gaussian, or b of a Laplace distribution exp(-|x| / b) / 2b. Axes are independent; a scale of one channel
stands for all of them.
"""

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from poselift.metrics.functional.terms import Terms, prepare

Distribution = Literal["gaussian", "laplace"]
LEVELS = tuple(step / 20 for step in range(1, 20))
"""Shares of the probability, at which calibration is looked at: 5 % to 95 %."""


def gaussian_nlls(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    scale: Float[Tensor, "*batch j #c"],
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Terms:
    """The negative log of the density at each joint's true place, in nats; Terms of shape (*batch, j)."""
    pred, target, mask = prepare(pred, target, mask)
    scale = _clean(scale, mask)
    values = ((target - pred) / scale).square() / 2 + scale.log() + math.log(2 * math.pi) / 2
    return Terms(values.sum(-1), mask)


def gaussian_nll(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    scale: Float[Tensor, "*batch j #c"],
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, ""]:
    """Mean negative log-likelihood per joint under Gaussians.

    Formula: the mean over joints of the sum over axes of (p - t)² / (2 sigma²) + log sigma + log(2 pi) / 2.
    Source: Nix and Weigend, "Estimating the mean and variance of the target probability distribution", ICNN 1994.
    Range: nats (of a density per m³ in 3D), any number, lower is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: it is of a density, so that it depends on the unit and can be negative: in mm it is larger by log 1000 an
        axis.

    Args:
        pred: metres.
        target: metres.
        scale: standard deviation in metres; one that is not positive gives NaN.
        mask: True where a joint counts; all do if left out.
    """
    return gaussian_nlls(pred, target, scale, mask).mean()


def laplace_nlls(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    scale: Float[Tensor, "*batch j #c"],
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Terms:
    """As `gaussian_nlls`, under Laplace distributions."""
    pred, target, mask = prepare(pred, target, mask)
    scale = _clean(scale, mask)
    return Terms(((target - pred).abs() / scale + (2 * scale).log()).sum(-1), mask)


def laplace_nll(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    scale: Float[Tensor, "*batch j #c"],
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, ""]:
    """Mean negative log-likelihood per joint under Laplace distributions.

    Formula: the mean over joints of the sum over axes of |p - t| / b + log(2 b).
    Source: Kendall and Gal, "What uncertainties do we need in Bayesian deep learning for computer vision?", NeurIPS
        2017, for the likelihood as a measure; the density is exp(-|x| / b) / 2b.
    Range: nats (of a density per m³ in 3D), any number, lower is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: as for `gaussian_nll`; b is not the standard deviation, which is b times the root of 2.

    Args:
        pred: metres.
        target: metres.
        scale: b in metres; one that is not positive gives NaN.
        mask: True where a joint counts; all do if left out.
    """
    return laplace_nlls(pred, target, scale, mask).mean()


def _clean(scale: Tensor, mask: Tensor) -> Tensor:
    """The scale in float64; 1 where it does not count, NaN where it is none."""
    scale = scale.double().where(mask[..., None], 1.0)
    return scale.where(scale > 0, torch.nan)


def coverages(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    scale: Float[Tensor, "*batch j #c"],
    distribution: Distribution,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Terms:
    """For each coordinate and level, 1 where the interval that should hold that share of truths holds this one.

    The interval is about the prediction. Terms of shape (*batch, j, c, levels).

    Raises:
        ValueError: there is no such distribution.
    """
    pred, target, mask = prepare(pred, target, mask)
    distance = (target - pred).abs() / _clean(scale, mask)
    if distribution == "gaussian":
        inside = torch.erf(distance / math.sqrt(2))
    elif distribution == "laplace":
        inside = -torch.expm1(-distance)
    else:
        raise ValueError(f"there is no distribution {distribution!r}; choose gaussian or laplace")
    covered = (inside[..., None] <= inside.new_tensor(LEVELS)).to(inside.dtype)
    covered = covered.where(~inside.isnan()[..., None], torch.nan)
    return Terms(covered, mask[..., None, None].expand(covered.shape))


def calibration_error(
    pred: Float[Tensor, "*batch j c"],
    target: Float[Tensor, "*batch j c"],
    scale: Float[Tensor, "*batch j #c"],
    distribution: Distribution,
    mask: Bool[Tensor, "*batch j"] | None = None,
) -> Float[Tensor, ""]:
    """How far the share of truths within an interval is from the share promised.

    Formula: the mean over `LEVELS` of |level - share of coordinates within the level's central interval|.
    Source: after Kuleshov et al., "Accurate uncertainties for deep learning using calibrated regression", ICML 2018,
        who take one-sided intervals and squares.
    Range: a share, 0 to 0.5, lower is better.
    Unseen: joints that do not count are left out; NaN if none counts.
    Traps: a model that is equally unsure of everything can be calibrated: read it beside the likelihood. Errors too
        large on some joints and too small on others even out.

    Args:
        pred: metres.
        target: metres.
        scale: metres; one that is not positive gives NaN.
        distribution: "gaussian" or "laplace".
        mask: True where a joint counts; all do if left out.

    Raises:
        ValueError: there is no such distribution.
    """
    return miscalibration(coverages(pred, target, scale, distribution, mask).mean_per_entry())


def miscalibration(shares: Float[Tensor, " levels"]) -> Float[Tensor, ""]:
    """The mean distance of the shares that were found inside from `LEVELS`."""
    return (shares - shares.new_tensor(LEVELS)).abs().mean()
