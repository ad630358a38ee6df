"""The 3D scene: a swinging view, and a still second one. The second one is from the side or from above."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from jaxtyping import UInt8

from poselift.viz.bodies3d import Pose3D, draw_bodies, draw_shadows
from poselift.viz.colors import BACKGROUND, GRID, PALE, TEXT, mix, person_colors
from poselift.viz.grid import draw_grid
from poselift.viz.labels import draw_label, draw_text, text_height, text_size
from poselift.viz.live_stage import LiveStage
from poselift.viz.shot import Framing, Viewpoint
from poselift.viz.stage import Stage

_SWING = np.deg2rad(35)  # to each side of the recording camera's own view
_PERIOD = 12.0  # seconds for a swing to both sides and back
_ELEVATION = np.deg2rad(12)
_SIDE = np.deg2rad(80), np.deg2rad(6)
"""Azimuth and elevation of the second view; a little forward, so that legs do not hide each other."""
_ABOVE = 0.0, np.deg2rad(62)
_FOCAL, _FLAT = 3.0, 6.0
"""Of the two views; in the second one, distance hardly changes size."""
_MAIN_SHARE = 0.62
"""Share of the picture that the first view has."""


@dataclass(eq=False)
class _View:
    """A part of the picture, with a cached empty scene. It is kept while its camera stands still."""

    left: int
    top: int
    size: tuple[int, int]
    azimuth: float
    elevation: float
    focal: float
    caption: str
    text_height: int
    swings: bool = False
    _blank: np.ndarray = field(init=False)
    _text: np.ndarray = field(init=False)
    _key: bytes = b""
    _kept: np.ndarray | None = None

    def __post_init__(self) -> None:
        self._blank = np.full((self.size[1], self.size[0], 3), BACKGROUND, np.uint8)
        self._draw_caption(image := self._blank.copy())
        self._text = image[-3 * self.text_height :]

    def camera(self, shot: Framing, phase: float) -> Viewpoint:
        """The camera at a phase of the swing, from -1 to 1."""
        return Viewpoint(shot, self.azimuth + self.swings * _SWING * phase, self.elevation, self.size, self.focal)

    def draw_empty(self, part: UInt8[np.ndarray, "h w 3"], camera: Viewpoint, reach: float) -> None:
        """Draws the scene without people."""
        key = camera.axes.tobytes() + camera.target.tobytes() + np.array([camera.distance, reach]).tobytes()
        if self._kept is not None and self._key == key:
            part[:] = self._kept
            return
        part[:] = self._blank
        draw_grid(part, camera, reach)
        rows = part[-len(self._text) :]
        np.maximum(rows, self._text, out=rows)
        # A camera that stands still is worth the copy.
        self._kept = part.copy() if self._key == key else None
        self._key = key

    def _draw_caption(self, image: np.ndarray) -> None:
        height = self.text_height
        while height > 6 and text_size(self.caption, height)[0] > image.shape[1] - 2 * height:
            height -= 1
        top = image.shape[0] - text_size(self.caption, height)[1] - 0.8 * height
        draw_text(image, self.caption, 1.2 * height, top, height, mix(TEXT, BACKGROUND, 0.35))


class Scene3D:
    """Draws people on a one-metre grid in two views.

    The first view starts at the recording camera, for comparison with the video, and swings to both sides with time.
    The second one stands still: at the side, or above a crowd. Both slowly follow people and are as near as shows all
    of them.

    Args:
        width: width of the picture, pixels.
        height: height of the picture, pixels.
        stage: what must be in view.
    """

    def __init__(self, width: int, height: int, stage: Stage | LiveStage):
        self.width, self.height = width, height
        self._stage = stage
        self._text_height = text_height(height)
        main, second = max(_layouts(width, height), key=lambda sizes: _scale(stage.typical, sizes[0]))
        caption = "left light, right dark" + "  |  people moved closer" * stage.shortened
        place = (width - second[0], height - second[1])
        (azimuth, elevation), name = (_ABOVE, "from above") if stage.crowded else (_SIDE, "from the side")
        self._views = (
            _View(0, 0, main, 0.0, _ELEVATION, _FOCAL, caption, self._text_height, swings=True),
            _View(*place, second, azimuth, elevation, _FLAT, f"{name}  |  1 m grid", self._text_height),
        )

    def render(self, people: Sequence[Pose3D], time: float, image: UInt8[np.ndarray, "h w 3"]) -> None:
        """Draws one frame.

        Args:
            people: those who are there; one with a NaN joint is drawn without the parts that need it.
            time: seconds; it gives the direction of view.
            image: where to draw.
        """
        # A line between the views.
        image[self._views[1].top - 1, :] = image[:, self._views[1].left - 1] = mix(BACKGROUND, GRID, 0.5)
        shot = self._stage.shot(time)
        reach = max(1.5, float(np.linalg.norm(shot.size[::2])) / 2)
        for view in self._views:
            camera = view.camera(shot, self._phase(time))
            width, height = view.size
            part = image[view.top : view.top + height, view.left : view.left + width]
            view.draw_empty(part, camera, reach)
            draw_shadows(part, camera, people)
            if pale := [pose for pose in people if pose.pale]:
                layer = part.copy()
                draw_bodies(layer, camera, pale, reach, fine=view.swings)
                part[:] = cv2.addWeighted(layer, PALE, part, 1 - PALE, 0)
            draw_bodies(part, camera, [pose.hide_guessed() for pose in people], reach, fine=view.swings)
            # The second view is smaller; colours tell there who is who.
            for pose in people if view.swings else ():
                self._draw_person_label(part, camera, pose)

    def _phase(self, time: float) -> float:
        return float(np.sin(2 * np.pi * (time - self._stage.start) / _PERIOD))

    def _draw_person_label(self, image: np.ndarray, camera: Viewpoint, pose: Pose3D) -> None:
        known = pose.joints[np.isfinite(pose.joints).all(-1)]
        if len(known):
            pixels, _ = camera.project(known[[known[:, 1].argmax()]] + [0, 0.1, 0])
            x, y = pixels[0].tolist()
            size = self._text_height
            draw_label(image, str(pose.person), x, y - 0.3 * size, size, person_colors(pose.person).middle)


def _layouts(width: int, height: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Sizes of two views, beside or above each other. A line of a pixel separates them."""
    across, down = round(_MAIN_SHARE * width), round(_MAIN_SHARE * height)
    return [
        ((across, height), (width - across - 1, height)),
        ((width, down), (width, height - down - 1)),
    ]


def _scale(shots: Sequence[Framing], size: tuple[int, int]) -> float:
    """Pixels of a metre in the first view, the mean."""
    return float(np.mean([Viewpoint(shot, 0.0, _ELEVATION, size, _FOCAL).scale for shot in shots]))
