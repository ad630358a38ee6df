"""The 3D scene, seen by a camera that slowly swings around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.skeleton import Skeleton
from poselift.viz.capsules import capsule_outlines, fill_outline
from poselift.viz.colors import BACKGROUND, GRID, SHADOW, TEXT, Color, mix, person_colors
from poselift.viz.labels import draw_label, draw_text, text_size
from poselift.viz.limbs import limbs_of

_SWING = np.deg2rad(50)  # to each side of the recording camera's own view
_PERIOD = 12.0  # seconds for a swing to both sides and back
_ELEVATION = np.deg2rad(16)
_FOCAL = 2.3  # in halves of the shorter side of the picture: a moderate perspective
_LIMB_RADIUS = 0.028  # metres
_HEAD_RADIUS = 0.07
_BRIDGED_OPACITY = 0.55
_MAX_GRID = 15  # metres to each side


@dataclass(frozen=True, eq=False)
class Pose3D:
    """One person in one frame.

    Attributes:
        person: number of the person, which gives the colour.
        joints: metres, in the axes of the stage.
        skeleton: skeleton of `joints`.
        interpolated: no detection in this frame; drawn translucent.
    """

    person: int
    joints: Float[np.ndarray, "j 3"]
    skeleton: Skeleton
    interpolated: bool = False


@runtime_checkable
class Framing(Protocol):
    """What a view must show; a `Stage` knows it of a clip."""

    @property
    def times(self) -> Float[np.ndarray, " k"]:
        """Seconds; the view starts its swing at the first."""
        ...

    @property
    def points(self) -> Float[np.ndarray, "p 3"]:
        """A sample of everyone's joints relative to `middle`, metres."""
        ...

    @property
    def shortened(self) -> bool:
        """Whether people stood further apart than shown."""
        ...

    def middle(self, time: float) -> Float[np.ndarray, "3"]:
        """The point on the ground to look at, at a time in seconds."""
        ...


@dataclass(frozen=True, eq=False)
class _View:
    """The view of the scene: rows of `axes` are right, down and forward; `target` is the centre."""

    axes: Float[np.ndarray, "3 3"]
    target: Float[np.ndarray, "3"]


