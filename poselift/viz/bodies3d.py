"""Shaded bodies of the 3D scene, with shadows and floors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

from poselift.skeleton import Skeleton
from poselift.skeleton.flesh import CORNERS
from poselift.viz.body_parts import parts_of
from poselift.viz.capsules import capsule_outlines, fill_outlines, hull_outline
from poselift.viz.colors import BACKGROUND, BLACK, GRID, SHADOW, WHITE, Color, mix, person_colors
from poselift.viz.shot import Viewpoint

_LIGHT = np.array([-0.5, -0.65])
"""Towards the light in the picture, in radii of a part."""
_LAYERS = ((1.0, 0.0), (0.68, 0.4), (0.3, 0.8))
"""Radius of each layer of a part's colour, and its shift towards the light."""
_RIM = 1.6
"""Pixels around a part, which separate it from what lies behind."""
_PEDESTAL = 0.55
"""Metres; radius of the floor below somebody who stands higher than others."""
_RAISED = 0.05
_TURN = np.linspace(0, 2 * np.pi, 24, endpoint=False)
_DISC = _PEDESTAL * np.stack([np.cos(_TURN), np.zeros_like(_TURN), np.sin(_TURN)], -1)
_STONE = mix(BACKGROUND, GRID, 0.3), mix(BACKGROUND, GRID, 0.62)
"""Colours of the sides and of the top of this floor."""
_FADES = 24
"""Steps in which colours become fainter with depth."""


@dataclass(frozen=True, eq=False)
class Pose3D:
    """One person in one frame.

    Attributes:
        person: number of the person, which gives the colour.
        joints: metres, in the axes of the stage.
        skeleton: skeleton of `joints`.
        guessed: joints that no keypoint shows (`Motion.guessed`); drawn pale. None for none.
        floor: height of the ground below the person, metres.
    """

    person: int
    joints: Float[np.ndarray, "j 3"]
    skeleton: Skeleton
    guessed: Bool[np.ndarray, " j"] | None = None
    floor: float = 0.0

    @property
    def pale(self) -> bool:
        """Whether a part of the body is drawn pale."""
        return self.guessed is not None and bool(self.guessed.any())

    def hide_guessed(self) -> "Pose3D":
        """The pose with NaN for joints that no keypoint shows."""
        if self.guessed is None:
            return self
        return replace(self, joints=np.where(self.guessed[:, None], np.nan, self.joints), guessed=None)

    @cached_property
    def points(self) -> Float[np.ndarray, "points 3"]:
        """The points that the parts of the body join."""
        return parts_of(self.skeleton).points(self.joints, self.floor)


def draw_bodies(
    image: UInt8[np.ndarray, "h w 3"], camera: Viewpoint, people: Sequence[Pose3D], reach: float, fine: bool = True
) -> None:
    """Draws all parts of all people in place, distant ones first.

    Args:
        image: RGB.
        camera: the view.
        people: those to draw; parts with a NaN joint are left out.
        reach: metres around the middle, from which distant parts become fainter.
        fine: draw glints, too.
    """
    shown = _LAYERS if fine else _LAYERS[:2]
    if not people:
        return
    limbs, radii, depth, sides = _limbs(camera, people)
    # The rim ends before the joints, where limbs meet.
    layers = [(limbs + (limbs[:, ::-1] - limbs) * 0.22, radii + _RIM)]
    layers += [(limbs + shift * radii[..., None] * _LIGHT, size * radii) for size, shift in shown]
    # All at once: drawing takes longer to prepare than to do.
    shapes = capsule_outlines(
        np.concatenate([ends for ends, _ in layers]), np.concatenate([each for _, each in layers])
    )
    parts = shapes.reshape(len(layers), len(limbs), *shapes.shape[1:]).swapaxes(0, 1)
    drawn = [
        (float(far), list(part), _shades(color, _fade(far, camera, reach)))
        for part, far, color in zip(parts, depth, sides, strict=True)
    ]
    for pose in people:
        pixels, around, far = _trunk(camera, pose, pose.joints)
        if len(pixels):
            middle = pixels.mean(0)
            hulls = [hull_outline(pixels, around + _RIM)]
            for size, shift in shown:
                # The trunk is one rounded body: its layers shrink as a whole.
                place = middle + (pixels - middle) * (0.5 + 0.5 * size) + shift * around[:, None] * _LIGHT
                hulls.append(hull_outline(place, size * around))
            color = person_colors(pose.person).middle
            drawn.append((far, hulls, _shades(color, _fade(far, camera, reach), soft=True)))
    drawn.sort(key=lambda part: -part[0])
    outlines = [outline for _, part, _ in drawn for outline in part]
    fill_outlines(image, outlines, [color for _, part, shades in drawn for color in shades[: len(part)]])


