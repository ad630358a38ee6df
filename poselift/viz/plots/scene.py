"""People's places in 3D plots: upright, grounded, from the camera's side."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.colors import to_rgba

from poselift.kinematics.up import rotation_to_y_up
from poselift.numerics.times import frame_at, half_interval
from poselift.structures import Motion
from poselift.viz.colors import PALE
from poselift.viz.limbs import Limbs, limbs_of
from poselift.viz.plots.style import INK, LINE_STYLES

SIDES = {"left": LINE_STYLES[0].color, "right": LINE_STYLES[1].color, "middle": INK}
"""The person's own sides, as in the plots of joint angles."""

Rgba = tuple[float, float, float, float]

ELEVATION, AZIMUTH = 12.0, -62.0
"""Degrees of the view, as mplot3d has them: from the camera's side, a little above and to the right."""


class Scene:
    """Everybody upright: across the picture, away from the camera, and height, metres.

    World motions keep their places. Camera motions are turned upright by their bodies, and the lowest feet are at 0.

    Args:
        motions: of one clip, all in the same frame.
    """

    def __init__(self, motions: Sequence[Motion]) -> None:
        turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]) @ rotation_to_y_up(motions)
        self._motions = motions
        self._guessed = [motion.guessed() for motion in motions]
        self._places = [(motion.joints + motion.root[:, None]).astype(np.float64) @ turn.T for motion in motions]
        if motions[0].frame == "camera":
            lowest = np.concatenate([place[..., 2].min(1) for place in self._places])
            floor = np.nanpercentile(lowest, 5) if np.isfinite(lowest).any() else 0.0
            self._places = [place - [0, 0, floor] for place in self._places]

    def bodies(self, time: float) -> list[tuple[Float[np.ndarray, "l 2 3"], list[Rgba]]]:
        """Each present person's limbs, in drawing order, and their colours. They are present at a time, seconds."""
        found = []
        for limbs, joints, guessed in self._find_present(time):
            ends, colors = limbs.ends(joints), limb_colors(limbs, guessed)
            order = np.argsort(project(ends)[..., 2].mean(1), kind="stable")  # far to near
            found.append((ends[order], [colors[limb] for limb in order]))
        return found

    def points(self, time: float) -> Float[np.ndarray, "n 3"]:
        """All joints of all people who are there."""
        return np.concatenate([np.zeros((0, 3)), *(joints for _, joints, _ in self._find_present(time))])

    def _find_present(self, time: float) -> Iterator[tuple[Limbs, Float[np.ndarray, "j 3"], Bool[np.ndarray, " j"]]]:
        """Each present person's limbs and joints, and unseen joints. No keypoint shows the unseen ones."""
        for motion, places, guessed in zip(self._motions, self._places, self._guessed, strict=True):
            frame = frame_at(motion.timestamps, half_interval(motion.timestamps), time)
            if frame is not None and motion.posed[frame]:
                yield limbs_of(motion.skeleton), places[frame], guessed[frame]


def limb_colors(limbs: Limbs, guessed: Bool[np.ndarray, " j"]) -> list[Rgba]:
    """The limbs' colours by side, pale where guessed. Where no keypoint shows an end (`Motion.guessed`)."""
    pale = guessed[limbs.joints].any((1, 2))
    return [to_rgba(SIDES[side], PALE if faint else 1.0) for side, faint in zip(limbs.sides, pale, strict=True)]


def project(points: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, "*n 3"]:
    """Places to the right, up and towards the viewer, metres.

    The view is mplot3d's orthographic one.
    """
    azimuth, elevation = np.radians([AZIMUTH, ELEVATION])
    right = [-np.sin(azimuth), np.cos(azimuth), 0]
    towards = [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    axes = np.stack([right, np.cross(towards, right), towards])
    seen: np.ndarray = points @ axes.T
    return seen
