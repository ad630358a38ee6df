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

FEW_JOINTS = 6
"""Seen joints of a frame, on average, below which the rest of the body is a guess."""

_GUESSED = 1.5
"""How much wider the uncertainty of such a body is, so that 9 of 10 joints stay within (benchmarks/few_joints.py)."""

_UNSEEN_ROOT = 1.08
"""How much wider the uncertainty is without a keypoint of the root, to which all joints are relative
(benchmarks/lifter_log.md)."""


def adjust_uncertainty(
    uncertainty: Float[np.ndarray, "t j"], offsets: Float[np.ndarray, "t j 3"], weights: Float[np.ndarray, "t j"]
) -> Float[np.ndarray, "t j"]:
    """Uncertainty, enlarged where it is large and where the pose misses its keypoints.

    A lifter learns its errors from the people of its training data. Other people's large errors are larger than it
    says. The mean distance of a clip's pose from its rays is an error that can be seen. The error of a root without a
    keypoint is an error of all joints. `poselift calibrate` finds the factor that makes the result hold for 9 of 10
    joints. Few joints fit any pose: their fit says nothing good of it, and a body that is mostly a guess gets wider
    uncertainties.

    Args:
        uncertainty: as the lifter gives it, metres.
        offsets: of each joint to its ray, metres (`measure_offsets`).
        weights: of the rays; 0 where a joint was not seen. The first joint is the root.
    """
    misfit, wider = clip_misfit(offsets, weights) / _USUAL_MISFIT, 1.0
    if weights.any() and not weights[:, 0].any():
        wider *= _UNSEEN_ROOT
    if 0 < seen_joints(weights) < FEW_JOINTS:
        wider *= _GUESSED
        misfit = max(misfit, 1.0)
    return wider * uncertainty * (uncertainty / _USUAL) ** _POWER * misfit**_MISFIT_POWER


def seen_joints(weights: Float[np.ndarray, "t j"]) -> float:
    """Number of seen joints in a frame, on average over the frames with any; 0 if there are none.

    Args:
        weights: or scores of the joints; 0 where one was not seen.
    """
    counts = (weights > 0).sum(-1)
    return float(counts[counts > 0].mean()) if counts.any() else 0.0


def clip_misfit(offsets: Float[np.ndarray, "t j 3"], weights: Float[np.ndarray, "t j"]) -> float:
    """Mean distance of the joints from their rays, metres.

    Args:
        offsets: of each joint to its ray, metres.
        weights: of the rays; 0 where a joint was not seen. If all are 0, a usual distance comes back.
    """
    total = weights.sum()
    far = (np.linalg.norm(offsets, axis=-1) * weights).sum() / total if total > 0 else _USUAL_MISFIT
    return float(max(far, _LEAST_MISFIT))
