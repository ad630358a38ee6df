"""The error of each joint, where it is on the body."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from poselift.core.errors import InputError
from poselift.skeleton import Skeleton
from poselift.skeleton.skeleton import strip_side
from poselift.viz.plots.body import outline, place
from poselift.viz.plots.style import COLUMN, INK, PAGE, style_plot

_PANELS_IN_A_ROW = 4
_PANEL_HEIGHT, _TITLE_LINE = 2.1, 0.12
"""Inches: a body, and a line above it."""
_MOST_CHARACTERS = 24
"""In a line above a body."""
_COLORS = matplotlib.colormaps["viridis_r"].with_extremes(bad="white")
_BESIDE = {
    "pelvis": (5, 1, "bottom"),
    "spine1": (-5, 0, "center_baseline"),
    "spine3": (-5, 0, "center_baseline"),
    "thorax": (5, -2, "top"),
    "collar": (0, 4, "bottom"),
}
"""Numbers that would lie on a bone or another number straight outward from their joint: points outward and up from
it, and the text's anchor."""


@dataclass(frozen=True)
class MethodPose:
    """One method.

    Attributes:
        label: above it.
        values: by joint; a joint that none is of stays white.
    """

    label: str
    values: Mapping[str, float]


@style_plot
def skeleton_plot(bodies: Sequence[MethodPose], skeleton: Skeleton, label: str) -> Figure:
    """A body for each method, its joints coloured by error.

    The number stands beside each.

    Args:
        bodies: side by side, with one scale of colours.
        skeleton: whose bones and joints are drawn.
        label: of the values, with the unit.

    Raises:
        InputError: the body has no place for a joint of the skeleton.
    """
    places = {joint: at for joint in skeleton.joints if (at := place(joint)) is not None}
    if strange := [joint for joint in skeleton.joints if joint not in places]:
        raise InputError(f"the drawn body has no place for {', '.join(strange)} of {skeleton.name}")
    columns = min(len(bodies), _PANELS_IN_A_ROW)
    rows = math.ceil(len(bodies) / columns)
    titles = [textwrap.fill(body.label, _MOST_CHARACTERS) for body in bodies]
    row = _PANEL_HEIGHT + _TITLE_LINE * max(title.count("\n") + 1 for title in titles)
    figure = Figure(figsize=(COLUMN if columns < 3 else PAGE, 0.5 + row * rows))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    norm = Normalize(0, max((value for body in bodies for value in body.values.values()), default=0.0) or 1.0)
    for axes in panels:
        axes.set_axis_off()
        axes.set(xlim=(-1.2, 1.2), ylim=(-1.38, 1.24), aspect="equal")
    for axes, body, title in zip(panels, bodies, titles, strict=False):
        _draw(axes, body, skeleton, places, norm)
        axes.set_title(title)
    shrink = 0.8 * COLUMN / figure.get_figwidth()
    bar = figure.colorbar(ScalarMappable(norm, _COLORS), ax=panels, location="bottom", shrink=shrink, aspect=28)
    bar.set_label(label)
    return figure


def _draw(
    axes: Axes, body: MethodPose, skeleton: Skeleton, places: Mapping[str, tuple[float, float]], norm: Normalize
) -> None:
    axes.add_collection(PolyCollection(list(outline()), facecolor="#E9ECF0", zorder=1))
    for bone in skeleton.bones:
        axes.plot(*zip(*(places[joint] for joint in bone), strict=True), color="#9AA3AF", linewidth=1.6, zorder=2)
    values = np.array([body.values.get(joint, math.nan) for joint in places])
    x, y = np.array(list(places.values())).T
    axes.scatter(x, y, 26, values, norm=norm, cmap=_COLORS, plotnonfinite=True, edgecolor=INK, linewidth=0.5, zorder=3)
    for (joint, (x, y)), value in zip(places.items(), values, strict=True):
        if math.isfinite(value):
            _number(axes, joint, x, y, value)


def _number(axes: Axes, joint: str, x: float, y: float, value: float) -> None:
    """Writes a joint's value beside it, away from the middle."""
    part = strip_side(joint)
    outward, up, anchor = _BESIDE.get(part, (5, 0, "center_baseline"))
    along = -outward if x < 0 else outward
    side = "center" if along == 0 else "left" if along > 0 else "right"
    axes.annotate(f"{value:.0f}", (x, y), (along, up), textcoords="offset points", ha=side, va=anchor, fontsize=5.5)
