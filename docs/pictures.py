"""Draws lifter.png, skeletons.png, faults.jpg, overlay.jpg and page.jpg of the demo clip.

    poselift lift --world --formats html --out walk && python -m docs.pictures walk

The page needs Chromium.
"""

import base64
import io
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch
from PIL import Image

from benchmarks.chromium import Browser, chromium
from poselift.lifting import camera_for, lift
from poselift.models import load_weights
from poselift.recordings import read_motion
from poselift.samples import demo_video
from poselift.skeleton import SKELETONS, Skeleton
from poselift.structures import Keypoints2D, Motion
from poselift.video import VideoReader
from poselift.viz.limbs import limbs_of
from poselift.viz.plots.body import place
from poselift.viz.plots.style import GREY, INK, PAGE, save_figure, style_plot

FOLDER = Path(__file__).parent
COLORS = {"middle": GREY, "left": "#D55E00", "right": "#0072B2"}
TITLES = {"h36m17": "h36m17, what comes out", "cmu28": "cmu28, with --skeleton cmu28"}
"""Of the large bodies."""
MOMENT = 2.0
"""Seconds into the demo clip."""

_MIDDLE = {"nose": 0.98, "mid_shoulders": 0.7, "spine_base": 0.04}
_SPINES = {"vicon_spine": (0.14, 0.3, 0.44, 0.6), "gta_spine": (0.1, 0.2, 0.32, 0.44, 0.58)}
_RIGHT = {
    "eye": (-0.08, 1.06),
    "ear": (-0.17, 1.0),
    "clavicle": (-0.16, 0.7),
    "heel": (-0.36, -1.22),
    "big_toe": (-0.5, -1.3),
    "small_toe": (-0.6, -1.22),
    "toes": (-0.5, -1.26),
    "toes_end": (-0.58, -1.34),
    "thumb": (-0.8, -0.2),
    "thumb_end": (-0.76, -0.3),
    "wrist_end": (-0.9, -0.2),
    "wrist_end_site": (-0.95, -0.32),
}
"""Places of joints that `poselift.viz.plots.body` has none for, in its coordinates."""


STAGES = (
    ("keypoints", "pixels, scores, seconds\n(b, t, j, 2)", "o", 5, 6),
    ("joint tokens", "joints of a frame\nattend to each other\n(b, t, j, d)", "s", 5, 6),
    ("frame tokens", "one of each frame\n(b, t, d)", "s", 1, 6),
    ("time tokens", "several frames in a row;\nattend to each other,\nat their seconds\n(b, t / s, d)", "s", 1, 3),
    ("frame tokens", "neighbours in time\nattend to each other\n(b, t, d)", "s", 1, 6),
    ("motion", "joints (b, t, j, 3)\nuncertainty (b, t, j)", "o", 5, 6),
)
"""Name, what happens, marker, rows (joints) and columns (frames) of each stage of the lifter."""
STEPS = ("encode\nas rays", "merge\njoints", "temporal\nstride s", "upsample\nand add", "heads")
"""Between the stages."""


@style_plot
def lifter() -> Figure:
    """The stages of the lifter, from the left to the right; columns are frames, rows are joints."""
    figure = Figure((PAGE, 2.1))
    axes = figure.subplots()
    axes.set(xlim=(-0.62, 5.62), ylim=(-1.1, 1.15))
    axes.axis("off")
    for x, (name, what, marker, rows, columns) in enumerate(STAGES):
        axes.add_patch(FancyBboxPatch((x - 0.26, -0.3), 0.52, 0.8, "round,pad=0.03", fc="#F4F6F8", ec=GREY, lw=0.6))
        across = x + 0.075 * 6 / columns * (np.arange(columns) - (columns - 1) / 2)
        up = 0.1 + 0.13 * (np.arange(rows) - (rows - 1) / 2)
        color = "#0072B2" if marker == "s" else "#D55E00"
        axes.plot(*map(np.ravel, np.meshgrid(across, up)), marker, ms=3 if rows > 1 else 24 / columns, color=color)
        axes.text(x, 0.62, name, ha="center", va="bottom", weight="bold")
        axes.text(x, -0.42, what, ha="center", va="top", fontsize=6)
    for x, step in enumerate(STEPS):
        axes.annotate("", (x + 0.68, 0.1), (x + 0.32, 0.1), arrowprops={"arrowstyle": "->", "color": INK})
        axes.text(x + 0.5, 0.17, step, ha="center", va="bottom", fontsize=5.5)
    bend = {"arrowstyle": "->", "color": GREY, "connectionstyle": "bar,fraction=-0.06"}
    axes.annotate("", (4, 0.84), (2, 0.84), arrowprops=bend)
    return figure


