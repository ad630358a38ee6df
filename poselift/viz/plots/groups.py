"""A metric by action, subject or sequence."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from poselift.viz.plots.style import MARKERS, WIDTH, color, styled

Point = tuple[float | None, float | None]
"""Mean and deviation over seeds; None where there is none."""


@styled
def group_plot(groups: Sequence[str], series: Mapping[str, Sequence[Point]], x_label: str) -> Figure:
    """Points in a line for each group, so that methods can be compared group by group.

    Args:
        groups: from top to bottom.
        series: for each method a point a group; at most `MOST_SERIES`, to be told apart.
        x_label: of the metric, with the unit.
    """
    # A little apart within the line, so that equal values do not hide each other.
    shifts = np.linspace(-0.28, 0.28, len(series)) if len(series) > 1 else np.zeros(1)
    row, legend = max(0.22, 0.07 * len(series)), 0.17 * len(series)
    figure = Figure(figsize=(WIDTH * 0.85, 0.75 + row * len(groups) + legend))
    axes = figure.subplots()
    for place, (label, points) in enumerate(series.items()):
        known = [(y, mean, deviation) for y, (mean, deviation) in enumerate(points) if mean is not None]
        axes.errorbar(
            [mean for _, mean, _ in known],
            [y + shifts[place] for y, _, _ in known],
            xerr=[deviation or 0.0 for _, _, deviation in known],
            fmt=MARKERS[place % len(MARKERS)],
            color=color(place),
            capsize=2,
            label=label,
        )
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlabel(x_label)
    axes.grid(axis="y", visible=False)
    for y in range(1, len(groups)):
        axes.axhline(y - 0.5, color="#DDDDDD", linewidth=0.6)
    figure.legend(loc="outside upper left")
    return figure
