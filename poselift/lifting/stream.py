"""Where the people in each frame of a clip come from: a detector that looks at a video, or anything else that knows."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import UInt8

from poselift.detection import Detector
from poselift.structures import Detections, Keypoints2D
from poselift.tracking import Tracker
from poselift.video import VideoReader

Progress = Callable[[str, float], None]
"""Called with the name of the stage and the share of it that is done, 0 to 1."""
Timed = Callable[[str], AbstractContextManager[None]]
"""Counts the time of a block towards a stage."""

_BATCH = 4
"""Frames given to the detector at once."""


@runtime_checkable
class Follower(Protocol):
    """Says who is who from frame to frame, as `poselift.tracking.Tracker` does."""

    def update(self, detections: Detections, timestamp: float) -> list[int]:
        """Takes the next frame, at a time in seconds; the number of each person in it."""
        ...

    def tracks(self) -> list[Keypoints2D]:
        """Everybody in the frames so far."""
        ...


@runtime_checkable
class DetectionStream(Protocol):
    """The people in each frame of a clip.

    Attributes:
        path: the file that they come from, for messages.
        name: of the detector, or of the format of the file.
        weights: file name -> SHA-256 of each file of weights that the detector used.
        image_size: (width, height) of the frames in pixels.
        fps: frames a second on average; None where nothing can be told.
    """

    path: Path
    name: str
    weights: dict[str, str]
    image_size: tuple[int, int]
    fps: float | None

    @property
    def warnings(self) -> list[str]:
        """What was wrong, a line each; complete when `frames` has come to its end."""
        ...

    def frames(self, timed: Timed, progress: Progress) -> Iterator[tuple[Detections, float]]:
        """The people in each frame and its time in seconds, in order; a frame with nobody is there too."""
        ...

    def follower(self) -> Follower:
        """What finds out who is who in `frames`."""
        ...

    def pictures(self) -> Iterator[tuple[UInt8[np.ndarray, "h w 3"], float]]:
        """The frames themselves and their times, to be drawn on."""
        ...


class VideoDetections:
    """What a detector finds in a video; see `DetectionStream`. Memory does not grow with the video.

    Args:
        path: the video.
        detector: finds people and their keypoints.
        start: seconds; what comes before is left out.
        end: seconds; what comes after is left out.

    Raises:
        InputError: the file is no video, or the span makes no sense.
    """

    def __init__(
        self, path: str | os.PathLike[str], detector: Detector, start: float | None = None, end: float | None = None
    ) -> None:
        self._reader = VideoReader(path, start, end)
        self._detector = detector
        info = self._reader.info
        self._start = start or 0.0
        self._span = min(end or float("inf"), info.duration or float("inf")) - self._start
        self.path, self.fps = info.path, info.fps
        self.image_size = (info.width, info.height)
        self.name, self.weights = detector.name, detector.weights

    @property
    def warnings(self) -> list[str]:
        """What was wrong with the video."""
        return list(self._reader.warnings)

    def frames(self, timed: Timed, progress: Progress) -> Iterator[tuple[Detections, float]]:
        """Reads and detects, a few frames at a time."""
        frames = iter(self._reader)
        while True:
            with timed("read"):
                batch = list(islice(frames, _BATCH))
            if not batch:
                break
            with timed("detect"):
                found = self._detector.detect([frame.image for frame in batch])
            for frame, detections in zip(batch, found, strict=True):
                yield detections, frame.timestamp
            done = (batch[-1].timestamp - self._start) / self._span if self._span > 0 else 0.0
            progress("Finding people", min(done, 1.0))
        progress("Finding people", 1.0)

    def follower(self) -> Follower:
        """A tracker: a detector keeps nothing from one frame to the next."""
        return Tracker(self.image_size)

    def pictures(self) -> Iterator[tuple[UInt8[np.ndarray, "h w 3"], float]]:
        """Reads the video once more."""
        return ((frame.image, frame.timestamp) for frame in self._reader)
