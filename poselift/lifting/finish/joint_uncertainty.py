"""Each joint's uncertainty: the lifter's, and how the pose fits the keypoints."""

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.arrays import Array, array_namespace
from poselift.lifting.prepare.gaps import MAX_GAP, WIDENING

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
"""How much wider the uncertainty of such a body is, so that 9 of 10 joints stay within."""

_UNSEEN_ROOT = 1.08
"""How much wider the uncertainty is without a keypoint of the root, to which all joints are relative
(benchmarks/lifter_log.md)."""


def adjust_uncertainty(
    uncertainty: Float[Array, "t j"], offsets: Float[Array, "t j 3"], ray_scores: Float[Array, "t j"]
) -> Float[Array, "t j"]:
    """Uncertainty, enlarged where large and where pose and keypoints differ.

    A lifter learns its errors from the people of its training data. Other people's large errors are larger than it
    says. The mean distance of a clip's pose from its rays is an error that can be seen. The error of a root without a
    keypoint is an error of all joints. `poselift calibrate` finds the factor that makes the result hold for 9 of 10
    joints. Few joints fit any pose: their fit says nothing good of it, and a body that is mostly a guess gets wider
    uncertainties.

    Args:
        uncertainty: as the lifter gives it, metres.
        offsets: of each joint to its ray, metres (`measure_offsets`).
        ray_scores: 0 where a joint was not seen. The first joint is the root.
    """
    xp = array_namespace(ray_scores)
    total, seen = ray_scores.sum(), ray_scores > 0
    misfit = (xp.linalg.vector_norm(offsets, axis=-1) * ray_scores).sum() / xp.where(total > 0, total, 1.0)
    misfit = xp.where(total > 0, misfit, _USUAL_MISFIT)
    misfit = xp.where(misfit > _LEAST_MISFIT, misfit, _LEAST_MISFIT) / _USUAL_MISFIT
    frames = xp.any(seen, axis=-1).sum()
    joints = seen.sum() / xp.where(frames > 0, frames, 1)  # in a frame with any
    guessed = (joints > 0) & (joints < FEW_JOINTS)
    wider = xp.where((joints > 0) & ~xp.any(seen[:, 0]), _UNSEEN_ROOT, 1.0)
    wider = wider * xp.where(guessed, _GUESSED, 1.0)
    misfit = xp.where(guessed & (misfit < 1.0), 1.0, misfit)
    return wider * uncertainty * (uncertainty / _USUAL) ** _POWER * misfit**_MISFIT_POWER


def widening_factors(seen: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
    """Factors that widen the uncertainty of frames without keypoints.

    It grows with the time to the nearest frame with keypoints.

    Args:
        seen: frames with keypoints; if there are none, all factors are 1.
        times: seconds, increasing.

    Example:
        >>> widening_factors(np.array([True, False, False, True]), np.arange(4) / 20).tolist()
        [1.0, 1.1, 1.1, 1.0]
    """
    known = times[seen]
    if not len(known):
        return np.ones(len(times))
    after = np.searchsorted(known, times).clip(max=len(known) - 1)
    away = np.minimum(abs(times - known[after]), abs(times - known[np.maximum(after - 1, 0)]))
    return 1 + WIDENING * np.minimum(away, MAX_GAP / 2)
