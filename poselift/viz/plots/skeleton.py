"""The error of each joint, where it is on the body."""

import math
import textwrap
from collections.abc import Mapping

import matplotlib
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from poselift.skeleton import Skeleton
from poselift.viz.plots.style import WIDTH, styled

# A person who stands with arms and legs apart and is seen from the front, so that no two joints or their numbers meet:
# right, and up. The left side is the mirror image of the right; the viewer's left is the person's right.
_MIDDLE = {
    "pelvis": 0.0,
    "spine": 0.28,
    "spine1": 0.18,
    "spine2": 0.36,
    "spine3": 0.52,
    "thorax": 0.56,
    "neck": 0.78,
    "neck_base": 0.8,
    "nose": 0.95,
    "head": 1.0,
    "head_top": 1.1,
}
_RIGHT = {
    "hip": (-0.2, -0.06),
    "knee": (-0.32, -0.6),
    "ankle": (-0.4, -1.12),
    "foot": (-0.5, -1.24),
    "shoulder": (-0.32, 0.66),
    "collar": (-0.14, 0.68),
    "elbow": (-0.6, 0.32),
    "wrist": (-0.8, -0.04),
    "hand": (-0.88, -0.2),
}
_PANELS_IN_A_ROW = 4


def _place(joint: str) -> tuple[float, float] | None:
    side, _, rest = joint.partition("_")
    if side in ("left", "right") and rest in _RIGHT:
        x, y = _RIGHT[rest]
        return (x if side == "right" else -x, y)
    return (0.0, _MIDDLE[joint]) if joint in _MIDDLE else None


@styled
def skeleton_plot(values: Mapping[str, Mapping[str, float]], skeleton: Skeleton, label: str) -> Figure:
    """A skeleton for each method, its joints coloured by their error and the number beside them.

    Args:
        values: for each method a value a joint; joints that no value is of are left blank.
        skeleton: whose bones are drawn.
        label: of the values, with the unit.

    Raises:
        ValueError: the drawing has no place for a joint of the skeleton.
    """
    places = {joint: _place(joint) for joint in skeleton.joints}
    if strange := [joint for joint, place in places.items() if place is None]:
        raise ValueError(f"the drawing has no place for {', '.join(strange)} of {skeleton.name}")
    columns = min(len(values), _PANELS_IN_A_ROW)
    rows = math.ceil(len(values) / columns)
    width = max(WIDTH * columns / _PANELS_IN_A_ROW, WIDTH * 0.55)
    figure = Figure(figsize=(width, 2.5 * rows * (1.35 if columns == 1 else 1) + 0.5))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    numbers = [value for method in values.values() for value in method.values()]
    norm, colors = Normalize(0, max([*numbers, 1e-9])), matplotlib.colormaps["cividis_r"]
    for axes in panels:
        axes.set_axis_off()
    for axes, (method, joints) in zip(panels, values.items(), strict=False):
        for parent, child in skeleton.bones:
            (x0, y0), (x1, y1) = (places[parent] or (0, 0)), (places[child] or (0, 0))
            axes.plot(
                [x0, x1], [y0, y1], color="#AAAAAA", linewidth=2.5, zorder=1, solid_capstyle="round", linestyle="-"
            )
        for joint, place in places.items():
            x, y = place or (0, 0)
            value = joints.get(joint)
            face = "white" if value is None else colors(norm(value))
            axes.scatter([x], [y], s=42, color=[face], edgecolor="#333333", linewidth=0.6, zorder=2)
            if value is not None:
                outward = -1 if x < 0 else 1
                axes.annotate(
                    f"{value:.0f}",
                    (x, y),
                    (5 * outward, 0),
                    textcoords="offset points",
                    ha="left" if outward > 0 else "right",
                    va="center",
                    fontsize=6,
                )
        axes.set(xlim=(-1.1, 1.1), ylim=(-1.35, 1.25), aspect="equal")
        axes.set_title(textwrap.fill(method, 24), loc="center")
    bar = figure.colorbar(
        matplotlib.cm.ScalarMappable(norm, colors), ax=list(panels), location="bottom", shrink=0.6, aspect=30, pad=0.02
    )
    bar.set_label(label)
    return figure
