"""From predictions to the numbers of `metrics.json`.

Each view is scored alone, and the metrics of the views are merged in the order of the views. So the numbers are the
same to the last digit whether a model or a file gave the predictions, and in whichever process a view was scored.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from poselift.core.errors import InputError
from poselift.data.views import View
from poselift.metrics import ElementMean, PerGroup, joint_errors, scaled_joint_errors
from poselift.reports.comparison import compare
from poselift.reports.environment import environment
from poselift.reports.measures import CURVES, LIMB_MEASURES, MEASURES, Measure
from poselift.reports.protocols import Protocol
from poselift.reports.runs import FORMAT, VERSION
from poselift.skeleton import Skeleton

MOST_POINTS = 600
"""The largest number of points of the error over time."""


@dataclass(frozen=True)
class ViewScore:
    """What one view adds to the table.

    Attributes:
        name: of the view.
        group: the row of the table that it belongs to.
        frames: the number of frames that count.
        metrics: of this view, by the key of each measure and curve.
        times: seconds.
        errors: mean joint error of each frame, mm; NaN where the frame does not count.
    """

    name: str
    group: str
    frames: int
    metrics: Mapping[str, ElementMean]
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
        skeleton: of `predicted`.
        protocol: decides what counts.
        lengths: whether `predicted` is in metres. If its unit is unknown, only the measures that do not depend on it
            are taken.
        partial: whether `predicted` leaves frames out on purpose: all their joints are NaN.

    Raises:
        InputError: the prediction does not fit the view, or the view does not fit the protocol.
    """
    pair = compare(view, predicted, skeleton, protocol, partial)
    counted = torch.tensor([joint in protocol.pck_joints for joint in protocol.skeleton.joints])
    for_pck = replace(pair, mask=pair.mask & counted)
    measures: dict[str, Measure] = {**MEASURES, **LIMB_MEASURES, **CURVES}
    errors = (joint_errors if lengths else scaled_joint_errors)(pair.pred, pair.target, pair.mask)
    return ViewScore(
        view.name,
        protocol.group(view.subject, view.action),
        int(pair.mask.any(-1).sum()),
        {
            key: measure.of(for_pck if measure.of_pck else pair)
            for key, measure in measures.items()
            if lengths or not measure.needs_lengths
        },
        view.times.double().numpy(),
        errors.mean(-1).numpy(),
    )


def evaluation_results(
    scores: Sequence[ViewScore],
    protocol: Protocol,
    method: Mapping[str, Any],
    settings: Mapping[str, Any],
    warnings: Sequence[str] = (),
    poses: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The content of `metrics.json`.

    Args:
        scores: of all views, in their order.
        protocol: under which they were scored.
        method: "name", "seed" and "model" of the predictions.
        settings: how the predictions were made and read.
        warnings: about the predictions.
        poses: examples, from `example_poses`.

    Raises:
        InputError: no frame of any view counts, or the headline needs lengths that the predictions do not have.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "protocol": protocol.name,
        "title": protocol.title,
        **method,
        **summarise(scores, protocol),
        "poses": list(poses),
        "settings": {**settings, "citation": protocol.citation, "note": protocol.note, "warnings": list(warnings)},
        "environment": environment(),
    }


