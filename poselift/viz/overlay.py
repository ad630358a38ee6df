"""The video with 2D skeletons, beside the 3D scene."""

from collections.abc import Sequence

import cv2
import numpy as np
from jaxtyping import Float, UInt8

from poselift.core.times import usual_interval
from poselift.structures import Motion
from poselift.viz.colors import BACKGROUND, person_colors
from poselift.viz.draw2d import draw_skeleton_2d
from poselift.viz.labels import draw_label
from poselift.viz.scene3d import Pose3D, Scene3D
from poselift.viz.stage import Stage

_MAX_WIDTH = 1920
_MIN_HEIGHT, _MAX_HEIGHT = 480, 960


class OverlayRenderer:
    """Renders each video frame with its 2D skeletons on the left, and the 3D scene on the right.

    All frames have the same size, with even sides as video encoders need. Frames without people are fine.

    Args:
        image_size: (width, height) of the video in pixels.
        motions: the people of the clip.
        threshold: lowest score of a drawn 2D joint.
    """

    def __init__(self, image_size: tuple[int, int], motions: Sequence[Motion], *, threshold: float = 0.3):
        self._image_size = image_size
        self._motions = list(motions)
        self._keypoints = [motion.keypoints.bridged() for motion in motions]
        self._guessed = [
            motion.interpolated & ~keypoints.seen for motion, keypoints in zip(motions, self._keypoints, strict=True)
        ]
        self._threshold = threshold
        self._video_width, self._scene_width, self._height = _layout(*image_size)
        self._stage = Stage.fit(self._motions)
        self._scene = Scene3D(self._scene_width, self._height, self._stage)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the rendered frames in pixels."""
        return self._video_width + self._scene_width, self._height

    def render(self, image: UInt8[np.ndarray, "h w 3"], timestamp: float) -> UInt8[np.ndarray, "rows columns 3"]:
        """The rendered frame.

        Args:
            image: frame of the video, RGB; it is not changed.
            timestamp: of the frame, seconds; people are drawn if their motion has a frame at this time.

        Raises:
            ValueError: the picture and the video have different sizes.
        """
        if (image.shape[1], image.shape[0]) != self._image_size:
            raise ValueError(f"the frame is {image.shape[1]} x {image.shape[0]}, the video {self._image_size}")
        present = [
            (index, motion, frame)
            for index, motion in enumerate(self._motions)
            if (frame := _frame_at(motion.timestamps, timestamp)) is not None
        ]
        scale = np.array([self._video_width, self._height]) / self._image_size
        # Averaging is several times slower, and only visible if the picture shrinks a lot.
        method = cv2.INTER_AREA if scale.min() < 0.6 else cv2.INTER_LINEAR
        video = cv2.resize(image, (self._video_width, self._height), interpolation=method)
        for index, _, frame in present:
            keypoints = self._keypoints[index]
            draw_skeleton_2d(
                video,
                # Pixel centres are whole numbers, but scaling starts at the edge of the picture.
                (keypoints.keypoints[frame] + 0.5) * scale - 0.5,
                keypoints.scores[frame],
                keypoints.skeleton,
                person_colors(keypoints.person),
                threshold=self._threshold,
                label=str(keypoints.person),
            )
        self._draw_clock(video, timestamp)
        poses = [
            Pose3D(
                motion.keypoints.person,
                self._stage.place(index, motion, frame),
                motion.skeleton,
                bool(self._guessed[index][frame]),
            )
            for index, motion, frame in present
        ]
        return np.hstack([video, self._scene.render(poses, timestamp)])

    def _draw_clock(self, video: np.ndarray, timestamp: float) -> None:
        height = round(float(np.clip(self._height / 52, 8, 16)))
        margin = 0.8 * height
        draw_label(
            video,
            clock_text(timestamp),
            margin + 3 * height,
            self._height - margin,
            height,
            BACKGROUND,
            opacity=0.72,
        )


def clock_text(seconds: float) -> str:
    """Minutes, seconds and hundredths; negative before the start of a recording."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(abs(hundredths), 6000)
    return f"{'-' if hundredths < 0 else ''}{minutes}:{rest / 100:05.2f}"


def _layout(width: int, height: int) -> tuple[int, int, int]:
    """Widths of video and scene, and their common height, all even.

    The scene is square. Small videos are enlarged to keep labels readable.
    """
    aspect = width / height
    rows = min(float(np.clip(height, _MIN_HEIGHT, _MAX_HEIGHT)), _MAX_WIDTH / (aspect + 1))
    even = [max(2, 2 * int(size / 2)) for size in (rows * aspect, rows, rows)]
    return even[0], even[1], even[2]


def _frame_at(timestamps: Float[np.ndarray, " t"], time: float) -> int | None:
    """Index of the frame within half a frame interval of a time; None if there is none."""
    if not len(timestamps):
        return None
    nearest = int(np.abs(timestamps - time).argmin())
    half = usual_interval(timestamps) / 2 if len(timestamps) > 1 else 1 / 60
    return nearest if abs(timestamps[nearest] - time) <= half + 1e-6 else None
