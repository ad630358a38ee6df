"""The share of joints that are found, over the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from poselift.viz.plots.style import COLUMN, LINE_STYLES, add_legend, style_plot


@dataclass(frozen=True)
class ShareCurve:
    """One line.

    Attributes:
        label: in the legend.
        place: of its look in `LINE_STYLES`.
        x: thresholds.
        y: percent, an entry a threshold; None where nothing was measured.
        deviation: of `y` over seeds, drawn as a band; None for a single seed.
    """

    label: str
    place: int
    x: Sequence[float]
    y: Sequence[float | None]
    deviation: Sequence[float | None] | None = None


@style_plot
def curve_plot(curves: Sequence[ShareCurve], x_label: str, y_label: str) -> Figure:
    """Curves of several methods in one pair of axes.

    Args:
        curves: of at most `MOST_SERIES` methods.
        x_label: with the unit.
        y_label: with the unit.
    """
    figure = Figure(figsize=(COLUMN, 0.68 * COLUMN))
    axes = figure.subplots()
    lines = []
    for curve in curves:
        look, y = LINE_STYLES[curve.place], np.array(curve.y, float)  # None becomes NaN, which is not drawn
        lines += axes.plot(curve.x, y, color=look.color, linestyle=look.line)
        if curve.deviation is not None:
            deviation = np.array(curve.deviation, float)
            low, high = np.clip(y - deviation, 0, 100), np.clip(y + deviation, 0, 100)
            axes.fill_between(curve.x, low, high, color=look.color, alpha=0.2, linewidth=0)
    axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, 101))
    axes.margins(x=0)
    add_legend(figure, lines, [curve.label for curve in curves])
    return figure