def summarise(scores: Sequence[ViewScore], protocol: Protocol) -> dict[str, Any]:
    """What follows from the views, for `metrics.json`.

    These are metrics, limbs, curves and the error over time.

    Args:
        scores: of all views, in their order.
        protocol: under which they were scored.

    Raises:
        InputError: no frame of any view counts, or the headline needs lengths that the predictions do not have.
    """
    if sum(score.frames for score in scores) == 0:
        raise InputError(
            f"no frame counts under protocol {protocol.name}: the data has none of its joints; choose other data or "
            "another protocol"
        )
    if protocol.headline not in scores[0].metrics:
        free = ", ".join(key for key, measure in MEASURES.items() if not measure.needs_lengths)
        raise InputError(
            f"protocol {protocol.name} compares by {protocol.headline}, which predictions without a unit of length do "
            f"not have; choose a protocol whose headline is one of {free}"
        )
    merged: dict[str, PerGroup[ElementMean]] = {key: PerGroup() for key in scores[0].metrics}
    for score in scores:
        for key, metric in score.metrics.items():
            merged[key].add(score.group, metric)
    rows = {score.group for score in scores}
    groups = [group for group in protocol.groups or sorted(rows) if group in rows]
    return {
        "group_by": protocol.group_by,
        "headline": protocol.headline,
        "metrics": {
            key: _metric(measure, merged[key], groups, protocol) for key, measure in MEASURES.items() if key in merged
        },
        "limbs": {
            key: _limbs(measure, merged[key].all(), protocol) for key, measure in LIMB_MEASURES.items() if key in merged
        },
        "curves": {key: _curve(key, merged[key].all(), protocol) for key in CURVES if key in merged},
        "over_time": _over_time(scores),
        "sequences": {score.name: _sequence(score, score.metrics[protocol.headline]) for score in scores},
        "skeleton": protocol.skeleton.name,
        "views": len(scores),
        "frames": sum(score.frames for score in scores),
    }


def _sequence(score: ViewScore, metric: ElementMean) -> dict[str, Any]:
    """The headline metric of one view.

    For comparisons of two runs sequence by sequence.
    """
    return {"group": score.group, "mean": _number(metric.mean()), "count": int(metric.count.sum())}


def _number(value: float | Tensor) -> float | None:
    """For JSON: None where nothing counted."""
    return None if math.isnan(value) else float(value)


def _head(measure: Measure, metric: ElementMean) -> dict[str, Any]:
    better = "higher" if metric.higher_is_better else "lower"
    return {"title": measure.title, "unit": measure.unit, "better": better}


def _metric(
    measure: Measure, per_group: PerGroup[ElementMean], groups: Sequence[str], protocol: Protocol
) -> dict[str, Any]:
    everything, means = per_group.all(), per_group.means()
    frames = _number(everything.mean())
    elements = zip(measure.elements(protocol.skeleton), everything.means.tolist(), strict=True)
    return {
        **_head(measure, everything),
        "mean": frames if protocol.average == "frames" else _number(per_group.mean()),
        "frames": frames,
        "count": int(everything.count.sum()),
        "groups": {group: means.get(group) for group in groups},
        "joints": {name: value for name, value in elements if not math.isnan(value)},
    }


def _limbs(measure: Measure, metric: ElementMean, protocol: Protocol) -> dict[str, Any]:
    elements = zip(measure.elements(protocol.skeleton), metric.means.tolist(), strict=True)
    return {
        **_head(measure, metric),
        "values": {name: _number(value) for name, value in elements},
        "mean": _number(metric.mean()),
    }


def _curve(key: str, metric: ElementMean, protocol: Protocol) -> dict[str, Any]:
    curve = CURVES[key]
    joints = zip(protocol.skeleton.joints, metric.means.T, strict=True)
    return {
        "title": curve.title,
        "x_title": curve.x_title,
        "x_unit": curve.x_unit,
        "thresholds": list(curve.thresholds),
        "mean": [_number(value) for value in metric.mean(1)],
        "joints": {joint: values.tolist() for joint, values in joints if not values.isnan().any()},
    }


def _over_time(scores: Sequence[ViewScore]) -> dict[str, Any]:
    """The error of each frame in the median view.

    It has at most `MOST_POINTS` of the view's frames.
    """
    counted = [score for score in scores if score.frames]
    means = np.array([np.nanmean(score.errors) for score in counted])
    typical = counted[int(np.abs(means - np.median(means)).argmin())]
    step = math.ceil(len(typical.errors) / MOST_POINTS)
    return {
        "clip": typical.name,
        "seconds": (typical.times - typical.times[0])[::step].tolist(),
        "error": [None if math.isnan(error) else error for error in typical.errors[::step].tolist()],
    }