def draw_shadows(image: UInt8[np.ndarray, "h w 3"], camera: Viewpoint, people: Sequence[Pose3D]) -> None:
    """Draws shadows below each body, and floors where needed, in place.

    A floor is drawn below people who stand higher than others.
    """
    if not people:
        return
    floors = [outline for pose in people for outline in _pedestal(camera, pose)]
    limbs, radii, _, _ = _limbs(camera, people, flat=True)
    shadows = list(capsule_outlines(limbs, radii))
    for pose in people:
        pixels, around, _ = _trunk(camera, pose, _flatten(pose, pose.joints))
        if len(pixels):
            shadows.append(hull_outline(pixels, around))
    fill_outlines(image, floors + shadows, [*_STONE] * (len(floors) // 2) + [SHADOW] * len(shadows))


def _limbs(
    camera: Viewpoint, people: Sequence[Pose3D], flat: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Color]]:
    """Everybody's known limbs: ends, radii, depths and colours.

    Ends (n, 2, 2) and radii (n, 2) in pixels, depths (n,).
    """
    figures = [parts_of(pose.skeleton) for pose in people]
    points = [_flatten(pose, pose.points) if flat else pose.points for pose in people]
    every = np.concatenate([own[figure.ends].mean(2) for own, figure in zip(points, figures, strict=True)])
    known = np.isfinite(every).all((1, 2))
    ends, depth = camera.project(every[known])
    radii = np.concatenate([figure.radii for figure in figures])[known] * camera.focal / depth
    colors = [
        color for pose, figure in zip(people, figures, strict=True) for color in _limb_colors(pose.person, figure.sides)
    ]
    return ends, radii, depth.mean(-1), [color for color, there in zip(colors, known, strict=True) if there]


@lru_cache(maxsize=256)
def _limb_colors(person: int, sides: tuple[str, ...]) -> list[Color]:
    colors = person_colors(person)
    return [colors.of_side(side) for side in sides]


def _trunk(camera: Viewpoint, pose: Pose3D, joints: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The trunk's corners (4, 2), radii and depth, pixels. No corners if it is unknown."""
    corners = joints[list(parts_of(pose.skeleton).trunk)]
    if not len(corners) or not np.isfinite(corners).all():
        return np.zeros((0, 2)), np.zeros(0), 0.0
    pixels, depth = camera.project(corners)
    return pixels, np.array(CORNERS) * camera.focal / depth, float(depth.mean())


def _flatten(pose: Pose3D, points: np.ndarray) -> np.ndarray:
    """Points straight below, on the person's floor."""
    return points * [1, 0, 1] + [0, pose.floor, 0]


def _pedestal(camera: Viewpoint, pose: Pose3D) -> list[np.ndarray]:
    """Outlines of a floor below somebody who stands higher. It is round; sides and top have one outline each."""
    if pose.floor <= _RAISED or not np.isfinite(pose.joints[0]).all():
        return []
    place, height = pose.joints[0] * [1, 0, 1], [0, pose.floor, 0]
    rings, _ = camera.project(np.stack([_DISC + place + height, _DISC + place]))
    return [cv2.convexHull(rings.reshape(-1, 2).astype(np.float32))[:, 0], rings[0]]


def _fade(depth: float, camera: Viewpoint, reach: float) -> float:
    """Share of the background colour at a depth."""
    share = (depth - camera.distance + reach) / (2 * reach)
    return 0.35 * round(_FADES * min(max(share, 0.0), 1.0)) / _FADES


@lru_cache(maxsize=4096)
def _shades(color: Color, fade: float, soft: bool = False) -> list[Color]:
    """Colours of a part's rim and layers; soft for large parts."""
    color = mix(color, BACKGROUND, fade)
    dark, light = (0.3, 0.1) if soft else (0.42, 0.22)
    return [BACKGROUND, mix(color, BLACK, dark), mix(color, BLACK, 0.1 * soft), mix(color, WHITE, light)]
