"""Joint angles of both sides over time."""

import numpy as np
from matplotlib.figure import Figure

from poselift.kinematics import Angles
from poselift.viz.plots.style import COLUMN, GREY, LOOKS, PAGE, add_legend, style_plot


@style_plot
def angle_plot(angles: Angles) -> Figure:
    """One panel per angle with left and right in it, and the range of motion above it.

    Args:
        angles: of one person.
    """
    kinds = list(dict.fromkeys(name.removeprefix("left_").removeprefix("right_") for name in angles.names))
    kinds = [kind for kind in kinds if any(np.isfinite(angles.of(name)).any() for name in _names(angles, kind))]
    rows = -(-len(kinds) // 3)
    figure = Figure(figsize=(PAGE, 0.35 * COLUMN * rows))
    panels = figure.subplots(rows, 3, squeeze=False, sharex=True)
    ranges = dict(zip(angles.names, angles.ranges(), strict=True))
    drawn = {}
    for axes, kind in zip(panels.flat, kinds, strict=False):
        spans = []
        for name in _names(angles, kind):
            side = name.partition("_")[0] if name != kind else "middle"
            look = {"left": LOOKS[0], "right": LOOKS[1], "middle": LOOKS[6]}[side]
            (drawn[side],) = axes.plot(angles.timestamps, angles.of(name), color=look.color, linewidth=0.9)
            low, high = ranges[name]
            if np.isfinite(low):
                span = f"{low:z.0f} to {high:z.0f}°".replace("-", "\N{MINUS SIGN}")  # as at the ticks
                spans.append(f"{'' if side == 'middle' else side[0].upper() + ' '}{span}")
        axes.axhline(0, color=GREY, linewidth=0.4, zorder=0)
        axes.set_title(f"{kind.replace('_', ' ')}\n{', '.join(spans)}", loc="left")
        axes.margins(x=0)
    for axes in panels.flat[len(kinds) :]:
        axes.set_visible(False)
    for column in range(3):
        last = panels.flat[max((i for i in range(column, len(kinds), 3)), default=0)]
        last.tick_params(labelbottom=True)
    for axes in panels[:, 0]:
        axes.set_ylabel("degrees")
    figure.align_ylabels(panels[:, 0])
    figure.supxlabel("time (s)", fontsize="medium")
    add_legend(figure, [*drawn.values()], [*drawn])
    return figure


def _names(angles: Angles, kind: str) -> list[str]:
    return [name for name in (f"left_{kind}", f"right_{kind}", kind) if name in angles.names]
