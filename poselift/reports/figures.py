"""The plots of a section."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from poselift.core.errors import InputError
from poselift.reports.contents import matching_peers
from poselift.reports.cost import Cost, cost_key
from poselift.reports.entries import Entry, Section
from poselift.reports.published import PublishedRow
from poselift.reports.tables import Cell, with_unit
from poselift.reports.training_log import log_of, values_of
from poselift.skeleton import get_skeleton
from poselift.viz.plots.accuracy_cost import Method, cost_plot
from poselift.viz.plots.examples import Example, example_plot
from poselift.viz.plots.groups import Bars, group_plot
from poselift.viz.plots.over_time import Trace, time_plot
from poselift.viz.plots.share_found import ShareCurve, curve_plot
from poselift.viz.plots.skeleton_diagram import MethodPose, skeleton_plot
from poselift.viz.plots.style import MOST_SERIES
from poselift.viz.plots.training import Line, training_plot


@dataclass(frozen=True)
class Plot:
    """A figure.

    Attributes:
        name: of its files, without the ending.
        caption: what it shows.
        figure: of matplotlib.
    """

    name: str
    caption: str
    figure: Figure


def section_plots(
    section: Section, costs: Mapping[str, Cost] | None = None, peers: Sequence[PublishedRow] = ()
) -> list[Plot]:
    """All plots of a section.

    They show at most `MOST_SERIES` entries, the best by the headline.

    Args:
        section: comparable runs.
        costs: by `cost_key`; without them there are no plots of cost.
        peers: published rows. Those of the section's protocol join the plot of multiply-adds.

    Raises:
        InputError: the runs of one row do not fit together, no protocol measures the skeleton, or the log of a
            training is damaged.
    """
    entries = _choose_entries(section)
    left_out = len(section.entries) - len(entries)
    note = f" The best {len(entries)} of {len(section.entries)} rows." if left_out else ""
    plots = [
        *_curves(section, entries),
        *_joints(section, entries),
        *_time(section, entries),
        *_groups(section, entries),
        *_costs(section, entries, costs or {}, peers),
        *_training(section, entries),
        *_poses(section, entries),
    ]
    return [
        Plot(f"{section.name}_{plot.name}", f"{section.title}: {plot.caption}{note}", plot.figure) for plot in plots
    ]


def _mean(section: Section, entry: Entry) -> Cell:
    """The headline of an entry."""
    return entry.at("metrics", section.results["headline"], "mean")


def _choose_entries(section: Section) -> list[Entry]:
    """The best entries in the order of the tables.

    The index of an entry decides its look in all plots.
    """
    sign = 1 if section.headline["better"] == "lower" else -1

    def rank(entry: Entry) -> float:
        mean = _mean(section, entry).mean
        return float("inf") if mean is None else sign * mean

    best = sorted(section.entries, key=rank)[:MOST_SERIES]
    return [entry for entry in section.entries if entry in best]


def _curves(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    plots = []
    for key in dict.fromkeys(key for entry in entries for key in entry.runs[0].results["curves"]):
        having = [entry for entry in entries if all(key in run.results["curves"] for run in entry.runs)]
        if not having:  # a seed without a unit of length has none
            continue
        first = having[0].runs[0].results["curves"][key]
        lines = [_curve(section, entries.index(entry), entry, key) for entry in having]
        figure = curve_plot(lines, with_unit(first["x_title"], first["x_unit"]), f"{first['title']} (%)")
        band = " Bands: standard deviation over the seeds." if any(line.deviation for line in lines) else ""
        plots.append(Plot(key, f"{first['title']} over the threshold, all joints.{band}", figure))
    return plots


def _curve(section: Section, place: int, entry: Entry, key: str) -> ShareCurve:
    curves = [run.results["curves"][key] for run in entry.runs]
    thresholds = curves[0]["thresholds"]
    for run, curve in zip(entry.runs, curves, strict=True):
        if curve["thresholds"] != thresholds or len(curve["mean"]) != len(thresholds):
            raise InputError(
                f"{run.path}: the thresholds of curves.{key} are not those of {entry.runs[0].path}, or the values are "
                "not as many; run poselift evaluate again"
            )
    cells = [Cell.of(values) for values in zip(*(curve["mean"] for curve in curves), strict=True)]
    deviation = [cell.deviation for cell in cells] if len(curves) > 1 else None
    return ShareCurve(section.label(entry), place, thresholds, [cell.mean for cell in cells], deviation)


def _joints(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    """Each joint's error, by a metric in mm.

    The headline if that is in mm, or else the first one.
    """
    skeleton, metrics = get_skeleton(section.results["skeleton"]), section.results["metrics"]
    key = next((key for key in (section.results["headline"], *metrics) if metrics[key]["unit"] == "mm"), None)
    if key is None:
        return []
    bodies = []
    for entry in entries:
        means = {joint: entry.at("metrics", key, "joints", joint).mean for joint in skeleton.joints}
        bodies.append(
            MethodPose(section.label(entry), {name: mean for name, mean in means.items() if mean is not None})
        )
    if not any(body.values for body in bodies):
        return []
    white = any(len(body.values) < len(skeleton) for body in bodies)
    title = metrics[key]["title"]
    caption = f"{title} of each joint, over all frames. The person is seen from the front." + (
        " White: not measured." if white else ""
    )
    return [Plot("joints", caption, skeleton_plot(bodies, skeleton, f"{title} of the joint (mm)"))]


def _time(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    traces = []
    for place, entry in enumerate(entries):
        clip = entry.runs[0].results["over_time"]
        traces.append(Trace(section.label(entry), place, clip["clip"], clip["seconds"], clip["error"]))
    seeds = " (of its first seed)" if any(len(entry.runs) > 1 for entry in entries) else ""
    caption = f"Mean joint error over time, in each method's clip of median error{seeds}."
    return [Plot("over_time", caption, time_plot(traces, "error (mm)"))]


def _groups(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    headline, key = section.headline, section.results["headline"]
    groups = list(headline["groups"])
    bars = []
    for place, entry in enumerate(entries):
        cells = [*(entry.at("metrics", key, "groups", group) for group in groups), _mean(section, entry)]
        bars.append(
            Bars(section.label(entry), place, [cell.mean for cell in cells], [cell.deviation for cell in cells])
        )
    caption = f"{headline['title']} by {section.results['group_by']}.{_spread(entries)}"
    return [
        Plot("groups", caption, group_plot([*groups, "Mean"], bars, with_unit(headline["title"], headline["unit"])))
    ]


def _spread(entries: Sequence[Entry]) -> str:
    seeds = any(len(entry.runs) > 1 for entry in entries)
    return " Lines: standard deviation over the seeds." if seeds else ""


def _costs(
    section: Section, entries: Sequence[Entry], costs: Mapping[str, Cost], peers: Sequence[PublishedRow]
) -> list[Plot]:
    headline = section.headline
    own = []
    for place, entry in enumerate(entries):
        cell, cost = _mean(section, entry), costs.get(cost_key(entry))
        if cost is not None and cell.mean is not None:
            own.append(
                (cost, partial(Method, section.label(entry), value=cell.mean, deviation=cell.deviation, place=place))
            )
    if not own:
        return []
    kinds = {entry.exact_points for entry in entries}
    cited = [
        Method(
            peer.name + "*" * bool(peer.differs) + (", gt" if peer.exact_points else ""),
            peer.macs,
            peer.values[section.results["headline"]],
        )
        for peer, _ in matching_peers(section, peers)
        if peer.macs is not None and section.results["headline"] in peer.values and peer.exact_points in kinds
    ]
    axis = with_unit(headline["title"], headline["unit"])
    way = "lower" if headline["better"] == "lower" else "higher"
    reading = f"further left is cheaper, {way} is better.{_spread(entries)}"
    other = any("*" in peer.label for peer in cited)
    counted = reading + " *: evaluated otherwise, as the table's footnotes say." * other
    macs = [*(method(cost=cost.macs / 1e6) for cost, method in own), *cited]
    ms = [method(cost=cost.ms) for cost, method in own]
    return [
        Plot(
            "macs",
            f"Accuracy against multiply-adds: {counted}",
            cost_plot(macs, "MACs (million a frame)", axis),
        ),
        Plot("time", f"Accuracy against time: {reading}", cost_plot(ms, "time on one CPU thread (ms a frame)", axis)),
    ]


def _training(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    """The loss and validation error of lifters with a log.

    The training log is beside their weights.
    """
    losses: list[Line] = []
    errors: list[Line] = []
    for place, entry in enumerate(entries):
        for log in map(log_of, entry.runs):
            for lines, name in ((losses, "train/loss"), (errors, "val/mpjpe_subjects")):
                steps, values = values_of(log, name)
                lines += [Line(section.label(entry), place, steps, values)] if steps else []
    if not losses and not errors:
        return []
    caption = (
        "Training. Losses compare only where their terms and weights are the same. The mark is the lowest validation "
        "error, whose weights are the run's best. Validation is of the network alone, on the run's own views."
    )
    return [Plot("training", caption, training_plot(losses, errors, "training loss", "validation MPJPE (mm)"))]


def _poses(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    """A plot for each entry whose evaluation kept poses.

    It shows those of the first seed.
    """
    plots = []
    for place, entry in enumerate(entries, 1):
        if poses := entry.runs[0].results["poses"]:
            shown = [
                Example(
                    (
                        f"{pose['kind']}: {pose['error']:.1f} mm",
                        pose["view"],
                        f"frame {pose['frame']} ({pose['seconds']:.2f} s)",
                    ),
                    _joints_of(pose["truth"]),
                    _joints_of(pose["prediction"]),
                )
                for pose in poses
            ]
            seed = " (first seed)" if len(entry.runs) > 1 else ""
            caption = (
                f"Frames with the smallest, the median and the largest mean joint error of {section.label(entry)}{seed}"
                ", relative to the root. Grey: the truth behind the prediction. Frames count from 0."
            )
            figure = example_plot(shown, get_skeleton(section.results["skeleton"]))
            plots.append(Plot(f"poses_{place}", caption, figure))
    return plots


def _joints_of(rows: Sequence[Sequence[float] | None]) -> Float[np.ndarray, "j 3"]:
    return np.array([row or [np.nan] * 3 for row in rows])
