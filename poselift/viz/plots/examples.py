"""Single poses: prediction beside truth, from camera and side."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from poselift.skeleton import Skeleton
from poselift.viz.limbs import limbs_of
from poselift.viz.plots.scene import SIDES
from poselift.viz.plots.style import PAGE, PALE, add_side_legend, style_plot

_MARGIN = 0.1
"""Metres around the poses."""

_TICKS = 0.5
"""Metres."""

_TITLE = 34
"""Characters in a line above an example."""

# The channels across and up, and the sign of each: x is right, y down and z away from the camera.
_FROM = {"from the camera": ("across (m)", (0, 1), (1, -1)), "from the side": ("away (m)", (2, 1), (1, -1))}


@dataclass(frozen=True)
class Example:
    """A pose and its prediction, relative to one point, metres.

    Camera frame; NaN for joints that do not count.

    Attributes:
        title: lines above both.
        truth: of each joint.
        prediction: of each joint.
    """

    title: tuple[str, ...]
    truth: Float[np.ndarray, "j 3"]
    prediction: Float[np.ndarray, "j 3"]


@style_plot
def example_plot(examples: Sequence[Example], skeleton: Skeleton) -> Figure:
    """Examples side by side: truth, and prediction over grey truth.

    All panels have equal axes of one scale.

    Args:
        examples: one or more.
        skeleton: of all poses.
    """
    poses = np.stack([pose for example in examples for pose in (example.truth, example.prediction)])
    low, high = np.nanmin(poses, (0, 1)) - _MARGIN, np.nanmax(poses, (0, 1)) + _MARGIN
    across = max(high[0] - low[0], high[2] - low[2])
    figure = Figure(figsize=(PAGE, 0.75 + 2 * PAGE / (2 * len(examples) + 0.8) * (high[1] - low[1]) / across))
    parts = figure.subfigures(1, len(examples), squeeze=False)[0]
    for place, (part, example) in enumerate(zip(parts, examples, strict=True)):
        part.suptitle("\n".join(textwrap.fill(line, _TITLE) for line in example.title), fontsize=7)
        panels = part.subplots(2, 2, sharex="row", sharey=True)
        for row, (name, (label, channels, signs)) in zip(panels, _FROM.items(), strict=True):
            middle = (low[channels[0]] + high[channels[0]]) / 2
            for axes, pose, kind in zip(row, (example.truth, example.prediction), ("truth", "prediction"), strict=True):
                if kind == "prediction":
                    _draw(axes, example.truth[:, channels] * signs, skeleton, pale=True)
                _draw(axes, pose[:, channels] * signs, skeleton)
                axes.set(xlim=(middle - across / 2, middle + across / 2), ylim=(-high[1], -low[1]), aspect="equal")
                axes.xaxis.set_major_locator(MultipleLocator(_TICKS))
                axes.yaxis.set_major_locator(MultipleLocator(_TICKS))
                axes.set_xlabel(label)
            if place == 0:
                row[0].set_ylabel(f"{name}\nup (m)")
        for axes, kind in zip(panels[0], ("truth", "prediction"), strict=True):
            axes.set_title(kind, fontsize=6.5)
    add_side_legend(figure, SIDES)
    return figure


def _draw(axes: Axes, points: Float[np.ndarray, "j 2"], skeleton: Skeleton, pale: bool = False) -> None:
    limbs = limbs_of(skeleton)
    ends = limbs.ends(points)
    known = np.isfinite(ends).all((1, 2))
    lines, sides = list(ends[known]), [side for side, there in zip(limbs.sides, known, strict=True) if there]
    if not known.all():
        trunk = _trunk(points, skeleton)
        lines, sides = lines + trunk, sides + ["middle"] * len(trunk)
    colors = [PALE if pale else SIDES[side] for side in sides]
    axes.add_collection(LineCollection(lines, colors=colors, linewidths=2.5 if pale else 1.5, capstyle="round"))


def _trunk(points: Float[np.ndarray, "j 2"], skeleton: Skeleton) -> list[Float[np.ndarray, "2 2"]]:
    """Shoulders, hips and a line between their middles.

    Protocols without joints in the middle of the body need them.
    """
    corners = [f"{side}_{part}" for part in ("shoulder", "hip") for side in ("left", "right")]
    if not set(corners) <= set(skeleton.joints):
        return []
    shoulders, hips = points[skeleton.indices(corners)].reshape(2, 2, 2)
    lines = [shoulders, hips, np.stack([shoulders.mean(0), hips.mean(0)])]
    return [line for line in lines if np.isfinite(line).all()]
