"""From predictions to the numbers of `metrics.json`.

Each view is scored by itself, as sums and counts in float64, and these are added in the order of the views. So the
numbers are the same to the last digit whether the predictions come from a model or from a file, and whichever
process scored which view.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.metrics.functional import Terms, joint_errors, scaled_joint_errors
from poselift.reports.comparison import compare
from poselift.reports.measures import CURVES, LIMB_MEASURES, MEASURES, Measure
from poselift.reports.protocols import Protocol
from poselift.skeleton import Skeleton

MOST_POINTS = 600
"""Points of the error over time, at most."""

Sums = tuple[np.ndarray, np.ndarray]
"""Sums of values that count, and how many there are, float64; an entry a joint, bone, angle or limb."""


@dataclass(frozen=True)
class ViewScore:
    """What one view adds to the table.

    Attributes:
        name: of the view.
        group: the row of the table that it belongs to.
        frames: how many of the view's count.
        sums: by the key of each measure and curve.
        times: seconds.
        errors: mean joint error of each frame, mm; NaN where the frame does not count.
    """

    name: str
    group: str
    frames: int
    sums: Mapping[str, Sums]
    times: Float[np.ndarray, " t"]
    errors: Float[np.ndarray, " t"]


def score_view(
    view: View,
    predicted: Float[np.ndarray, "t j 3"],
    skeleton: Skeleton,
    protocol: Protocol,
    *,
    lengths: bool = True,
    partial: bool = False,
) -> ViewScore:
    """Scores the prediction of one view.

    Args:
        view: the truth.
        predicted: metres, camera frame, relative to any point.
        skeleton: the joint set of `predicted`.
        protocol: what counts.
        lengths: whether `predicted` is in metres, or else in some unit that nobody knows; only the measures that
            do not depend on it are taken then.
        partial: whether `predicted` leaves frames out on purpose, all of their joints NaN.

    Raises:
        InputError: the prediction does not fit the view, or the view the protocol.
    """
    pair = compare(view, predicted, skeleton, protocol, partial)
    measures = {
        key: measure for key, measure in (MEASURES | LIMB_MEASURES).items() if lengths or not measure.needs_lengths
    }
    sums = {key: _sums(measure.terms(pair), 1) for key, measure in measures.items()}
    if lengths:
        sums |= {key: _sums(curve.terms(pair), 2) for key, curve in CURVES.items()}
    errors = (joint_errors if lengths else scaled_joint_errors)(pair.pred, pair.target, pair.mask)
    return ViewScore(
        view.name,
        protocol.group(view.subject, view.action),
        int(pair.mask.any(-1).sum()),
        sums,
        view.times.double().numpy(),
        errors.mean(-1).numpy(),
    )


def _sums(terms: Terms, keep: int) -> Sums:
    """Over all axes but the last `keep`. By numpy, whose sums do not depend on the number of threads."""
    axes = tuple(range(terms.values.ndim - keep))
    values = terms.values.where(terms.counts, 0.0).numpy()
    return np.asarray(values.sum(axes)), np.asarray(terms.counts.numpy().sum(axes, dtype=np.float64))


def summarise(scores: Sequence[ViewScore], protocol: Protocol) -> dict[str, Any]:
    """The part of `metrics.json` that follows from the views: metrics, limbs, curves and error over time.

    Args:
        scores: of all views, in their order.
        protocol: what they were scored under.

    Raises:
        InputError: no frame of any view counts, or the headline needs lengths that the predictions do not have.
    """
    if sum(score.frames for score in scores) == 0:
        raise InputError(f"no frame counts under protocol {protocol.name}; the data has no joint that it measures")
    measured = set(scores[0].sums)
    if protocol.headline not in measured:
        free = ", ".join(key for key, measure in MEASURES.items() if not measure.needs_lengths)
        raise InputError(
            f"protocol {protocol.name} compares by {protocol.headline}, which predictions without a unit of length do "
            f"not have; take a protocol whose headline is one of {free}"
        )
    rows = {score.group for score in scores}
    groups = [group for group in protocol.groups or sorted(rows) if group in rows]
    return {
        "group_by": protocol.group_by,
        "headline": protocol.headline,
        "metrics": {
            key: _metric(key, measure, scores, groups, protocol) for key, measure in MEASURES.items() if key in measured
        },
        "limbs": {
            key: _limbs(key, measure, scores, protocol) for key, measure in LIMB_MEASURES.items() if key in measured
        },
        "curves": {key: _curve(key, scores, protocol) for key in CURVES if key in measured},
        "over_time": _over_time(scores),
        "skeleton": protocol.skeleton.name,
        "views": len(scores),
        "frames": sum(score.frames for score in scores),
    }


def _add(key: str, scores: Sequence[ViewScore]) -> Sums:
    """The sums of several views, added one after the other."""
    total, count = (np.zeros_like(part) for part in scores[0].sums[key])
    for score in scores:
        total, count = total + score.sums[key][0], count + score.sums[key][1]
    return total, count


def _ratio(total: float, count: float) -> float | None:
    return float(total) / float(count) if count else None


def _metric(
    key: str, measure: Measure, scores: Sequence[ViewScore], groups: Sequence[str], protocol: Protocol
) -> dict[str, Any]:
    total, count = _add(key, scores)
    frames = _ratio(total.sum(), count.sum())
    by_group = {}
    for group in groups:
        own_total, own_count = _add(key, [score for score in scores if score.group == group])
        by_group[group] = _ratio(own_total.sum(), own_count.sum())
    known = [value for value in by_group.values() if value is not None]
    mean = frames if protocol.average == "frames" else _ratio(math.fsum(known), float(len(known)))
    entries = {
        name: _ratio(*pair) for name, *pair in zip(measure.entries(protocol.skeleton), total, count, strict=True)
    }
    return {
        "title": measure.title,
        "unit": measure.unit,
        "better": measure.better,
        "mean": mean,
        "frames": frames,
        "count": int(count.sum()),
        "groups": by_group,
        "joints": {name: value for name, value in entries.items() if value is not None},
    }


def _limbs(key: str, measure: Measure, scores: Sequence[ViewScore], protocol: Protocol) -> dict[str, Any]:
    total, count = _add(key, scores)
    return {
        "title": measure.title,
        "unit": measure.unit,
        "better": measure.better,
        "values": {
            name: _ratio(*pair) for name, *pair in zip(measure.entries(protocol.skeleton), total, count, strict=True)
        },
        "mean": _ratio(total.sum(), count.sum()),
    }


def _curve(key: str, scores: Sequence[ViewScore], protocol: Protocol) -> dict[str, Any]:
    curve = CURVES[key]
    total, count = _add(key, scores)
    joints = {
        joint: [_ratio(*pair) for pair in zip(total[:, index], count[:, index], strict=True)]
        for index, joint in enumerate(protocol.skeleton.joints)
        if count[:, index].any()
    }
    return {
        "title": curve.title,
        "x_title": curve.x_title,
        "x_unit": curve.x_unit,
        "thresholds": list(curve.thresholds),
        "mean": [_ratio(*pair) for pair in zip(total.sum(1), count.sum(1), strict=True)],
        "joints": joints,
    }


def _over_time(scores: Sequence[ViewScore]) -> dict[str, Any]:
    """The error of each frame of the view nearest to the median error, thinned to `MOST_POINTS`."""
    counted = [score for score in scores if score.frames]
    means = np.array([np.nanmean(score.errors) for score in counted])
    typical = counted[int(np.abs(means - np.median(means)).argmin())]
    step = math.ceil(len(typical.errors) / MOST_POINTS)
    return {
        "clip": typical.name,
        "seconds": (typical.times - typical.times[0])[::step].tolist(),
        "error": [None if math.isnan(error) else error for error in typical.errors[::step].tolist()],
    }
