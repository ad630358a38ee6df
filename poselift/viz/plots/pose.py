"""People in 3D at some moments, with axes in metres."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from poselift.structures import Motion
from poselift.viz.plots.scene import AZIMUTH, ELEVATION, SIDES, Scene
from poselift.viz.plots.style import COLUMN, GREY, PAGE, add_side_legend, style_plot

_IN_A_ROW = 3
_MARGIN = 0.15
"""Metres around the people."""

_STEPS = (0.5, 1.0, 2.0, 5.0)
"""Metres between two ticks."""

_MOST_TICKS = 5, 4
"""On the longest axis, of one panel and of several."""

_ZOOM = 0.93, 0.92
"""Of one panel and of several, whose labels take more of the room."""

_HEIGHT = 1.0, 0.9
"""Of one panel and of several, over its width."""


@style_plot
def pose_plot(motions: Sequence[Motion], times: Sequence[float]) -> Figure:
    """One panel per moment, with bodies as coloured lines.

    Left and right in their colours, in one space and one scale.

    Args:
        motions: of one clip, all in the same frame.
        times: seconds; somebody has a pose at each of them.
    """
    scene = Scene(motions)
    columns = min(len(times), _IN_A_ROW)
    rows = -(-len(times) // columns)
    width = COLUMN if columns == 1 else PAGE
    figure = Figure(figsize=(width, _HEIGHT[len(times) > 1] * rows * width / columns))
    # The layout does not see the labels of heights, which are on the right.
    figure.set_layout_engine("constrained", rect=(0, 0, 0.96, 1))
    cloud = np.concatenate([scene.points(time) for time in times])
    low, high = cloud.min(0) - _MARGIN, cloud.max(0) + _MARGIN
    low[2] = min(0.0, cloud[:, 2].min())
    for place, time in enumerate(times):
        axes = figure.add_subplot(rows, columns, place + 1, projection="3d", computed_zorder=False)
        _box(axes, np.stack([low, high]), len(times) > 1)
        for ends, colors in scene.bodies(time):
            axes.add_collection(Line3DCollection(ends, colors=colors, linewidths=1.8, capstyle="round"))
        if len(times) > 1:
            axes.set_title(f"{time:.2f} s", y=0.95)
    # Titles of the axes would meet the numbers: mplot3d does not keep them apart.
    figure.supxlabel("across, away and height (m)", fontsize="medium")
    add_side_legend(figure, SIDES)
    return figure


def _box(axes: Axes3D, limits: Float[np.ndarray, "2 3"], several: bool) -> None:
    """Axes of one scale with these limits, thin and without walls."""
    low, high = limits
    step = next((step for step in _STEPS if (high - low).max() / step <= _MOST_TICKS[several]), _STEPS[-1])
    for axis, pad in zip((axes.xaxis, axes.yaxis, axes.zaxis), (-3, -3, 0), strict=True):
        axis.set_pane_color((1, 1, 1, 0))
        axis.line.set(color=GREY, linewidth=0.6)
        axis.set_major_locator(MultipleLocator(step))
        axis.set_tick_params(pad=pad)
    axes.set(xlim=limits[:, 0], ylim=limits[:, 1], zlim=limits[:, 2], proj_type="ortho")
    axes.set_box_aspect(high - low, zoom=_ZOOM[several])
    axes.view_init(elev=ELEVATION, azim=AZIMUTH)
