"""The factor that calibrates a lifter's uncertainty.

With it, uncertainty holds for nine of ten joints of new people.
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.kinematics import relative_to_body
from poselift.losses import COVERAGE
from poselift.skeleton import H36M17
from poselift.structures import Motion

MEASURED = H36M17.joints[1:]
"""The joints that count: those that the benchmark measures, without the root, which is the origin.

The corpus's faces and heels have average proportions and were not measured.
"""


def error_ratios(view: View, motion: Motion) -> Float[np.ndarray, " n"]:
    """Error divided by uncertainty, for the joints of `MEASURED` with both.

    Raises:
        InputError: the lifter gives no uncertainty.
    """
    error, uncertainty = errors_beside_uncertainty(view, motion)
    known = np.isfinite(error) & np.isin(motion.skeleton.joints, MEASURED)
    return error[known] / uncertainty[known]


def errors_beside_uncertainty(view: View, motion: Motion) -> tuple[Float[np.ndarray, "t j"], Float[np.ndarray, "t j"]]:
    """Error and uncertainty of each joint, metres.

    The error is NaN where the joint has no truth or no uncertainty. The uncertainty is that relative to the body:
    benchmarks have too few bodies to calibrate the part of an unknown size and tilt (`poselift.kinematics.whole_body`).

    Raises:
        InputError: the lifter gives no uncertainty.
    """
    uncertainty = relative_to_body(motion).uncertainty
    if uncertainty is None:
        raise InputError("the lifter gives no uncertainty; train one with model.uncertainty=true")
    truth = view.convert(view.keypoint_skeleton, motion.skeleton).joints.numpy()
    error = np.linalg.norm(motion.joints - truth, axis=-1)
    return np.where(uncertainty > 0, error, np.nan), uncertainty


def calibration_factor(ratios: Iterable[Float[np.ndarray, " _"]]) -> float:
    """The factor on uncertainties that puts `COVERAGE` of the joints within them.

    It is the quantile of all ratios, with the same total weight for each subject: split conformal prediction (Vovk et
    al. 2005; Romano et al. 2019, https://arxiv.org/abs/1905.03222). So the coverage is right on average for a new
    person. People who move like those of the training data have more joints within.

    Args:
        ratios: error divided by uncertainty, for each subject; an empty one does not count.

    Raises:
        InputError: all are empty.
    """
    parts = [part for part in ratios if len(part)]
    if not parts:
        raise InputError(
            "the benchmark and the lifter have no joint in common; calibrate a lifter that gives joints of Human3.6M-17"
        )
    pooled = np.concatenate(parts)
    share = np.concatenate([np.full(len(part), 1 / len(part) / len(parts)) for part in parts])
    order = np.argsort(pooled)
    # Sums of shares come out a little below what they are: the last is not quite 1.
    first = int(np.searchsorted(np.cumsum(share[order]), COVERAGE - 1e-9))
    return float(pooled[order[first]])