class Scene3D:
    """Draws the people of a clip on a one-metre grid.

    The view starts at the recording camera, for comparison with the video, and swings to both sides with time. It
    slowly follows people who walk away. Its distance is constant and keeps everyone in view.

    Args:
        width: width of the picture, pixels.
        height: height of the picture, pixels.
        stage: arrangement of the people.
    """

    def __init__(self, width: int, height: int, stage: Framing):
        self.width, self.height = width, height
        self._stage = stage
        points = stage.points if len(stage.points) else np.array([[-1.0, 0, -1], [1, 1.8, 1]])
        low, high = np.percentile(points, [2, 98], axis=0)
        # A rare outlier must not make everyone small. The ground below people must be in view.
        points = points[((points >= low - 0.2) & (points <= high + 0.2)).all(-1)]
        points = np.concatenate([points, points * [1, 0, 1]])
        low, high = points.min(0), points.max(0)
        self._centre = (low + high) / 2  # of the view, relative to the stage's middle
        self._radius = float(np.linalg.norm((points - self._centre)[:, ::2], axis=-1).max())
        self._focal = _FOCAL * min(width, height) / 2
        self._distance = self._fit_distance(points - self._centre)
        self._empty = np.full((height, width, 3), BACKGROUND, np.uint8)
        self._text_height = round(float(np.clip(height / 52, 8, 16)))
        self._caption = "1 m grid  |  left light, right dark"
        if stage.shortened:
            self._caption += "  |  people moved closer"

    def render(self, people: Sequence[Pose3D], time: float) -> UInt8[np.ndarray, "h w 3"]:
        """Draws one frame.

        Args:
            people: those who are there; one with a NaN joint is not drawn in the limbs that end in it.
            time: seconds; it gives the direction of view.
        """
        image = self._empty.copy()
        view = self._view(time)
        self._draw_grid(image, view)
        self._draw_shadows(image, view, people)
        bridged = [pose for pose in people if pose.interpolated]
        if bridged:
            layer = image.copy()
            self._draw_bodies(layer, view, bridged)
            image = cv2.addWeighted(layer, _BRIDGED_OPACITY, image, 1 - _BRIDGED_OPACITY, 0).astype(np.uint8)
        self._draw_bodies(image, view, [pose for pose in people if not pose.interpolated])
        self._draw_captions(image)
        return image

    def project(self, points: Float[np.ndarray, "*batch 3"], time: float) -> Float[np.ndarray, "*batch 2"]:
        """Pixels of points of the stage in the picture at a time in seconds."""
        return self._project(points, self._view(time))[0]

    def _view(self, time: float) -> _View:
        return _View(
            _axes(_SWING * np.sin(2 * np.pi * (time - self._stage.times[0]) / _PERIOD)),
            self._stage.middle(time) + self._centre,
        )

    def _fit_distance(self, points: np.ndarray) -> float:
        """Distance of the view that keeps all points in the picture during the whole swing."""
        half = np.array([self.width, self.height]) / 2 * [0.92, 0.74]
        distances = [2.0]
        for azimuth in np.linspace(-_SWING, _SWING, 9):
            right_down_forward = points @ _axes(azimuth).T
            needed = self._focal * np.abs(right_down_forward[:, :2]) / half - right_down_forward[:, 2:]
            distances.append(float(needed.max()))
        return max(distances)

    def _project(self, points: np.ndarray, view: _View) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (..., 2) and depths (...) of points, depths in metres."""
        right_down_forward = (points - view.target) @ view.axes.T
        depth = np.maximum(right_down_forward[..., 2] + self._distance, 0.1)
        pixels = right_down_forward[..., :2] * (self._focal / depth)[..., None]
        return pixels + [(self.width - 1) / 2, (self.height - 1) / 2], depth

    def _fade(self, depth: np.ndarray) -> np.ndarray:
        """Share of the background colour at a depth, 0 to 1: distant things are fainter."""
        reach = max(self._radius, 1.5)
        return np.clip((depth - self._distance + reach) / (2 * reach), 0, 1)

    def _draw_grid(self, image: np.ndarray, view: _View) -> None:
        reach = min(int(np.ceil(self._radius)) + 2, _MAX_GRID)
        middle = np.round(view.target[::2])
        ticks = np.arange(-reach, reach + 1)
        along, line = np.meshgrid(ticks[:-1], ticks, indexing="ij")
        start = np.stack([along, line], -1).reshape(-1, 2)
        flat = np.stack([start, start + [1, 0]], axis=1)
        flat = np.concatenate([flat, flat[..., ::-1]]) + middle
        ends = np.stack([flat[..., 0], np.zeros(flat.shape[:2]), flat[..., 1]], axis=-1)
        pixels, depth = self._project(ends, view)
        away = np.linalg.norm(flat.mean(1) - view.target[::2], axis=-1) / (reach + 0.3)
        away[depth.min(-1) < 0.3] = np.inf  # beside or behind the viewer
        for (a, b), share in zip(np.round(pixels * 16).astype(int).tolist(), away.tolist(), strict=True):
            if share < 1:
                cv2.line(image, a, b, mix(GRID, BACKGROUND, share), 1, cv2.LINE_AA, 4)

    def _draw_shadows(self, image: np.ndarray, view: _View, people: Sequence[Pose3D]) -> None:
        """Shadows straight below each body, which show where it stands."""
        for pose in people:
            limbs = limbs_of(pose.skeleton)
            pixels, depth = self._project(limbs.ends(pose.joints * [1, 0, 1]), view)
            radii = 1.2 * _LIMB_RADIUS * self._focal / depth
            for outline in capsule_outlines(pixels, radii):
                fill_outline(image, outline, SHADOW)

    def _draw_bodies(self, image: np.ndarray, view: _View, people: Sequence[Pose3D]) -> None:
        """Limbs of all people, distant ones first."""
        drawn: list[tuple[float, np.ndarray, np.ndarray, Color]] = []
        for pose in people:
            colors = person_colors(pose.person)
            limbs = limbs_of(pose.skeleton)
            ends, depth = self._project(limbs.ends(pose.joints), view)
            metres = np.where(limbs.heads, _HEAD_RADIUS, _LIMB_RADIUS * limbs.widths)
            radii = metres[:, None] * self._focal / depth
            far = depth.mean(-1)
            fade = 0.4 * self._fade(far)
            outlines = capsule_outlines(ends, radii)
            # The rim separates a limb from the background. It ends before the joints, where limbs meet.
            inner = ends + (ends[:, ::-1] - ends) * 0.22
            rims = capsule_outlines(inner, radii + 1.8)
            for limb in np.flatnonzero(np.isfinite(outlines).all((1, 2))):
                color = mix(colors.of_side(limbs.sides[limb]), BACKGROUND, float(fade[limb]))
                drawn.append((float(far[limb]), rims[limb], outlines[limb], color))
        for _, rim, outline, color in sorted(drawn, key=lambda limb: -limb[0]):
            fill_outline(image, rim, BACKGROUND)
            fill_outline(image, outline, color)
        for pose in people:
            self._draw_person_label(image, view, pose)

    def _draw_person_label(self, image: np.ndarray, view: _View, pose: Pose3D) -> None:
        known = pose.joints[np.isfinite(pose.joints).all(-1)]
        if len(known):
            top = known[[known[:, 1].argmax()]] + [0, 0.2, 0]
            pixels, _ = self._project(top, view)
            x, y = pixels[0].tolist()
            draw_label(image, str(pose.person), x, y, self._text_height, person_colors(pose.person).middle)

    def _draw_captions(self, image: np.ndarray) -> None:
        size = self._text_height
        _, rows = text_size(self._caption, size)
        draw_text(image, self._caption, 1.2 * size, self.height - rows - 0.8 * size, size, mix(TEXT, BACKGROUND, 0.35))


def _axes(azimuth: float) -> np.ndarray:
    """Right, down and forward of a view from an azimuth, in the axes of the stage."""
    sin_a, cos_a = np.sin(azimuth), np.cos(azimuth)
    sin_e, cos_e = np.sin(_ELEVATION), np.cos(_ELEVATION)
    return np.array(
        [
            [cos_a, 0, -sin_a],
            [sin_a * sin_e, -cos_e, cos_a * sin_e],
            [-sin_a * cos_e, -sin_e, -cos_a * cos_e],
        ]
    )
