"""A video in, everybody's 3D motion out. Memory does not grow with the video, but for the keypoints themselves."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from time import perf_counter

from poselift.core.errors import InputError
from poselift.detection import Detector
from poselift.lifting.camera import CameraModel, camera_for
from poselift.lifting.track import lift_track
from poselift.models import Weights
from poselift.structures import Keypoints2D, Motion
from poselift.tracking import Tracker
from poselift.video import VideoInfo, VideoReader

Progress = Callable[[str, float], None]
"""Called with the name of the stage and the share of it that is done, 0 to 1."""

_BATCH = 4
"""Frames given to the detector at once."""


@dataclass(frozen=True)
class LiftedVideo:
    """What became of a video.

    Attributes:
        info: what the video says of itself.
        frames: that were read.
        span: time stamps of the first and the last of them, seconds.
        camera: the camera that was used.
        motions: one a person.
        seconds: spent in each stage.
        warnings: what was wrong with the video.
    """

    info: VideoInfo
    frames: int
    span: tuple[float, float]
    camera: CameraModel
    motions: list[Motion]
    seconds: dict[str, float]
    warnings: list[str]


class Stopwatch:
    """Adds up the time spent in each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Counts the block's time towards `stage`."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - start


def lift_video(
    path: str | os.PathLike[str],
    detector: Detector,
    weights: Weights,
    *,
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    start: float | None = None,
    end: float | None = None,
    people: Sequence[int] | None = None,
    threshold: float = 0.2,
    flip: bool = True,
    steady: bool = True,
    progress: Progress = lambda stage, done: None,
) -> LiftedVideo:
    """Finds everybody in a video, follows them, and lifts each one.

    Args:
        path: the video.
        detector: finds people and their keypoints.
        weights: the lifter.
        fov: field of view across the picture's longer side, degrees; a default is assumed where it is not known.
        intrinsics: fx, fy, cx, cy in pixels; goes before `fov`.
        start: seconds; what comes before is left out.
        end: seconds; what comes after is left out.
        people: numbers of the people to lift, counted from 1 in order of appearance; all if left out. Where there is
            nobody at all, nobody is lifted.
        threshold: keypoints that score less are not used.
        flip: also lift the mirrored keypoints, and take the mean.
        steady: give each bone the same length all through the clip.
        progress: is told how far each stage is.

    Raises:
        InputError: the file is no video, the span or the camera makes no sense, or a chosen person is not there.
    """
    watch = Stopwatch()
    reader = VideoReader(path, start, end)
    image_size = (reader.info.width, reader.info.height)
    camera = camera_for(image_size, fov, intrinsics)
    tracks, times = _follow(reader, detector, image_size, start or 0.0, end, watch, progress)
    if people is not None and tracks:
        present = {track.person for track in tracks}
        absent = [str(number) for number in people if number not in present]
        if absent:
            there = ", ".join(map(str, sorted(present))) or "nobody"
            raise InputError(f"no person {', '.join(absent)} in {path}; found: {there}")
        tracks = [track for track in tracks if track.person in people]
    motions = []
    for done, track in enumerate(tracks):
        progress("Lifting", done / len(tracks))
        with watch.time("lift"):
            motions.append(lift_track(track, weights, camera, threshold, flip, steady))
    progress("Lifting", 1.0)
    return LiftedVideo(
        reader.info, len(times), (times[0], times[-1]), camera, motions, watch.seconds, list(reader.warnings)
    )


def _follow(
    reader: VideoReader,
    detector: Detector,
    image_size: tuple[int, int],
    start: float,
    end: float | None,
    watch: Stopwatch,
    progress: Progress,
) -> tuple[list[Keypoints2D], list[float]]:
    """Detects and tracks, a few frames at a time; the tracks, and the time stamps of all frames."""
    tracker = Tracker(image_size)
    times: list[float] = []
    span = min(end or float("inf"), reader.info.duration or float("inf")) - start
    frames = iter(reader)
    while True:
        with watch.time("read"):
            batch = list(islice(frames, _BATCH))
        if not batch:
            break
        with watch.time("detect"):
            found = detector.detect([frame.image for frame in batch])
        with watch.time("track"):
            for frame, detections in zip(batch, found, strict=True):
                tracker.update(detections, frame.timestamp)
                times.append(frame.timestamp)
        progress("Finding people", min((times[-1] - start) / span, 1.0) if span > 0 else 0.0)
    progress("Finding people", 1.0)
    with watch.time("track"):
        return tracker.tracks(), times
