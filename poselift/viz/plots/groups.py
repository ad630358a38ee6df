"""A metric by action, subject or sequence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from poselift.viz.plots.style import COLUMN, INK, LINE_STYLES, add_legend, style_plot

_BAR, _GAP = 0.065, 0.09
"""Inches: a bar, and between the groups."""
_LEAST_ROW, _MOST_HEIGHT = 0.13, 8.0
"""Inches: a line of text, and a page. Bars get thinner where a page is not enough."""


@dataclass(frozen=True)
class Bars:
    """One method.

    Attributes:
        label: in the legend.
        place: of its look in `LINE_STYLES`.
        values: an entry a group; None where nothing was measured.
        deviations: of `values` over seeds; None where there is none.
    """

    label: str
    place: int
    values: Sequence[float | None]
    deviations: Sequence[float | None]


@style_plot
def group_plot(groups: Sequence[str], methods: Sequence[Bars], x_label: str) -> Figure:
    """Bars of each method for each group.

    Args:
        groups: from top to bottom.
        methods: at most `MOST_SERIES`, from top to bottom within a group.
        x_label: of the metric, with the unit.
    """
    row = max(_LEAST_ROW, min(_BAR * len(methods) + _GAP, _MOST_HEIGHT / len(groups)))
    bar = 0.8 / len(methods)  # of a row
    figure = Figure(figsize=(COLUMN, 0.45 + row * len(groups)))
    axes = figure.subplots()
    for number, method in enumerate(methods):
        y = np.arange(len(groups)) + (number - (len(methods) - 1) / 2) * bar
        values, deviations = np.array(method.values, float), np.array(method.deviations, float)
        known = np.isfinite(values)
        axes.barh(y[known], values[known], bar, color=LINE_STYLES[method.place].color)
        spread = known & np.isfinite(deviations)
        axes.errorbar(
            values[spread], y[spread], xerr=deviations[spread], fmt="none", ecolor=INK, elinewidth=0.6, capthick=0.6
        )
    axes.set_yticks(range(len(groups)), groups)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel(x_label)
    axes.grid(axis="y", visible=False)
    handles = [Patch(color=LINE_STYLES[method.place].color) for method in methods]
    add_legend(figure, handles, [method.label for method in methods])
    return figure
