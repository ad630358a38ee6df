"""Joint angles of both sides, one panel per angle. They run over time or over the gait cycle."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from poselift.kinematics import PERCENT, Angles, Cycles
from poselift.kinematics.normal_gait import normal_curve
from poselift.skeleton.skeleton import strip_side
from poselift.viz.plots.style import COLUMN, GREY, LINE_STYLES, PAGE, PALE, add_legend, style_plot

_LOOKS = {"left": LINE_STYLES[0], "right": LINE_STYLES[1], "middle": LINE_STYLES[6]}

_NORMAL = 2.0
"""Standard deviations of the normal band to either side: 19 of 20 healthy people are within at any moment."""

_LEAST = 5.0
"""Degrees that a panel shows at least, so that an angle that stays still looks like one."""


@style_plot
def angle_plot(angles: Angles) -> Figure:
    """One panel per angle, both sides in it, ranges above.

    Args:
        angles: of one person.
    """
    kinds = list(dict.fromkeys(strip_side(name) for name in angles.names))
    kinds = [kind for kind in kinds if any(np.isfinite(angles.of(name)).any() for name in _names(angles, kind))]
    figure, panels = draw_panels(len(kinds), 3, 0.35 * COLUMN, "time (s)")
    ranges = dict(zip(angles.names, angles.ranges(), strict=True))
    drawn: dict[str, Artist] = {}
    for axes, kind in zip(panels, kinds, strict=True):
        spans = []
        for name in _names(angles, kind):
            side = name.partition("_")[0] if name != kind else "middle"
            (drawn[side],) = axes.plot(angles.timestamps, angles.of(name), color=_LOOKS[side].color, linewidth=0.9)
            low, high = ranges[name]
            if np.isfinite(low):
                span = f"{low:z.0f} to {high:z.0f}°".replace("-", "\N{MINUS SIGN}")  # as at the ticks
                spans.append(f"{'' if side == 'middle' else side[0].upper() + ' '}{span}")
        show_least(axes)
        axes.set_title(f"{kind.replace('_', ' ')}\n{', '.join(spans)}", loc="left")
    add_legend(figure, [*drawn.values()], [*drawn])
    return figure


@style_plot
def cycle_plot(cycles: Sequence[Cycles], stance: Mapping[str, float], *, normal: bool = False) -> Figure:
    """One panel per angle: each foot's mean stride and its deviation.

    The deviation is one standard deviation around it.

    Args:
        cycles: of one person, at least one with a known value.
        stance: percent of the cycle at which each side's toe leaves, drawn as a thin line; NaN for none.
        normal: whether to draw two standard deviations around the mean of normal walks, where it is known.
    """
    known = [each for each in cycles if np.isfinite(each.mean).any()]
    kinds = list(dict.fromkeys(each.angle for each in known))
    figure, panels = draw_panels(len(kinds), 4, 0.38 * COLUMN, "gait cycle (%)")
    drawn: dict[str, Artist] = {}
    for axes, kind in zip(panels, kinds, strict=True):
        if normal and (usual := normal_curve(kind)) is not None:
            low, high = (usual[0] + sign * _NORMAL * usual[1] for sign in (-1, 1))
            drawn["normal"] = axes.fill_between(PERCENT, low, high, color=PALE, linewidth=0, zorder=0)
        for each in (each for each in known if each.angle == kind):
            color, mean, spread = _LOOKS[each.side].color, each.mean, np.nan_to_num(each.spread)
            (drawn[each.side],) = axes.plot(PERCENT, mean, color=color, linewidth=1)
            axes.fill_between(PERCENT, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
            axes.axvline(stance.get(each.side, np.nan), color=color, linewidth=0.5, linestyle=":")
        show_least(axes)
        axes.set_title(kind.replace("_", " "), loc="left")
    add_legend(figure, [*drawn.values()], [*drawn])
    return figure


def draw_panels(count: int, columns: int, height: float, x_label: str) -> tuple[Figure, list[Axes]]:
    """A figure with panels of degrees in rows, this high, inches."""
    rows = -(-count // columns)
    figure = Figure(figsize=(PAGE, height * rows))
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True)
    for number, axes in enumerate(panels.flat):
        axes.set_visible(number < count)
        axes.tick_params(labelbottom=number + columns >= count)
        axes.axhline(0, color=GREY, linewidth=0.4, zorder=0)
        axes.margins(x=0)
    for axes in panels[:, 0]:
        axes.set_ylabel("degrees")
    figure.align_ylabels(panels[:, 0])
    figure.supxlabel(x_label, fontsize="medium")
    return figure, list(panels.flat[:count])


def show_least(axes: Axes) -> None:
    """Makes a panel show `_LEAST` degrees around its curves."""
    low, high = axes.get_ylim()
    more = max(0.0, _LEAST - (high - low)) / 2
    axes.set_ylim(low - more, high + more)


def _names(angles: Angles, kind: str) -> list[str]:
    return [name for name in (f"left_{kind}", f"right_{kind}", kind) if name in angles.names]
