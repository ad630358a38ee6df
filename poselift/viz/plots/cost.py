"""Accuracy against cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from poselift.viz.plots.style import MARKERS, WIDTH, color, styled

_GREY = "#555555"
_OFFSETS = (
    (5, 0),
    (-5, 0),
    (0, 4),
    (0, -4),
    (4, 5),
    (-4, 5),
    (4, -5),
    (-4, -5),
    (4, 11),
    (-4, 11),
    (4, -11),
    (-4, -11),
)
"""Points, from a method to its name, the best first."""


@dataclass(frozen=True)
class Method:
    """A point.

    Attributes:
        label: in the legend, or beside it where the method is cited.
        cost: above 0.
        value: of the metric.
        deviation: of `value` over seeds; None for none.
        cited: whether others have published it; drawn hollow.
    """

    label: str
    cost: float
    value: float
    deviation: float | None = None
    cited: bool = False


@styled
def cost_plot(methods: Sequence[Method], x_label: str, y_label: str) -> Figure:
    """Methods by what they cost, on a logarithmic axis, and how good they are.

    Args:
        methods: at most `MOST_SERIES` that are not cited, to be told apart.
        x_label: of the cost, with the unit.
        y_label: of the metric, with the unit.
    """
    own = [method for method in methods if not method.cited]
    figure = Figure(figsize=(WIDTH * 0.85, WIDTH * 0.5 + 0.17 * len(own)))
    axes = figure.subplots()
    axes.set_xscale("log")
    for place, method in enumerate(own):
        axes.errorbar(
            method.cost,
            method.value,
            yerr=method.deviation,
            fmt=MARKERS[place % len(MARKERS)],
            color=color(place),
            capsize=2,
            label=method.label,
            zorder=3,
        )
    cited = [method for method in methods if method.cited]
    for method in cited:
        axes.scatter(method.cost, method.value, s=22, facecolor="white", edgecolor=_GREY, zorder=2)
    low, high = min(method.cost for method in methods), max(method.cost for method in methods)
    axes.set_xlim(low / 3, high * 3)
    axes.margins(y=0.12)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set(xlabel=x_label, ylabel=y_label)
    if cited:
        axes.scatter([], [], s=22, facecolor="white", edgecolor=_GREY, label="cited, not measured here")
    figure.legend(loc="outside upper left")
    _name(figure, axes, cited)
    return figure


def _name(figure: Figure, axes: Axes, methods: Sequence[Method]) -> None:
    """Writes each method's name beside its point, where no point and no other name is, if there is such a place."""
    figure.draw_without_rendering()
    places = axes.transData.transform([(method.cost, method.value) for method in methods]) if methods else []
    taken = [Bbox.from_extents(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for method in methods:
        for x, y in _OFFSETS:
            name = axes.annotate(
                method.label,
                (method.cost, method.value),
                (x, y),
                textcoords="offset points",
                ha="center" if x == 0 else "left" if x > 0 else "right",
                va="center" if y == 0 else "bottom" if y > 0 else "top",
                fontsize=6,
                color=_GREY,
            )
            box = name.get_window_extent()
            if not box.count_overlaps(taken) or (x, y) == _OFFSETS[-1]:
                taken.append(box)
                break
            name.remove()
