"""Where a lifter looks, over time and between joints. Matrices show time, lines on the body show joints."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, UInt8
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from poselift.core.errors import InputError
from poselift.nn.attention.maps import AttentionMap
from poselift.skeleton import Skeleton
from poselift.viz.limbs import limbs_of
from poselift.viz.plots.style import GREY, INK, LINE_STYLES, style_plot

_PANEL = 1.35
"""Inches of a head's picture."""
_MOST_HEADS = 8
_LINKS = 12
"""Links drawn for a head: the strongest."""

_Head = tuple[Axes, AttentionMap, int, np.ndarray]

_KINDS = {
    "joint_blocks": "over joints",
    "joint_time_blocks": "of each joint over time",
    "time_blocks": "over time",
    "frame_blocks": "over frames",
    "encoder": "of the encoder",
    "decoder": "of the decoder",
}
"""What the blocks of lifters attend over, by their name in the model."""


@style_plot
def time_attention_plot(layers: Sequence[AttentionMap]) -> Figure:
    """A matrix over time for each head of each layer.

    Rows look at columns, both in seconds. Each matrix has its own scale, from 0 to the largest weight in it, which
    stands above it.

    Args:
        layers: over time; a row of the plot each.

    Raises:
        InputError: none of them is over time.
    """
    layers = [layer for layer in layers if not layer.over_joints]
    if not layers:
        raise InputError("no layer attends over time")
    figure, heads = _grid(layers, _PANEL)
    for axes, layer, number, weights in heads:
        top = float(weights.max())
        (left, right), (above, below) = _ends(layer.keys), _ends(layer.queries)
        edges = (left, right, below, above)
        axes.imshow(weights, cmap="viridis", vmin=0, vmax=top or 1, extent=edges, interpolation="nearest")
        axes.set(title=f"head {number + 1}, to {top:.2f}", aspect="auto")
        axes.grid(False)
        if number == 0:
            axes.set_ylabel(f"{axes.get_ylabel()}\nlooks from (s)")
        else:
            axes.tick_params(labelleft=False)
        if layer is layers[-1]:
            axes.set_xlabel("at (s)")
        else:
            axes.tick_params(labelbottom=False)
    return figure


@style_plot
def joint_attention_plot(
    layers: Sequence[AttentionMap],
    points: Float[np.ndarray, "j 2"],
    skeleton: Skeleton,
    picture: UInt8[np.ndarray, "h w 3"] | None = None,
) -> Figure:
    """The body's strongest links for each head over joints.

    Links go from joint to joint, layer by layer. A link is thin at the joint that looks and thick at the one looked at.
    A disc's area is what its joint is looked at by all others together.

    Args:
        layers: over joints; a row of the plot each.
        points: where the joints are in the picture, pixels; NaN where one is not known.
        skeleton: skeleton of `points`.
        picture: RGB, shown faintly behind; none if left out.

    Raises:
        InputError: none of the layers is over joints, or none of their joints has a place.
    """
    layers = [layer for layer in layers if layer.over_joints]
    if not layers:
        raise InputError("no layer attends over joints")
    known = np.isfinite(points).all(-1)
    if not any(known[skeleton.joints.index(str(name))] for name in layers[0].keys):
        raise InputError("no joint that the layers look at has a place in the picture")
    low, high = points[known].min(0), points[known].max(0)
    margin = 0.12 * (high - low).max() + 1
    width, height = high - low + 2 * margin
    figure, heads = _grid(layers, float(_PANEL * height / width) + 0.3)
    for axes, layer, number, weights in heads:
        if picture is not None:
            axes.imshow(picture, alpha=0.45)
        axes.spines[:].set_visible(False)
        _bones(axes, points, skeleton)
        _links(axes, weights, layer, points, skeleton, LINE_STYLES[number % len(LINE_STYLES)].color)
        axes.set(
            title=f"head {number + 1}",
            xlim=(low[0] - margin, high[0] + margin),
            ylim=(high[1] + margin, low[1] - margin),
            aspect="equal",
            xticks=[],
            yticks=[],
        )
    return figure


def block_title(layer: str, layers: Sequence[str]) -> str:
    """A layer's name for people, such as "block 3 of 5".

    A second part says over what: "over time" for "time_blocks.2.attention".

    Args:
        layer: its place in the model.
        layers: those of the model.
    """
    kind, _, rest = layer.partition(".")
    number, _, part = rest.partition(".")
    if kind not in _KINDS or not number.isdigit():
        return layer.removesuffix(".attention")
    count = len({other.split(".")[1] for other in layers if other.startswith(f"{kind}.")})
    between = ", over the encoder" if "cross" in part else ""
    return f"block {int(number) + 1} of {count}\n{_KINDS[kind]}{between}"


def _grid(layers: Sequence[AttentionMap], height: float) -> tuple[Figure, list[_Head]]:
    """A figure of a row per layer, and each head's axes. Each comes with its layer, number and weights."""
    columns = min(_MOST_HEADS, max(len(layer.weights) for layer in layers))
    figure = Figure(figsize=(_PANEL * columns + 0.7, height * len(layers) + 0.3))
    names, heads = [layer.layer for layer in layers], list[_Head]()
    for layer, row in zip(layers, figure.subplots(len(layers), columns, squeeze=False), strict=True):
        row[0].set_ylabel(block_title(layer.layer, names))
        every = zip(row, layer.weights[:_MOST_HEADS].float().numpy(), strict=False)
        heads += [(axes, layer, number, weights) for number, (axes, weights) in enumerate(every)]
        for axes in row[len(layer.weights) :]:
            axes.set_axis_off()
    return figure, heads


def _ends(seconds: Sequence[float | str]) -> tuple[float, float]:
    """The edges of the first and the last token."""
    first, last = float(seconds[0]), float(seconds[-1])
    half = (last - first) / max(len(seconds) - 1, 1) / 2 or 0.5
    return first - half, last + half


def _bones(axes: Axes, points: Float[np.ndarray, "j 2"], skeleton: Skeleton) -> None:
    lines = [line for line in limbs_of(skeleton).ends(points) if np.isfinite(line).all()]
    axes.add_collection(LineCollection(lines, colors=GREY, linewidths=0.8, alpha=0.7, zorder=2))


def _links(
    axes: Axes,
    weights: Float[np.ndarray, "n m"],
    layer: AttentionMap,
    points: Float[np.ndarray, "j 2"],
    skeleton: Skeleton,
    color: str,
) -> None:
    places = points[[skeleton.joints.index(str(name)) for name in layer.keys]]
    there = np.isfinite(places).all(-1)
    between = np.where(there[:, None] & there[None, :], weights, 0.0)
    np.fill_diagonal(between, 0.0)
    top = between.max() or 1.0
    for flat in np.argsort(between, axis=None)[-_LINKS:]:
        query, key = np.unravel_index(flat, between.shape)
        share = between[query, key] / top
        if share <= 0:
            continue
        path = np.linspace(places[query], places[key], 9)
        axes.add_collection(
            LineCollection(
                list(np.stack((path[:-1], path[1:]), 1)),
                colors=to_rgba(color, float(0.25 + 0.75 * share)),
                linewidths=np.linspace(0.3, 0.3 + 2.2 * share, 8),
                capstyle="round",
                zorder=3,
            )
        )
    received = between.sum(0)
    sizes = 2 + 45 * received / (received.max() or 1.0)
    x, y = places[there].T
    axes.scatter(x, y, sizes[there], color=color, edgecolor=INK, linewidth=0.3, zorder=4)
