"""The error of each frame of a clip."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from poselift.viz.plots.style import COLUMN, LINE_STYLES, add_legend, style_plot


@dataclass(frozen=True)
class Trace:
    """One method on one clip.

    Attributes:
        label: of the method.
        place: of its look in `LINE_STYLES`.
        clip: which clip; methods on the same one share axes.
        seconds: of each frame.
        error: of each frame; None where it does not count.
    """

    label: str
    place: int
    clip: str
    seconds: Sequence[float]
    error: Sequence[float | None]


@style_plot
def time_plot(traces: Sequence[Trace], y_label: str) -> Figure:
    """Errors over time, a panel a clip.

    Args:
        traces: of at most `MOST_SERIES` methods.
        y_label: with the unit.
    """
    clips = list(dict.fromkeys(trace.clip for trace in traces))
    figure = Figure(figsize=(COLUMN, 0.3 + 1.2 * len(clips)))
    panels = figure.subplots(len(clips), 1, squeeze=False, sharey=True)[:, 0]
    lines = []
    for trace in traces:
        axes = panels[clips.index(trace.clip)]
        # Solid, as dashes cannot be told from gaps here; None becomes NaN, which is not drawn.
        lines += axes.plot(
            trace.seconds,
            np.array(trace.error, float),
            color=LINE_STYLES[trace.place].color,
            linestyle="-",
            linewidth=0.8,
        )
    for axes, clip in zip(panels, clips, strict=True):
        axes.set_title(textwrap.fill(f"clip {clip}", 60), loc="left")
        axes.set_ylabel(y_label)
        axes.margins(x=0)
    panels[0].set_ylim(bottom=0)
    panels[-1].set_xlabel("time (s)")
    add_legend(figure, lines, [trace.label for trace in traces])
    return figure
