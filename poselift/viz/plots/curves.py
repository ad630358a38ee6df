"""The share of joints that are found, over the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from poselift.viz.plots.style import WIDTH, styled


@dataclass(frozen=True)
class Curve:
    """One line.

    Attributes:
        label: in the legend.
        x: thresholds.
        y: percent; of one length with `x`.
        deviation: of `y`, drawn as a band; None for none.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    deviation: Sequence[float] | None = None


@styled
def curve_plot(curves: Sequence[Curve], x_label: str, y_label: str) -> Figure:
    """Curves of several methods in one pair of axes.

    Args:
        curves: at most `MOST_SERIES`, to be told apart.
        x_label: with the unit.
        y_label: with the unit.
    """
    figure = Figure(figsize=(WIDTH * 0.75, WIDTH * 0.5))
    axes = figure.subplots()
    for curve in curves:
        (line,) = axes.plot(curve.x, curve.y, label=curve.label)
        if curve.deviation is not None:
            low, high = zip(*((y - d, y + d) for y, d in zip(curve.y, curve.deviation, strict=True)), strict=True)
            axes.fill_between(curve.x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(
        xlabel=x_label, ylabel=y_label, ylim=(0, 101), xlim=(min(c.x[0] for c in curves), max(c.x[-1] for c in curves))
    )
    axes.legend(loc="lower right")
    return figure
