"""Checks predictions of a file: unit, joints, sides, axes.

Predictions with a wrong unit or order give numbers without an error. So a few views are also scored under other
common readings, and a warning or error names a reading that fits far better.
"""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.metrics import scaled_joint_errors
from poselift.reports.comparison import compare
from poselift.reports.prediction_files import Predictions
from poselift.reports.protocols import Protocol
from poselift.skeleton import SKELETONS, Skeleton

VIEWS = 24
"""The number of views to check, spread evenly over all."""

SUSPICIOUS = 1.25
"""The ratio between predicted and true size from which on there is a warning."""

FAR_BETTER = 0.5
"""Another reading is reported if its error is less than this part of the given one's."""

NO_BETTER = 0.75
"""Poses are suspicious if their error exceeds this part of that of all joints at the root."""

_READINGS = {
    "left and right joints look swapped": (True, (1.0, 1.0, 1.0)),
    "x looks mirrored": (False, (-1.0, 1.0, 1.0)),
    "the axes look like y up and z towards the camera; expected are x right, y down and z forward": (
        False,
        (1.0, -1.0, -1.0),
    ),
}
"""Common mistakes: whether sides are swapped, and the signs of the axes."""


def find_suspicions(views: Sequence[View], predictions: Predictions, protocol: Protocol) -> list[str]:
    """Warnings about a wrong unit, sides or axes, a line each.

    Args:
        views: the truth.
        predictions: for each of the views.
        protocol: decides which joints are compared.

    Raises:
        InputError: lengths are wrong by a factor of about 1000, or another skeleton with as many joints fits the
            predictions far better.
    """
    found = []
    looked = [views[index] for index in np.unique(np.linspace(0, len(views) - 1, VIEWS).astype(int))]
    if predictions.lengths:
        found += _scale(looked, predictions, protocol)
    given = _error(looked, predictions, protocol, predictions.skeleton)
    for skeleton in SKELETONS.values():
        if skeleton == predictions.skeleton or len(skeleton) != len(predictions.skeleton):
            continue
        if _error(looked, predictions, protocol, skeleton) < FAR_BETTER * given:
            raise InputError(
                f"the predictions seem to be in the order of skeleton {skeleton.name}, not "
                f"{predictions.skeleton.name}; give joints={skeleton.name}, or the names of the joints in their order"
            )
    for what, (swap, signs) in _READINGS.items():
        order = predictions.skeleton.flip_indices if swap else tuple(range(len(predictions.skeleton)))
        if _error(looked, predictions, protocol, predictions.skeleton, order, signs) < FAR_BETTER * given:
            found.append(what)
    at_root = _error(looked, predictions, protocol, predictions.skeleton, signs=(0.0, 0.0, 0.0))
    if not found and given > NO_BETTER * at_root:
        found.append(
            "poses are hardly better than all joints at the root; check the order of joints, the axes and the views"
        )
    return found


def _scale(views: Sequence[View], predictions: Predictions, protocol: Protocol) -> list[str]:
    ratios = []
    for view in views:
        pair = compare(view, predictions.poses[view.name], predictions.skeleton, protocol, predictions.partial)
        size, true = (points.square().sum((1, 2)).sqrt()[pair.mask.any(-1)] for points in (pair.pred, pair.target))
        ratios.append(size[true > 0] / true[true > 0])
    everything = torch.cat(ratios)
    ratio = float(everything.median()) if len(everything) else 1.0
    if 300 < ratio < 3000:
        raise InputError(f"people are {ratio:.0f} times too large: the unit seems to be millimetres; give unit=mm")
    if 1 / 3000 < ratio < 1 / 300:
        raise InputError(f"people are {1 / ratio:.0f} times too small: the unit seems to be metres; give unit=m")
    if not 1 / SUSPICIOUS < ratio < SUSPICIOUS:
        return [f"suspicious scale: people are {ratio:.3g} times as large as in the data"]
    return []


def _error(
    views: Sequence[View],
    predictions: Predictions,
    protocol: Protocol,
    skeleton: Skeleton,
    order: Sequence[int] | None = None,
    signs: Sequence[float] = (1.0, 1.0, 1.0),
) -> float:
    """The median scale-free error over joints and frames under a reading, mm."""
    errors: list[Float[np.ndarray, " n"]] = []
    for view in views:
        pose = predictions.poses[view.name]
        read = (pose if order is None else pose[:, list(order)]) * np.array(signs, np.float32)
        pair = compare(view, read, skeleton, protocol, predictions.partial)
        found = scaled_joint_errors(pair.pred, pair.target, pair.mask)
        errors.append(found.values[found.counts].numpy())
    everything = np.concatenate(errors)
    return float(np.median(everything)) if len(everything) else np.inf
