"""Losses and validation errors over the steps of training."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from poselift.viz.plots.style import COLUMN, LINE_STYLES, PAGE, LineStyle, add_legend, print_plainly, style_plot

_AROUND = 3
"""The line of a loss is a running mean with this many logged values on each side."""


@dataclass(frozen=True)
class Line:
    """Values over the steps.

    Attributes:
        label: in the legend, where lines of one label have one entry.
        place: of its look in `LINE_STYLES`; after the last comes the first again.
        steps: one or more.
        values: one for each step.
    """

    label: str
    place: int
    steps: Sequence[int]
    values: Sequence[float]


@style_plot
def training_plot(losses: Sequence[Line], errors: Sequence[Line], loss_label: str, error_label: str) -> Figure:
    """Losses beside validation errors, each line's lowest one marked.

    Args:
        losses: drawn pale, with a running mean over them.
        errors: as they are.
        loss_label: of the axis, with the unit.
        error_label: of the axis, with the unit.

    Raises:
        ValueError: there is no line.
    """
    drawings = ((_draw_loss, losses, loss_label, plain_logarithms), (_draw_error, errors, error_label, _begin_at_0))
    panels = [drawing for drawing in drawings if drawing[1]]
    if not panels:
        raise ValueError("there is nothing to plot; give losses or errors")
    figure = Figure(figsize=(PAGE if len(panels) > 1 else COLUMN, 2.2))
    handles: dict[str, Artist] = {}
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (draw, lines, label, scale) in zip(all_axes, panels, strict=True):
        for line in lines:
            handles[line.label] = draw(axes, line, LINE_STYLES[line.place % len(LINE_STYLES)])
        scale(axes)
        axes.set(xlabel="step", ylabel=label)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    add_legend(figure, list(handles.values()), list(handles))
    return figure


def _draw_loss(axes: Axes, line: Line, look: LineStyle) -> Artist:
    """Draws a loss; what stands for it in the legend."""
    axes.plot(line.steps, line.values, color=look.color, alpha=0.25, linewidth=0.5)
    return axes.plot(line.steps, running_mean(line.values), color=look.color, linestyle=look.line)[0]


def _draw_error(axes: Axes, line: Line, look: LineStyle) -> Artist:
    """Draws an error, marks its best, and returns its legend."""
    (drawn,) = axes.plot(line.steps, line.values, color=look.color, linestyle=look.line)
    best = min(range(len(line.values)), key=line.values.__getitem__)
    axes.plot(line.steps[best], line.values[best], color=look.color, marker=look.marker)
    return drawn


def _begin_at_0(axes: Axes) -> None:
    axes.set_ylim(bottom=0)


def plain_logarithms(axes: Axes) -> None:
    """Makes the vertical axis logarithmic, with plain numbers.

    They stand between powers of ten too, because a loss spans few.
    """
    axes.set_yscale("log")
    print_plainly(axes.yaxis)


def running_mean(values: Sequence[float]) -> list[float]:
    """The mean of each value and three neighbours to each side. At the ends there are fewer."""
    around = [values[max(0, at - _AROUND) : at + _AROUND + 1] for at in range(len(values))]
    return [sum(part) / len(part) for part in around]
