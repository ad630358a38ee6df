"""A film strip: frames with bodies, over 3D at the same moments."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, UInt8
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from poselift.geometry.camera import Camera
from poselift.numerics.times import frame_at, half_interval
from poselift.structures import Motion
from poselift.viz.limbs import limbs_of
from poselift.viz.pixels import pixels_of
from poselift.viz.plots.scene import SIDES, Rgba, Scene, limb_colors, project
from poselift.viz.plots.style import PAGE, PALE, add_side_legend, style_plot

_MARGIN = 1.25
"""Size of the cut-out over that of the people."""

_ASPECTS = (0.6, 2.0)
"""Least and greatest width of a cut-out over its height."""

_AROUND, _TILE = 0.2, 0.5
"""Metres around the people in 3D, and between the lines on the ground."""

_TITLE = 0.2
"""Inches for the time above a column."""

_ENDS = np.array([-1.0, 1.0])


@style_plot
def strip_plot(
    motions: Sequence[Motion],
    times: Sequence[float],
    pictures: Sequence[UInt8[np.ndarray, "h w 3"]],
    camera: Camera,
) -> Figure:
    """A column per moment: picture with bodies, and 3D.

    The picture is cut out around the people. All pictures have one scale, and so have all bodies in 3D.

    Args:
        motions: of one clip, all in the same frame.
        times: seconds; somebody has a pose at each of them.
        pictures: the video's frames at these times, RGB; empty for a strip in 3D only.
        camera: of the video.
    """
    scene = Scene(motions)
    columns = len(times)
    each = PAGE / columns
    lines = [_lines(motions, time, camera) for time in times]
    boxes = _boxes(lines, pictures[0].shape[:2]) if pictures else []
    clouds = [project(scene.points(time)) for time in times]
    room = _measure_room(clouds)
    heights = [each * (bottom - top) / (right - left) for left, top, right, bottom in boxes[:1]]
    heights.append(each * room[1] / room[0])
    figure = Figure(figsize=(PAGE, sum(heights) + _TITLE))
    panels = figure.subplots(len(heights), columns, squeeze=False, height_ratios=heights)
    for axes, picture, box, bodies in zip(panels[0], pictures, boxes, lines, strict=False):
        _show(axes, picture, box, bodies)
    for axes, time, cloud in zip(panels[-1], times, clouds, strict=True):
        _draw(axes, scene, time, cloud, room)
    for axes, time in zip(panels[0], times, strict=True):
        axes.set_title(f"{time:.2f} s")
    for axes in panels.flat:
        axes.set_axis_off()
    add_side_legend(figure, SIDES)
    return figure


def _measure_room(clouds: Sequence[Float[np.ndarray, "n 3"]]) -> Float[np.ndarray, "2"]:
    """Width and height that show the people of each moment, metres."""
    sizes = np.array([np.ptp(cloud[:, :2], axis=0) for cloud in clouds]).max(0)
    high = sizes[1] + 2 * _AROUND
    return np.array([max(sizes[0] + 2 * _AROUND, _ASPECTS[0] * high), high])


def _draw(axes: Axes, scene: Scene, time: float, cloud: Float[np.ndarray, "n 3"], room: np.ndarray) -> None:
    """The people of a moment in 3D over lines on the ground."""
    middle = (cloud[:, :2].min(0) + cloud[:, :2].max(0)) / 2
    places = scene.points(time)[:, :2]
    low = np.floor((places.min(0) - _AROUND) / _TILE) * _TILE
    high = np.ceil((places.max(0) + _AROUND) / _TILE) * _TILE
    ground = [[[x, low[1], 0], [x, high[1], 0]] for x in np.arange(low[0], high[0] + _TILE / 2, _TILE)] + [
        [[low[0], y, 0], [high[0], y, 0]] for y in np.arange(low[1], high[1] + _TILE / 2, _TILE)
    ]
    axes.add_collection(LineCollection(list(project(np.array(ground))[..., :2]), colors=PALE, linewidths=0.5))
    for ends, colors in scene.bodies(time):
        flat = list(project(ends)[..., :2])
        axes.add_collection(LineCollection(flat, colors=colors, linewidths=1.5, capstyle="round"))
    axes.set(aspect="equal", xlim=middle[0] + room[0] / 2 * _ENDS, ylim=middle[1] + room[1] / 2 * _ENDS)


def _lines(
    motions: Sequence[Motion], time: float, camera: Camera
) -> list[tuple[Float[np.ndarray, "l 2 2"], list[Rgba]]]:
    """The limbs of everybody who is there, pixels, and their colours."""
    found = []
    for motion in motions:
        frame = frame_at(motion.timestamps, half_interval(motion.timestamps), time)
        if frame is not None:
            there = camera.at(motion.timestamps[frame : frame + 1])
            K, R, t = there.K.reshape(-1, 3, 3)[0], there.R.reshape(-1, 3, 3)[0], there.t.reshape(-1, 3)[0]
            pixels = pixels_of((motion.joints[frame] + motion.root[frame] - t).astype(np.float64) @ R, K)
            limbs = limbs_of(motion.skeleton)
            found.append((limbs.ends(pixels), limb_colors(limbs, motion.guessed()[frame])))
    return found


def _boxes(lines: Sequence, size: tuple[int, int]) -> list[tuple[int, int, int, int]]:
    """Equal cut-outs around each moment's people, pixels. Left, top, right, bottom."""
    height, width = size
    spans = []
    for bodies in lines:
        points = np.concatenate([ends.reshape(-1, 2) for ends, _ in bodies])
        points = points[np.isfinite(points).all(-1)].clip(0, [width - 1, height - 1])
        spans.append(np.stack([points.min(0), points.max(0)]) if len(points) else np.array([[0, 0], [width, height]]))
    wide, high = _MARGIN * (np.array(spans)[:, 1] - np.array(spans)[:, 0]).max(0)
    wide = np.clip(wide, _ASPECTS[0] * high, None)
    high = np.clip(high, wide / _ASPECTS[1], None)
    wide, high = int(min(wide, width)), int(min(high, height))
    boxes = []
    for low, top in spans:
        x, y = ((low + top) / 2 - [wide / 2, high / 2]).clip(0, [width - wide, height - high]).astype(int).tolist()
        boxes.append((x, y, x + wide, y + high))
    return boxes


def _show(axes: Axes, picture: UInt8[np.ndarray, "h w 3"], box: tuple[int, int, int, int], bodies: Sequence) -> None:
    left, top, right, bottom = box
    axes.imshow(picture[top:bottom, left:right], extent=(left - 0.5, right - 0.5, bottom - 0.5, top - 0.5))
    for ends, colors in bodies:
        known = np.isfinite(ends).all((1, 2))
        kept = [color for color, shown in zip(colors, known, strict=True) if shown]
        rims = [(1.0, 1.0, 1.0, opacity) for *_, opacity in kept]
        axes.add_collection(LineCollection(list(ends[known]), colors=rims, linewidths=2.2, capstyle="round"))
        axes.add_collection(LineCollection(list(ends[known]), colors=kept, linewidths=1.2, capstyle="round"))
    axes.set(xlim=(left - 0.5, right - 0.5), ylim=(bottom - 0.5, top - 0.5))
