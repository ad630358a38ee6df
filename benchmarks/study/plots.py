"""Plots of the study: errors, growth of cost, and gradients and updates by warm-up and initialisation."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

from benchmarks.study.results import Result, spreads
from benchmarks.study.run import Study
from poselift.core.safe_parsing import read_json
from poselift.viz.plots.style import LINE_STYLES, PAGE, add_legend, save_plot, style_plot
from poselift.viz.plots.training import plain_logarithms, running_mean

_WARMUPS = (
    "linear",
    "exponential",
    "untuned_linear",
    "untuned_exponential",
    "noam",
    "radam",
    "cosine_no_warmup",
    "constant",
)
_INITS = (
    "pre_norm",
    "post_norm",
    "post_norm_no_warmup",
    "t_fixup",
    "decoder_post_norm",
    "decoder_post_norm_no_warmup",
    "decoder_t_fixup",
)

_DEEP = tuple(f"{name}_3e-2" for name in ("post_none", "post_linear", "post_untuned_linear", "post_radam", "pre_none"))

_FAR = 1.6
"""Times the median: larger errors are written at the edge, so that the others can be told apart."""

_SHOWN = (-8, 1)
"""Powers of ten in the histograms; smaller values are negligible, larger ones have diverged."""


def write_plots(study: Study, results: Mapping[str, Result]) -> None:
    """Draws all results as PNG and PDF in plots/.

    Args:
        study: of the rows.
        results: by the name of the row.
    """
    folder = study.out / "plots"
    ordered = dict(sorted(results.items(), key=lambda item: item[1].error()))
    errors = {name: {"MPJPE": result.error()} for name, result in ordered.items()}
    pooled = spreads(results)
    deviations = [pooled[result.row.kind] / math.sqrt(len(result.trainings)) for result in ordered.values()]
    save_plot(_dots(errors, "MPJPE on the study's views (mm)", deviations), folder / "errors")
    titles = {"macs": "multiply-adds", "ms": "time", "memory": "memory"}
    growth = {
        name: {titles[key]: value for key, value in result.cost["growth"].items()}
        for name, result in results.items()
        if result.cost
    }
    if growth:
        save_plot(_dots(growth, "exponent of the growth with T, from 27 to 729 frames"), folder / "growth")
    for name, members in (("warmups", _WARMUPS), ("initialisations", _INITS), ("deep", _DEEP)):
        steps = {
            member: read_json(path)
            for member in members
            if member in results and (path := _dynamics(study, results[member])).is_file()
        }
        if steps:
            save_plot(_curves(steps), folder / name)
            save_plot(_histograms(steps), folder / f"{name}_histograms")


def _dynamics(study: Study, result: Result) -> Path:
    """The file with loss, gradients and updates of a row with its first seed; only of rows that were trained here."""
    return study.folder(result.row) / f"seed_{min(result.trainings)}" / "dynamics.json"


@style_plot
def _dots(values: Mapping[str, Mapping[str, float]], label: str, deviations: Sequence[float] = ()) -> Figure:
    """A figure with one line per row and one point per value, with bars of a standard deviation."""
    figure = Figure(figsize=(PAGE, 0.6 + 0.12 * len(values)))
    axes = figure.subplots()
    titles = list(next(iter(values.values())))
    for title, look in zip(titles, LINE_STYLES, strict=False):
        places = [row[title] for row in values.values()]
        if deviations:
            axes.errorbar(places, range(len(values)), xerr=deviations, fmt="none", elinewidth=0.8, ecolor=look.color)
        axes.plot(
            places,
            range(len(values)),
            linestyle="",
            marker=look.marker,
            markersize=3.5,
            color=look.color,
            label=title,
        )
    if deviations:
        _write_far_ones(axes, [value for row in values.values() for value in row.values()])
    axes.set_yticks(range(len(values)), list(values), fontsize=6)
    axes.set(xlabel=label, ylim=(len(values) - 0.5, -0.5))
    if len(titles) > 1:
        add_legend(figure, *axes.get_legend_handles_labels())
    return figure


def _write_far_ones(axes: Axes, places: Sequence[float]) -> None:
    """Cuts the axis beside the points that are far from most, and writes their values there."""
    most = _FAR * median(places)
    if max(places) > most:
        axes.set_xlim(right=most)
    for line, place in enumerate(places):
        if place > most:
            at = (1, line)
            axes.annotate(
                f"{place:.0f} \N{RIGHTWARDS ARROW}", at, xycoords=("axes fraction", "data"), ha="right", va="center"
            )


@style_plot
def _curves(runs: Mapping[str, Mapping[str, Any]]) -> Figure:
    """A figure of learning rate, loss, gradient and update over the steps; all but the rate are running means."""
    figure = Figure(figsize=(PAGE, 0.33 * PAGE))
    panels = figure.subplots(1, 4)
    kinds = (
        ("rate", "learning rate"),
        ("loss", "loss"),
        ("gradient", "norm of the gradient"),
        ("relative", "update over weights"),
    )
    for axes, (key, title) in zip(panels, kinds, strict=True):
        for (name, run), look in zip(runs.items(), LINE_STYLES, strict=False):
            steps = run["steps"]
            values = [math.nan if step[key] is None else step[key] for step in steps]
            places = [step["step"] + 1 for step in steps]
            shown = values if key == "rate" else running_mean(values)
            axes.plot(places, shown, label=name, linewidth=1, color=look.color, linestyle=look.line)
        axes.set(xlabel="step", title=title)
        plain_logarithms(axes)
    add_legend(figure, *panels[0].get_legend_handles_labels())
    return figure


@style_plot
def _histograms(runs: Mapping[str, Mapping[str, Any]]) -> Figure:
    """A figure of the histograms of gradients and updates at each step, like those of the T-Fixup paper."""
    figure = Figure(figsize=(PAGE, 0.6 + 1.1 * len(runs)))
    panels = figure.subplots(len(runs), 2, squeeze=False, sharex=True, sharey=True)
    for line, (name, run) in zip(panels, runs.items(), strict=True):
        bins, steps = run["bins"], run["steps"]
        for axes, (key, title) in zip(line, (("gradients", "|gradient|"), ("updates", "|update|")), strict=True):
            counts = np.array([step[key] for step in steps], dtype=np.float64).T
            image = axes.imshow(
                counts / counts.max(0).clip(min=1),  # each step has its own scale: updates are in few bins
                origin="lower",
                aspect="auto",
                cmap="cividis",
                extent=(steps[0]["step"] + 0.5, steps[-1]["step"] + 1.5, bins["lowest"], bins["highest"]),
            )
            axes.set_ylim(_SHOWN)
            axes.yaxis.set_major_locator(MultipleLocator(2))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"1e{value:.0f}"))
            axes.grid(visible=False)
            axes.set_title(f"{name}: {title}", loc="left")
    for axes in panels[-1]:
        axes.set_xlabel("step")
    bar = figure.colorbar(image, ax=panels, location="top", aspect=60, fraction=0.02)
    bar.set_label("entries of this size, relative to the most frequent size at the step")
    return figure
