"""The plots of a section."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from poselift.reports.contents import matching_peers
from poselift.reports.cost import Cost, cost_key
from poselift.reports.entries import Entry, Section
from poselift.reports.published import Published
from poselift.reports.tables import Cell
from poselift.skeleton import get_skeleton
from poselift.viz.plots import (
    MOST_SERIES,
    Curve,
    Method,
    Trace,
    cost_plot,
    curve_plot,
    group_plot,
    skeleton_plot,
    time_plot,
)


@dataclass(frozen=True)
class Plot:
    """A figure.

    Attributes:
        name: of its files, without the ending.
        caption: what it shows.
        figure: as matplotlib has it.
    """

    name: str
    caption: str
    figure: Figure


def section_plots(
    section: Section, costs: Mapping[str, Cost] | None = None, peers: Sequence[Published] = ()
) -> list[Plot]:
    """Every plot of a section: of all its entries, or the best `MOST_SERIES` by the headline.

    Args:
        section: runs that may be compared.
        costs: by `cost_key`; no plots of cost where None.
        peers: published rows; those of the section's protocol stand in the plot of multiply-adds.
    """
    entries = _shown(section)
    left_out = len(section.entries) - len(entries)
    note = f" The best {len(entries)} of {len(section.entries)} rows." if left_out else ""
    headline = section.results["metrics"][section.results["headline"]]
    axis = _axis(headline["title"], headline["unit"])
    plots = [
        *_curves(section, entries),
        *_joints(section, entries),
        *_time(section, entries),
        Plot("groups", f"{headline['title']} by {section.results['group_by']}.", _groups(section, entries, axis)),
        *_costs(section, entries, costs, peers, axis),
    ]
    return [
        Plot(f"{section.name}_{plot.name}", f"{section.title}: {plot.caption}{note}", plot.figure) for plot in plots
    ]


def _axis(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _value(entry: Entry) -> Cell:
    """Of the headline."""
    return entry.cell(lambda results: results["metrics"][results["headline"]]["mean"])


def _shown(section: Section) -> list[Entry]:
    """The best entries, in the order of the tables."""
    sign = 1 if section.results["metrics"][section.results["headline"]]["better"] == "lower" else -1

    def rank(entry: Entry) -> float:
        mean = _value(entry).mean
        return float("inf") if mean is None else sign * mean

    best = sorted(section.entries, key=rank)[:MOST_SERIES]
    return [entry for entry in section.entries if entry in best]


def _curves(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    plots = []
    for key in dict.fromkeys(key for entry in entries for key in entry.runs[0].results["curves"]):
        having = [entry for entry in entries if all(key in run.results["curves"] for run in entry.runs)]
        first = having[0].runs[0].results["curves"][key]
        lines = [_curve(section, entry, key) for entry in having]
        figure = curve_plot(lines, _axis(first["x_title"], first["x_unit"]), f"{first['title']} (%)")
        plots.append(Plot(key, f"{first['title']} over the threshold, all joints.", figure))
    return plots


def _curve(section: Section, entry: Entry, key: str) -> Curve:
    curves = [run.results["curves"][key] for run in entry.runs]
    cells = [Cell.of(values) for values in zip(*(curve["mean"] for curve in curves), strict=True)]
    deviations = [cell.deviation for cell in cells if cell.deviation is not None]
    return Curve(
        section.label(entry),
        curves[0]["thresholds"],
        [float("nan") if cell.mean is None else cell.mean for cell in cells],
        deviations if len(deviations) == len(cells) else None,
    )


def _joints(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    """The error of each joint by the headline, where that is an error of joints, or else by the first that is."""
    skeleton, metrics = get_skeleton(section.results["skeleton"]), section.results["metrics"]
    key = next((key for key in (section.results["headline"], *metrics) if metrics[key]["unit"] == "mm"), None)
    if key is None:
        return []
    values: dict[str, dict[str, float]] = {}
    for entry in entries:
        cells = {joint: entry.cell(partial(_of_joint, key, joint)) for joint in skeleton.joints}
        values[section.label(entry)] = {name: cell.mean for name, cell in cells.items() if cell.mean is not None}
    title = metrics[key]["title"]
    caption = f"{title} of each joint, over all frames; the person is seen from the front."
    return [Plot("joints", caption, skeleton_plot(values, skeleton, f"{title} of the joint (mm)"))]


def _of_joint(key: str, joint: str, results: Mapping[str, Any]) -> float | None:
    joints: Mapping[str, float] = results["metrics"].get(key, {}).get("joints") or {}
    return joints.get(joint)


def _time(section: Section, entries: Sequence[Entry]) -> list[Plot]:
    traces = [
        Trace(section.label(entry), clip["clip"], clip["seconds"], clip["error"])
        for entry, clip in ((entry, entry.runs[0].results["over_time"]) for entry in entries)
    ]
    caption = "Error over time, of each method's clip of median error (of its first seed)."
    return [Plot("over_time", caption, time_plot(traces, "mean joint error (mm)"))]


def _groups(section: Section, entries: Sequence[Entry], axis: str) -> Figure:
    key = section.results["headline"]
    groups = list(section.results["metrics"][key]["groups"])
    series = {}
    for entry in entries:
        cells = [entry.cell(lambda results, group=group: results["metrics"][key]["groups"][group]) for group in groups]
        series[section.label(entry)] = [(cell.mean, cell.deviation) for cell in cells]
    return group_plot(groups, series, axis)


def _costs(
    section: Section,
    entries: Sequence[Entry],
    costs: Mapping[str, Cost] | None,
    peers: Sequence[Published],
    axis: str,
) -> list[Plot]:
    known = [(entry, cost) for entry in entries if (cost := (costs or {}).get(cost_key(entry)))]
    if not known:
        return []
    headline = section.results["headline"]
    cited = [
        Method(peer.name + (", gt" if peer.exact_points else ""), peer.macs, peer.values[headline], cited=True)
        for peer, like in matching_peers(section, peers)
        if peer.macs is not None and headline in peer.values and like in entries
    ]
    plots = []
    for name, title, unit in (
        ("macs", "multiply-adds", "million a frame"),
        ("time", "time on one CPU thread", "ms a frame"),
    ):
        methods = [
            Method(section.label(entry), cost.macs / 1e6 if name == "macs" else cost.ms, cell.mean, cell.deviation)
            for entry, cost in known
            if (cell := _value(entry)).mean is not None
        ]
        figure = cost_plot([*methods, *(cited if name == "macs" else [])], _axis(title, unit), axis)
        plots.append(Plot(name, f"Accuracy against {title}.", figure))
    return plots
