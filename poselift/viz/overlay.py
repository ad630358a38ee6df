"""The video with the 2D skeletons drawn on it, beside the 3D scene."""

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
    """Makes the composite of each video frame: the picture on the left, the 3D scene on the right.

    People who are there only for a part of the clip, or nobody at all, are fine. The size of the composite
    is the same for every frame and even in both directions, as video encoders ask for.

    Args:
        image_size: (width, height) of the video in pixels.
        motions: everyone in the clip.
        threshold: the lowest score of a 2D joint that is drawn.
    """

    def __init__(self, image_size: tuple[int, int], motions: Sequence[Motion], *, threshold: float = 0.3):
        self._image_size = image_size
        self._motions = list(motions)
        self._threshold = threshold
        self._video_width, self._scene_width, self._height = _layout(*image_size)
        self._stage = Stage.fit(self._motions)
        self._scene = Scene3D(self._scene_width, self._height, self._stage)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the composite in pixels."""
        return self._video_width + self._scene_width, self._height

    def render(self, image: UInt8[np.ndarray, "h w 3"], timestamp: float) -> UInt8[np.ndarray, "rows columns 3"]:
        """The composite of one frame.

        Args:
            image: the video's frame, RGB; it is not changed.
            timestamp: its time in seconds; a person is drawn where their motion has a frame at that time.

        Raises:
            ValueError: the picture has another size than the video.
        """
        if (image.shape[1], image.shape[0]) != self._image_size:
            raise ValueError(f"the frame is {image.shape[1]} x {image.shape[0]}, the video {self._image_size}")
        present = [
            (index, motion, frame)
            for index, motion in enumerate(self._motions)
            if (frame := _frame_at(motion.timestamps, timestamp)) is not None
        ]
        scale = np.array([self._video_width, self._height]) / self._image_size
        # Averaging costs several times as much, and only shows where the picture shrinks a lot.
        method = cv2.INTER_AREA if scale.min() < 0.6 else cv2.INTER_LINEAR
        video = cv2.resize(image, (self._video_width, self._height), interpolation=method)
        for _, motion, frame in present:
            person = motion.keypoints.person
            draw_skeleton_2d(
                video,
                # Whole numbers are the middles of pixels, which is where scaling is not from.
                (motion.keypoints.keypoints[frame] + 0.5) * scale - 0.5,
                motion.keypoints.scores[frame],
                motion.keypoints.skeleton,
                person_colors(person),
                threshold=self._threshold,
                label=str(person),
            )
        self._draw_clock(video, timestamp)
        poses = [
            Pose3D(
                motion.keypoints.person,
                self._stage.place(index, motion, frame),
                motion.skeleton,
                bool(motion.interpolated[frame]),
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
    """Minutes, seconds and hundredths; a clip that was cut out of another one may begin before 0."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(abs(hundredths), 6000)
    return f"{'-' if hundredths < 0 else ''}{minutes}:{rest / 100:05.2f}"


def _layout(width: int, height: int) -> tuple[int, int, int]:
    """Widths of the video and of the scene, and the height of both, all even.

    The scene is square. Small videos are enlarged so that labels can be read.
    """
    aspect = width / height
    rows = min(float(np.clip(height, _MIN_HEIGHT, _MAX_HEIGHT)), _MAX_WIDTH / (aspect + 1))
    even = [max(2, 2 * int(size / 2)) for size in (rows * aspect, rows, rows)]
    return even[0], even[1], even[2]


def _frame_at(timestamps: Float[np.ndarray, " t"], time: float) -> int | None:
    """The frame that is nearest to a time, if it is within half a frame of it."""
    if not len(timestamps):
        return None
    nearest = int(np.abs(timestamps - time).argmin())
    half = usual_interval(timestamps) / 2 if len(timestamps) > 1 else 1 / 60
    return nearest if abs(timestamps[nearest] - time) <= half + 1e-6 else None
