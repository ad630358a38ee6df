"""The picture of a video with skeletons, beside the 3D scene."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, UInt8

from poselift.kinematics import Angles
from poselift.skeleton import Skeleton
from poselift.structures import THRESHOLD
from poselift.viz.angle_labels import draw_angles
from poselift.viz.bodies3d import Pose3D
from poselift.viz.colors import BACKGROUND, PALE, person_colors
from poselift.viz.draw2d import draw_skeleton_2d
from poselift.viz.labels import draw_label, text_height, text_size
from poselift.viz.live_stage import LiveStage
from poselift.viz.scene3d import Scene3D
from poselift.viz.stage import Stage

_MIN_HEIGHT, _MAX_HEIGHT = 480, 960
_NARROWEST = 0.88
"""Least width of the scene beside the picture, of its height: 1280 x 720 then need no scaling."""


@dataclass(frozen=True, eq=False)
class Person2D:
    """One person in one picture.

    Attributes:
        person: number of the person, which gives the colour.
        keypoints: pixels; NaN for unseen joints.
        scores: 0 to 1.
        skeleton: skeleton of the keypoints.
        threshold: lowest score of a drawn keypoint.
        lifted: the joints of the 3D pose, projected to pixels, and their skeleton. The keypoints are then drawn thin
            below them.
        guessed: joints of `lifted` that no keypoint shows (`Motion.guessed`); drawn pale. None for none.
        angles: joint angles to write beside the person, their row, and where the left side's stand (`columns_of`).
    """

    person: int
    keypoints: Float[np.ndarray, "j 2"]
    scores: Float[np.ndarray, " j"]
    skeleton: Skeleton
    threshold: float = THRESHOLD
    lifted: tuple[Float[np.ndarray, "j3 2"], Skeleton] | None = None
    guessed: Bool[np.ndarray, " j3"] | None = None
    angles: tuple[Angles, int, float] | None = None


class SideBySide:
    """Draws people on pictures of one size, beside the 3D scene.

    Args:
        image_size: (width, height) of the pictures in pixels.
        stage: what must be in view of the scene.
        widest: most pixels that both are wide; even.

    Attributes:
        size: (width, height) of what is drawn in pixels; even, as video encoders need.
    """

    def __init__(
        self,
        image_size: tuple[int, int],
        stage: Stage | LiveStage,
        *,
        widest: int = 1920,
    ) -> None:
        self._image_size = image_size
        self._video = width, height = _pane_size(*image_size, widest)
        # Square, or a little narrower.
        self._scene = Scene3D(min(height, widest - width), height, stage)
        self.size = width + self._scene.width, height

    def render(
        self,
        image: UInt8[np.ndarray, "h w 3"],
        people: Sequence[Person2D],
        text: str,
        poses: Sequence[Pose3D],
        time: float,
    ) -> UInt8[np.ndarray, "rows columns 3"]:
        """The picture with the people beside the scene.

        Args:
            image: RGB; it is not changed.
            people: those to draw on it.
            text: in the lower left corner.
            poses: those to draw in the scene.
            time: of the picture, seconds.

        Raises:
            ValueError: the picture has another size.
        """
        if (image.shape[1], image.shape[0]) != self._image_size:
            raise ValueError(f"the frame is {image.shape[1]} x {image.shape[0]}, the video {self._image_size}")
        both = np.empty((self.size[1], self.size[0], 3), np.uint8)
        video, scene = both[:, : self._video[0]], both[:, self._video[0] :]
        scale = np.array(self._video) / self._image_size
        # Averaging is several times slower, and only visible if the picture shrinks a lot.
        method = cv2.INTER_AREA if scale.min() < 0.6 else cv2.INTER_LINEAR
        if self._video == self._image_size:
            video[:] = image
        else:
            cv2.resize(image, self._video, dst=video, interpolation=method)
        for person in people:
            self._draw(video, person, scale)
        height = text_height(video.shape[0])
        margin = 0.8 * height
        middle = margin + max(3 * height, (text_size(text, height)[0] + 1.1 * height) / 2)
        draw_label(video, text, middle, video.shape[0] - margin, height, BACKGROUND, opacity=0.72)
        self._scene.render(poses, time, scene)
        return both

    def _draw(self, video: UInt8[np.ndarray, "rows columns 3"], person: Person2D, scale: np.ndarray) -> None:
        """Draws a person; guessed parts are pale."""
        colors, label = person_colors(person.person), str(person.person)
        # Pixel centres are whole numbers, but scaling starts at the edge of the picture.
        keypoints = (person.keypoints + 0.5) * scale - 0.5
        thin = person.lifted is not None
        draw_skeleton_2d(
            video,
            keypoints,
            person.scores,
            person.skeleton,
            colors,
            threshold=person.threshold,
            label=None if thin else label,
            thin=thin,
        )
        if person.lifted is not None:
            joints, skeleton = person.lifted
            pixels = (joints + 0.5) * scale - 0.5
            shown = np.ones(len(pixels))
            if person.guessed is not None and person.guessed.any():
                layer = video.copy()
                draw_skeleton_2d(layer, pixels, shown, skeleton, colors, label=label)
                video[:] = cv2.addWeighted(layer, PALE, video, 1 - PALE, 0)
                shown = np.where(person.guessed, 0.0, 1.0)
            draw_skeleton_2d(video, pixels, shown, skeleton, colors, label=label)
        if person.angles is not None:
            joints, skeleton = person.lifted or (person.keypoints, person.skeleton)
            angles, frame, column = person.angles
            draw_angles(video, (joints + 0.5) * scale - 0.5, skeleton, angles, frame, colors, column)


def _pane_size(width: int, height: int, widest: int) -> tuple[int, int]:
    """Width and height of the picture, both even. Small pictures are enlarged to keep labels readable."""
    aspect = width / height
    rows = min(float(np.clip(height, _MIN_HEIGHT, _MAX_HEIGHT)), widest / (aspect + _NARROWEST))
    return max(2, 2 * int(rows * aspect / 2)), max(2, 2 * int(rows / 2))
