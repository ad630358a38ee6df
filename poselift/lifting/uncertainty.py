"""How far off a joint may be: what the lifter says of it, and how well its pose fits what was seen."""

import numpy as np
from jaxtyping import Float

_POWER = 0.2
_MISFIT_POWER = 0.2
"""How much more large radii and poses beside their rays widen; chosen on the val views (benchmarks/lifter_log.md)."""

_USUAL = 0.1
_USUAL_MISFIT = 0.02
"""Metres at which an uncertainty stays as it is."""

_LEAST_MISFIT = 0.003
"""Metres; poses that fit better say no more."""


def adjusted_uncertainty(
    uncertainty: Float[np.ndarray, "t j"], ways: Float[np.ndarray, "t j 3"], weights: Float[np.ndarray, "t j"]
) -> Float[np.ndarray, "t j"]:
    """The lifter's radii, made larger where they are large and where the pose does not fit its keypoints.

    A lifter learns how far off it is on people whom it was trained on. With others, its large errors are larger than
    it says; and how far its pose is from the rays, on the mean of the clip, is an error that is seen. What is right
    for 9 of 10 joints is a factor on this (`poselift calibrate`).

    Args:
        uncertainty: as the lifter gives it, metres.
        ways: of each joint to its ray, metres (`poselift.lifting.rays.ways_to_rays`).
        weights: of the rays, 0 where a joint was not seen.
    """
    misfit = clip_misfit(ways, weights) / _USUAL_MISFIT
    return uncertainty * (uncertainty / _USUAL) ** _POWER * misfit**_MISFIT_POWER


def clip_misfit(ways: Float[np.ndarray, "t j 3"], weights: Float[np.ndarray, "t j"]) -> float:
    """How far joints are from their rays on the mean of the clip, metres; the usual where none was seen.

    Args:
        ways: of each joint to its ray, metres.
        weights: of the rays, 0 where a joint was not seen.
    """
    total = weights.sum()
    far = (np.linalg.norm(ways, axis=-1) * weights).sum() / total if total > 0 else _USUAL_MISFIT
    return float(max(far, _LEAST_MISFIT))
