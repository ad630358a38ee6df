"""Two groups' joint angles over the gait cycle. There is one panel per angle and side."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from poselift.kinematics import PERCENT, Cycles
from poselift.viz.plots.angle_panels import draw_panels, show_least
from poselift.viz.plots.style import COLUMN, LINE_STYLES, add_legend, style_plot


@style_plot
def compared_cycles_plot(groups: Mapping[str, Sequence[Cycles]]) -> Figure:
    """Each group's mean stride and one standard deviation around it.

    Args:
        groups: strides by the group's name.
    """
    curves: dict[tuple[str, str], dict[str, np.ndarray]] = {}
    for group, cycles in groups.items():
        for each in cycles:
            own = curves.setdefault((each.angle, each.side), {})
            own[group] = np.concatenate([own[group], each.degrees]) if group in own else each.degrees
    shared = {
        key: own
        for key, own in curves.items()
        if all(group in own and np.isfinite(own[group]).any() for group in groups)
    }
    figure, axes_of = draw_panels(len(shared), 4, 0.38 * COLUMN, "gait cycle (%)")
    drawn: dict[str, Artist] = {}
    for axes, ((angle, side), own) in zip(axes_of, shared.items(), strict=True):
        for number, (group, degrees) in enumerate(own.items()):
            joined = Cycles(angle, side, degrees)
            color, mean, spread = LINE_STYLES[number].color, joined.mean, np.nan_to_num(joined.spread)
            (drawn[group],) = axes.plot(PERCENT, mean, color=color, linewidth=1)
            axes.fill_between(PERCENT, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
        show_least(axes)
        axes.set_title(f"{side} {angle.replace('_', ' ')}", loc="left")
    add_legend(figure, [*drawn.values()], [*drawn])
    return figure
