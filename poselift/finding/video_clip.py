"""Clips: frames, people in each, a tracker, and the camera's motion.

A clip is a video with a detector (`VideoClip`), or a file of 2D keypoints (`poselift.keypoints.KeypointClip`).
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from poselift.camera_path.found_camera import CameraMode, FoundCamera, find_camera
from poselift.core.annotations import check_annotations
from poselift.core.caution import Caution
from poselift.core.prefetch import prefetch
from poselift.core.stopwatch import Stopwatch
from poselift.detection import Detector
from poselift.finding.people_finder import build_finder
from poselift.finding.qualities import DEFAULT_QUALITY
from poselift.geometry.camera import Camera
from poselift.structures import Detections, Hands, Keypoints2D
from poselift.tracking import Tracker
from poselift.video import Frame, VideoReader

PREFETCHED = 4
"""Frames at most that are decoded or drawn before they are needed."""

ReadShare = Callable[[float], None]
"""Receives the share of a clip's frames that were read, 0 to 1."""


@runtime_checkable
class PeopleTracker(Protocol):
    """Assigns detections to people, as `poselift.tracking.Tracker` does."""

    def update(self, detections: Detections | None, timestamp: float) -> list[int]:
        """Each person's number in the next frame. None where the detector does not run; the timestamp is in seconds."""
        ...

    def tracks(self) -> list[Keypoints2D]:
        """The keypoints of each person in the frames so far."""
        ...


@runtime_checkable
class Clip(Protocol):
    """People in a series of frames.

    Attributes:
        path: input file, for messages.
        video: the video of the frames; None for blank ones.
        detector_name: name of the detector, or the format of a keypoint file.
        detector_weights: SHA-256 of each weight file of the detector, by file name; empty for a keypoint file.
        image_size: (width, height) of the frames in pixels.
        fps: average frames per second; None if unknown.
        video_fps: true frames per second of the video, if they are not those of its time stamps; None otherwise.
        mirrored: whether the video shows a mirror image; frames and people are mirrored back.
        duration: expected seconds of the clip, for progress bars; None if unknown.
        span: the chosen (start, end) in seconds, end exclusive; infinite where the user chose none.
        fov: field of view across the longer side that the video names, degrees; None if it names none.
    """

    path: Path
    video: Path | None
    detector_name: str
    detector_weights: dict[str, str]
    image_size: tuple[int, int]
    fps: float | None
    video_fps: float | None
    mirrored: bool
    duration: float | None
    span: tuple[float, float]
    fov: float | None

    @property
    def warnings(self) -> list[Caution]:
        """Problems of the input, one line each; complete after `people` is exhausted."""
        ...

    def frames(self) -> Iterator[Frame]:
        """The pictures of the chosen span in order, with timestamps. Each call reads them anew."""
        ...

    def people(
        self, watch: Stopwatch | None = None, progress: ReadShare | None = None
    ) -> Iterator[tuple[Detections | None, float]]:
        """People and time, in seconds, of each frame in the span.

        A frame at which no detector looked has None.

        Args:
            watch: counts the time to "read" and "detect".
            progress: receives the share of `frames` that were read.
        """
        ...

    def tracker(self) -> PeopleTracker:
        """A new tracker for `people`."""
        ...

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, as far as the clip tells.

        Args:
            span: timestamps of the first and the last frame, seconds.
            tracks: the people, who hide the background.
            lens: of the widest frame, if the camera zooms.
            mode: what the camera does; "auto" finds it.
        """
        ...

    def hands_of(self, track: Keypoints2D) -> Hands | None:
        """A person's hands in the input, or None. They have the axes of the camera."""
        ...


class VideoClip:
    """A video whose people a detector finds; see `Clip`. Memory does not grow with the length of the video.

    Args:
        path: the video.
        detector: finds people and their keypoints.
        start: first second of the span; the beginning if None.
        end: end of the span in seconds, exclusive; the end of the video if None.
        quality: how often the detector looks, one of `QUALITIES`.
        fps: frames per second of the recording, for slow motion; see `poselift.video.VideoReader`.
        mirrored: whether the video shows a mirror image, which is mirrored back.

    Raises:
        InputError: the file is not a video, the span is empty, `fps` is no frame rate, or the quality is unknown.
    """

    @check_annotations
    def __init__(
        self,
        path: str | os.PathLike[str],
        detector: Detector,
        start: float | None = None,
        end: float | None = None,
        quality: str = DEFAULT_QUALITY,
        fps: float | None = None,
        mirrored: bool = False,
    ) -> None:
        self._finder = build_finder(detector, quality)
        self._quality = quality
        self._reader = VideoReader(path, start, end, fps, mirrored)
        self._detector, self.video_fps, self.mirrored = detector, fps, mirrored
        info = self._reader.info
        self.path = info.path
        self.video: Path | None = info.path
        self.fps, self.image_size, self.fov = info.fps, (info.width, info.height), info.fov
        self.span = (start or 0.0, math.inf if end is None else end)
        last = min(self.span[1], info.duration or math.inf)
        self.duration = last - self.span[0] if last < math.inf else None
        self.detector_name, self.detector_weights = detector.name, detector.weights

    @property
    def warnings(self) -> list[Caution]:
        """Problems of the video and of its people, one line each."""
        return [*self._reader.warnings, *self._finder.warnings]

    def frames(self) -> Iterator[Frame]:
        """The frames of the span; each call reads the video anew."""
        return iter(self._reader)

    def people(
        self, watch: Stopwatch | None = None, progress: ReadShare | None = None
    ) -> Iterator[tuple[Detections | None, float]]:
        """The people in each frame; None where the finder does not look."""
        watch = watch or Stopwatch()
        self._finder = build_finder(self._detector, self._quality)
        return watch.timed("detect", self._finder.find(read_frames(self.frames(), self.duration, watch, progress)))

    def tracker(self) -> Tracker:
        """A tracker that compares poses: detectors do not know who is who."""
        return Tracker(self.image_size)

    def find_camera(
        self, span: tuple[float, float], tracks: Sequence[Keypoints2D], lens: Camera, mode: CameraMode
    ) -> FoundCamera:
        """What the camera does, from the background of the pictures."""
        return find_camera(self.frames, span, tracks, lens, mode)

    def hands_of(self, track: Keypoints2D) -> Hands | None:
        """None: detectors find bodies only."""
        return None


def read_frames(
    frames: Iterable[Frame], duration: float | None, watch: Stopwatch, progress: ReadShare | None
) -> Iterator[Frame]:
    """The frames, decoded ahead.

    Args:
        frames: of a video, in order.
        duration: their expected seconds; None if unknown.
        watch: counts the time to "read".
        progress: receives the share of `frames` that were read.
    """
    first: float | None = None
    # Decoded beside detection, so reading takes the time that detection waits for a frame.
    for frame in watch.timed("read", prefetch(frames, PREFETCHED)):
        first = frame.timestamp if first is None else first
        yield frame
        if progress is not None and duration:
            progress(min((frame.timestamp - first) / duration, 1.0))
