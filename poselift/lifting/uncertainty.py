"""How far off a joint may be: what the lifter says, and how well its pose fits the keypoints."""

import numpy as np
from jaxtyping import Float

_POWER = 0.2
_MISFIT_POWER = 0.2
"""How much large uncertainties and poses beside their rays add; chosen on the val views (benchmarks/lifter_log.md)."""

_USUAL = 0.1
_USUAL_MISFIT = 0.02
"""Metres at which an uncertainty stays as it is."""

_LEAST_MISFIT = 0.003
"""Metres; a better fit says no more."""


def adjusted_uncertainty(
    uncertainty: Float[np.ndarray, "t j"], offsets: Float[np.ndarray, "t j 3"], weights: Float[np.ndarray, "t j"]
) -> Float[np.ndarray, "t j"]:
    """Uncertainty, enlarged where it is large and where the pose misses its keypoints.

    A lifter learns its errors from the people of its training data. Other people's large errors are larger than it
    says. The mean distance of a clip's pose from its rays is an error that can be seen. `poselift calibrate` finds the
    factor that makes the result hold for 9 of 10 joints.

    Args:
        uncertainty: as the lifter gives it, metres.
        offsets: of each joint to its ray, metres (`reprojection_offsets`).
        weights: of the rays; 0 where a joint was not seen.
    """
    misfit = clip_misfit(offsets, weights) / _USUAL_MISFIT
    return uncertainty * (uncertainty / _USUAL) ** _POWER * misfit**_MISFIT_POWER


def clip_misfit(offsets: Float[np.ndarray, "t j 3"], weights: Float[np.ndarray, "t j"]) -> float:
    """Mean distance of the joints from their rays, metres.

    Args:
        offsets: of each joint to its ray, metres.
        weights: of the rays; 0 where a joint was not seen. If all are 0, a usual distance comes back.
    """
    total = weights.sum()
    far = (np.linalg.norm(offsets, axis=-1) * weights).sum() / total if total > 0 else _USUAL_MISFIT
    return float(max(far, _LEAST_MISFIT))
