"""Whether a stream's camera moves. Its world frame needs a still one."""

from collections.abc import Callable, Mapping

import numpy as np

from poselift.camera_path.camera_motion import BackgroundWatch
from poselift.geometry.camera import Camera
from poselift.video import Frame

_EVERY = 1.0
"""Seconds between two comparisons."""

_COMPARISONS = 2
"""Comparisons in a row that show another view until there is a warning: somebody may pass close by."""


class LiveCamera:
    """Warns once if the camera moves.

    Args:
        camera: of the frames.
        notice: receives the warning, one line.
    """

    def __init__(self, camera: Camera, notice: Callable[[str], None]) -> None:
        self._watch, self._notice = BackgroundWatch(camera), notice
        self._due, self._moved = -np.inf, 0

    def look(self, frame: Frame, keypoints: Mapping[int, tuple[np.ndarray, np.ndarray]]) -> None:
        """Compares a frame with the first one. It does so once a second, until the camera has moved.

        Args:
            frame: of the stream.
            keypoints: keypoints (j, 2) and scores of each person, who are no background.
        """
        if self._moved >= _COMPARISONS or frame.timestamp < self._due:
            return
        self._due = frame.timestamp + _EVERY
        motion = self._watch.look(frame.image, [points for points, _ in keypoints.values()])
        if motion is None:
            return
        self._moved = 0 if motion.still else self._moved + 1
        if self._moved >= _COMPARISONS:
            self._notice(
                f"warning: {motion.describe()}, and poses of a stream in the world frame are only right for a still "
                "camera: record it, and use `poselift lift --world`"
            )
