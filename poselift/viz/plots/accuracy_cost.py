"""Accuracy against cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from poselift.viz.plots.names import name_points
from poselift.viz.plots.style import COLUMN, GREY, LINE_STYLES, PAGE, add_legend, print_plainly, style_plot

_AROUND = 3.5
"""Points around the middle of a marker that no name may cover."""


@dataclass(frozen=True)
class Method:
    """A point.

    Attributes:
        label: in the legend, or beside the point where the method is cited.
        cost: above 0.
        value: of the metric.
        deviation: of `value` over seeds; None for a single seed.
        place: of its look in `LINE_STYLES`; None where the values are cited, and drawn hollow.
    """

    label: str
    cost: float
    value: float
    deviation: float | None = None
    place: int | None = None


@style_plot
def cost_plot(methods: Sequence[Method], x_label: str, y_label: str) -> Figure:
    """Methods by cost, on a logarithmic axis, and quality.

    Args:
        methods: one or more.
        x_label: of the cost, with the unit.
        y_label: of the metric, with the unit.
    """
    cited = [method for method in methods if method.place is None]
    figure = Figure(figsize=(PAGE, 0.45 * PAGE) if cited else (COLUMN, 0.68 * COLUMN))
    axes = figure.subplots()
    log_axis(axes, [method.cost for method in methods])
    handles, labels = [], []
    for method in methods:
        if method.place is not None:
            look, at = LINE_STYLES[method.place], ([method.cost], [method.value])
            handles += axes.plot(*at, look.marker, color=look.color, zorder=3)
            labels.append(method.label)
            if method.deviation is not None:
                axes.errorbar(*at, yerr=method.deviation, fmt="none", ecolor=look.color, elinewidth=0.8, zorder=3)
    if cited:
        at = [method.cost for method in cited], [method.value for method in cited]
        handles += axes.plot(*at, "o", color=GREY, markerfacecolor="white", markersize=4, zorder=2)
        labels.append("cited, not measured here")
    axes.margins(y=0.12)
    axes.set(xlabel=x_label, ylabel=y_label)
    add_legend(figure, handles, labels)
    figure.draw_without_rendering()  # settles where the axes are
    name_points(
        axes,
        [method.label for method in cited],
        [(method.cost, method.value) for method in cited],
        [find_box(axes, method) for method in methods],
    )
    return figure


def log_axis(axes: Axes, costs: Sequence[float]) -> None:
    """Makes the axis of cost logarithmic, with room at both ends.

    A range may be a single point. Its numbers are plain, and as many as there is room for.
    """
    low, high = min(costs) / 2, max(costs) * 2
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    print_plainly(axes.xaxis, between=high < 300 * low)


def find_box(axes: Axes, method: Method) -> Bbox:
    """What a point and its deviation take, in pixels."""
    spread = method.deviation or 0.0
    ends = axes.transData.transform([(method.cost, method.value - spread), (method.cost, method.value + spread)])
    return Bbox([ends.min(0), ends.max(0)]).padded(_AROUND * axes.figure.dpi / 72)
