"""Accuracy against cost of one architecture in several sizes, beside others."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from poselift.viz.plots.accuracy_cost import Method, find_box, log_axis
from poselift.viz.plots.names import name_points
from poselift.viz.plots.style import LOOKS, PAGE, style_plot

_PIECES = 24
"""In which a line between two sizes is cut: names keep off each."""


@style_plot
def family_plot(family: Sequence[Method], others: Sequence[Method], x_label: str, y_label: str) -> Figure:
    """The sizes of a family joined by a line, and other methods as points, each with its name beside it.

    Args:
        family: sizes of one architecture, in any order; may be empty where there are others.
        others: methods to compare with.
        x_label: of the cost, with the unit.
        y_label: of the metric, with the unit.
    """
    sizes, methods = sorted(family, key=lambda method: method.cost), [*family, *others]
    figure = Figure(figsize=(PAGE, 0.45 * PAGE))
    axes = figure.subplots()
    log_axis(axes, [method.cost for method in methods])
    for members, look, line in ((sizes, LOOKS[0], LOOKS[0].line), (others, LOOKS[1], "none")):
        if members:
            costs, values = [method.cost for method in members], [method.value for method in members]
            axes.plot(costs, values, look.marker, color=look.color, linestyle=line, zorder=3)
        for method in members:
            if method.deviation is not None:
                at = method.cost, method.value
                axes.errorbar(*at, yerr=method.deviation, fmt="none", ecolor=look.color, elinewidth=0.8, zorder=3)
    axes.margins(y=0.12)
    axes.set(xlabel=x_label, ylabel=y_label)
    figure.draw_without_rendering()  # settles where the axes are
    taken = [*(find_box(axes, method) for method in methods), *_along(axes, sizes)]
    name_points(axes, [method.label for method in methods], [(method.cost, method.value) for method in methods], taken)
    return figure


def _along(axes: Axes, sizes: Sequence[Method]) -> Iterator[Bbox]:
    """What the line between the sizes takes, in pixels."""
    points = [axes.transData.transform((method.cost, method.value)) for method in sizes]
    for start, end in pairwise(points):
        # Not at its ends, where the points are: a name may be beside these.
        pieces = np.linspace(start, end, _PIECES + 1)[1:-1]
        yield from (Bbox([np.minimum(a, b), np.maximum(a, b)]).padded(1) for a, b in pairwise(pieces))
