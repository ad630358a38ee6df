"""The error of each frame of a clip."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from poselift.viz.plots.style import WIDTH, styled


@dataclass(frozen=True)
class Trace:
    """One method on one clip.

    Attributes:
        label: of the method.
        clip: which clip; methods on the same one share axes.
        seconds: of each frame.
        error: of each frame; None where it does not count.
    """

    label: str
    clip: str
    seconds: Sequence[float]
    error: Sequence[float | None]


@styled
def time_plot(traces: Sequence[Trace], y_label: str) -> Figure:
    """Errors over time, a panel a clip.

    Args:
        traces: at most `MOST_SERIES`, to be told apart.
        y_label: with the unit.
    """
    clips = list(dict.fromkeys(trace.clip for trace in traces))
    figure = Figure(figsize=(WIDTH, 0.4 + 1.6 * len(clips) + 0.09 * len(traces)))
    panels = figure.subplots(len(clips), 1, squeeze=False, sharey=True)[:, 0]
    for place, trace in enumerate(traces):
        axes = panels[clips.index(trace.clip)]
        errors = [math.nan if error is None else error for error in trace.error]
        axes.plot(trace.seconds, errors, label=trace.label, color=f"C{place}", linestyle="-", linewidth=1)
    for axes, clip in zip(panels, clips, strict=True):
        axes.set_title(f"clip {clip}", loc="left")
        axes.set(ylabel=y_label, ylim=(0, None), xlim=(0, None))
    panels[-1].set_xlabel("time (s)")
    figure.legend(loc="outside upper left", ncols=2)
    return figure