def where(joint: str) -> tuple[float, float]:
    """The place of a joint on a body that stands."""
    if (known := place(joint)) is not None:
        return known
    side, _, part = joint.partition("_")
    if side in ("left", "right"):
        x, y = _RIGHT[part]
        return (x if side == "right" else -x, y)
    return (0.0, _MIDDLE[joint] if joint in _MIDDLE else _SPINES[joint[:-1]][int(joint[-1])])


def draw(axes: Axes, points: Float[np.ndarray, "j 2"], skeleton: Skeleton, width: float = 1.4) -> None:
    """Draws a body, left and right in their colours."""
    limbs = limbs_of(skeleton)
    axes.add_collection(LineCollection(list(limbs.ends(points)), colors=[COLORS[s] for s in limbs.sides], lw=width))
    axes.plot(*points.T, "o", color=INK, ms=1.6 * width)
    axes.set_aspect("equal")
    axes.axis("off")


@style_plot
def skeletons() -> Figure:
    """All skeletons on one body; the two that come out with the names of their joints."""
    figure = Figure((PAGE, 7.4))
    grid = figure.add_gridspec(4, 30, height_ratios=[2.2, 1, 1, 1])
    places = [grid[0, :15], grid[0, 15:]] + [grid[1 + n // 5, 6 * (n % 5) : 6 * (n % 5) + 6] for n in range(15)]
    names = [*TITLES, *(name for name in sorted(SKELETONS) if name not in TITLES)]
    for name, cell in zip(names, places, strict=True):
        skeleton, axes = SKELETONS[name], figure.add_subplot(cell)
        points = np.array([where(joint) for joint in skeleton.joints])
        draw(axes, points, skeleton, 1.8 if name in TITLES else 1.1)
        axes.set_title(TITLES.get(name, name), pad=3)
        axes.set(xlim=(-1.1, 1.1), ylim=(-1.45, 1.3))
        if name in TITLES:
            _names(axes, skeleton, points)
    return figure


def _names(axes: Axes, skeleton: Skeleton, points: Float[np.ndarray, "j 2"]) -> None:
    """Writes each joint's name in a column beside the body, in order of height, with a line to it."""
    axes.set_xlim(-2.1, 2.1)
    sides = {-1: [], 1: []}
    for number, joint in enumerate(skeleton.joints):
        side = -1 if joint.startswith("right_") else 1 if joint.startswith("left_") else (-1) ** number
        sides[side].append(number)
    for side, numbers in sides.items():
        ordered = sorted(numbers, key=lambda number: -points[number, 1])
        for number, height in zip(ordered, np.linspace(1.3, -1.35, len(ordered)), strict=True):
            x, y = points[number]
            axes.plot([x, side * 1.12], [y, height], color=GREY, lw=0.3)
            align = "right" if side < 0 else "left"
            axes.text(side * 1.16, height, skeleton.joints[number], ha=align, va="center", fontsize=5.5)


def hidden(*words: str) -> Callable[[Keypoints2D], Keypoints2D]:
    """Keypoints whose joints with these words are not seen."""

    def hide(keypoints: Keypoints2D) -> Keypoints2D:
        gone = [any(word in joint for word in words) for joint in keypoints.skeleton.joints]
        return replace(
            keypoints,
            keypoints=np.where(np.array(gone)[:, None], np.nan, keypoints.keypoints),
            scores=np.where(gone, 0.0, keypoints.scores),
        )

    return hide


def swapped(keypoints: Keypoints2D) -> Keypoints2D:
    """Keypoints whose legs change sides for a quarter of a second, as detectors confuse them."""
    flip = np.array(keypoints.skeleton.flip_indices)
    legs = [any(part in joint for part in ("knee", "ankle")) for joint in keypoints.skeleton.joints]
    order = np.where(legs, flip, np.arange(len(flip)))
    now = np.abs(keypoints.timestamps - MOMENT) < 0.125
    points, scores = keypoints.keypoints.copy(), keypoints.scores.copy()
    points[now], scores[now] = points[now][:, order], scores[now][:, order]
    return replace(keypoints, keypoints=points, scores=scores)


CASES: tuple[tuple[str, Callable[[Keypoints2D], Keypoints2D], float], ...] = (
    ("all is well", lambda keypoints: keypoints, 55),
    ("left arm hidden", hidden("left_elbow", "left_wrist"), 55),
    ("legs not in the picture", hidden("hip", "knee", "ankle"), 55),
    ("legs change sides", swapped, 55),
    ("wrong --fov: 20", lambda keypoints: keypoints, 20),
)


@style_plot
def faults(walk: Path) -> Figure:
    """What goes in on the picture, and what comes out from the side, with the uncertainty of the joints."""
    keypoints = read_motion(walk / "person_2.npz").keypoints
    weights = load_weights("small")
    frame = int(np.abs(keypoints.timestamps - MOMENT).argmin())
    image = next(iter(VideoReader(demo_video(), keypoints.timestamps[frame] - 5e-3))).image
    figure = Figure((PAGE, 3.6))
    cells = figure.subplots(2, len(CASES))
    for (above, below), (title, change, fov) in zip(cells.T, CASES, strict=True):
        given = change(keypoints)
        motion = lift(given, weights, camera_for(keypoints.image_size, fov))
        above.imshow(image, interpolation="lanczos")
        draw(above, given.keypoints[frame], given.skeleton)
        x, y = np.nanmean(keypoints.keypoints[frame], 0)
        above.set(xlim=(x - 95, x + 95), ylim=(y + 130, y - 130), title=title)
        _side_view(below, motion, frame)
    return figure


def _side_view(axes: Axes, motion: Motion, frame: int) -> None:
    joints = motion.joints[frame] * [1, -1, 1]
    across = joints[motion.skeleton.index("left_hip")] - joints[motion.skeleton.index("right_hip")]
    angle = np.arctan2(across[2], across[0]) + np.pi / 2.6  # a little from the front, so that legs are apart
    points = np.stack([joints @ [np.cos(angle), 0, np.sin(angle)], joints[:, 1]], -1)
    balls = [Circle(point, radius) for point, radius in zip(points, motion.uncertainty[frame], strict=True)]
    axes.add_collection(PatchCollection(balls, color="#56B4E9", alpha=0.13, lw=0))
    draw(axes, points, motion.skeleton)
    axes.set(xlim=(-0.75, 0.75), ylim=(-1.15, 0.95))
    axes.set_title(f"{np.linalg.norm(motion.root[frame]):.1f} m away", y=-0.06)


def overlay(walk: Path) -> Image.Image:
    """A frame of the video that `poselift lift` draws."""
    frame = next(frame for frame in VideoReader(walk / "overlay.mp4") if frame.timestamp >= MOMENT)
    return _wide(Image.fromarray(frame.image), 1200)


def page(walk: Path) -> Image.Image:
    """The page on a screen and on a phone."""
    shots = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(chromium(), Path(folder))
        for width, scheme in ((1440, "dark"), (430, "light")):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 1000}
            browser.call("Emulation.setDeviceMetricsOverride", **size)
            colors = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.call("Emulation.setEmulatedMedia", features=colors)
            browser.call("Page.navigate", url=(walk / "page.html").absolute().as_uri())
            browser.wait("document.documentElement?.dataset.ready === '1'")
            for _ in range(round(MOMENT)):  # shift and an arrow: a second on
                browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", modifiers=8)
            time.sleep(2)
            shots.append(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))
        browser.close()
    images = [np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")) for shot in shots]
    return _wide(Image.fromarray(np.concatenate(images, axis=1)), 1280)


def _wide(image: Image.Image, width: int) -> Image.Image:
    return image.resize((width, round(width * image.height / image.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    save_figure(lifter(), FOLDER / "lifter.png")
    save_figure(skeletons(), FOLDER / "skeletons.png")
    faults(Path(sys.argv[1])).savefig(FOLDER / "faults.jpg", dpi=220, pil_kwargs={"quality": 85})
    overlay(Path(sys.argv[1])).save(FOLDER / "overlay.jpg", quality=85)
    page(Path(sys.argv[1])).save(FOLDER / "page.jpg", quality=82)
