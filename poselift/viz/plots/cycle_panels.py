"""Angles over the gait cycle, left and right."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from poselift.kinematics import PERCENT, Cycles
from poselift.viz.plots.style import COLUMN, GREY, LOOKS, PAGE, add_legend, style_plot

_LOOKS = {"left": LOOKS[0], "right": LOOKS[1]}
"""Colours of the sides, as `angle_plot` has them."""

_COLUMNS = 4


@style_plot
def cycle_plot(cycles: Sequence[Cycles], stance: Mapping[str, float]) -> Figure:
    """One panel per angle: the mean of the strides of each foot, and one standard deviation around it.

    Args:
        cycles: of one person, at least one with a known value.
        stance: percent of the cycle at which each side's toe leaves, drawn as a thin line; NaN for none.
    """
    kinds = list(dict.fromkeys(each.angle for each in cycles if np.isfinite(each.mean).any()))
    rows = -(-len(kinds) // _COLUMNS)
    figure = Figure(figsize=(PAGE, 0.38 * COLUMN * rows))
    panels = figure.subplots(rows, _COLUMNS, squeeze=False, sharex=True)
    drawn = {}
    for axes, kind in zip(panels.flat, kinds, strict=False):
        for each in cycles:
            if each.angle != kind or not np.isfinite(each.mean).any():
                continue
            color, mean, spread = _LOOKS[each.side].color, each.mean, np.nan_to_num(each.spread)
            (drawn[each.side],) = axes.plot(PERCENT, mean, color=color, linewidth=1)
            axes.fill_between(PERCENT, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
            axes.axvline(stance.get(each.side, np.nan), color=color, linewidth=0.5, linestyle=":")
        axes.axhline(0, color=GREY, linewidth=0.4, zorder=0)
        axes.set_title(kind.replace("_", " "), loc="left")
        axes.margins(x=0)
    for axes in panels.flat[len(kinds) :]:
        axes.set_visible(False)
    for column in range(min(_COLUMNS, len(kinds))):
        panels.flat[max(range(column, len(kinds), _COLUMNS))].tick_params(labelbottom=True)
    for axes in panels[:, 0]:
        axes.set_ylabel("degrees")
    figure.align_ylabels(panels[:, 0])
    figure.supxlabel("gait cycle (%)", fontsize="medium")
    add_legend(figure, [*drawn.values()], [*drawn])
    return figure
