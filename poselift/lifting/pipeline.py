"""A clip in, everybody's 3D motion out. Memory does not grow with a video, but for the keypoints themselves."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.times import usual_interval
from poselift.detection import Detector
from poselift.lifting.camera import CameraModel, camera_for
from poselift.lifting.height import GivenHeights, Height, check_heights, height_of, with_height
from poselift.lifting.lift import lift
from poselift.lifting.options import LiftOptions
from poselift.lifting.stream import DetectionStream, Progress, VideoDetections
from poselift.models import Weights
from poselift.structures import Keypoints2D, Motion

_RATES = (9.5, 125.0)
"""Frames a second that are lifted without a warning: those that lifters are measured at, and a little more."""


@dataclass(frozen=True)
class LiftedVideo:
    """What became of a clip.

    Attributes:
        fps: frames a second, by their time stamps; None where nothing can be told.
        frames: that were read.
        span: time stamps of the first and the last of them, seconds.
        camera: the camera that was used.
        motions: one a person.
        heights: of the people of `motions`, by number; of those whose height is given or can be told.
        seconds: spent in each stage.
        warnings: what was wrong with the clip, and of whom nothing could be lifted.
    """

    fps: float | None
    frames: int
    span: tuple[float, float]
    camera: CameraModel
    motions: list[Motion]
    heights: dict[int, Height]
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
    start: float | None = None,
    end: float | None = None,
    **options: Any,
) -> LiftedVideo:
    """Finds everybody in a video, follows them, and lifts each one.

    Args:
        path: the video.
        detector: finds people and their keypoints.
        weights: the lifter.
        start: seconds; what comes before is left out.
        end: seconds; what comes after is left out.
        **options: of `lift_stream`.

    Raises:
        InputError: the file is no video, the span or the camera makes no sense, or a chosen person is not there.
    """
    return lift_stream(VideoDetections(path, detector, start, end), weights, **options)


def lift_stream(
    stream: DetectionStream,
    weights: Weights,
    *,
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    people: Sequence[int] | None = None,
    height: GivenHeights = None,
    options: LiftOptions = LiftOptions(),
    progress: Progress = lambda stage, done: None,
) -> LiftedVideo:
    """Follows everybody in a clip whose people are known frame by frame, and lifts each one.

    Args:
        stream: the people in each frame.
        weights: the lifter.
        fov: field of view across the picture's longer side, degrees; a default is assumed where it is not known.
        intrinsics: fx, fy, cx, cy in pixels, in the place of `fov`.
        people: numbers of the people to lift; all if left out. Where there is nobody at all, nobody is lifted.
        height: of everybody, or of some people by number, standing, metres; estimated where it is not known.
        options: how each person is lifted.
        progress: is told how far each stage is.

    Raises:
        InputError: what the stream reads cannot be used, the camera or a height makes no sense, or a person who is
            chosen or whose height is given is not there, or a height is given for somebody who is not chosen.
    """
    watch = Stopwatch()
    camera = camera_for(stream.image_size, fov, intrinsics)
    check_heights(height)
    if people is not None and isinstance(height, Mapping):
        unchosen = [str(number) for number in height if number not in people]
        if unchosen:
            raise InputError(f"a height is given for person {', '.join(unchosen)}, who is not chosen; choose them too")
    tracks, times, best = _follow(stream, watch, progress)
    warnings = list(stream.warnings)
    if best and not tracks:
        found = f"there are detections in {len(best)} of {len(times)} frames, and the best joint scores {max(best):.2f}"
        warnings.append(f"nobody could be followed: {found}")
    named = [*(people or []), *(height if isinstance(height, Mapping) else [])]
    if named and tracks:
        present = {track.person for track in tracks}
        absent = [str(number) for number in dict.fromkeys(named) if number not in present]
        if absent:
            there = ", ".join(map(str, sorted(present))) or "nobody"
            raise InputError(f"no person {', '.join(absent)} in {stream.path}; found: {there}")
    if people is not None:
        tracks = [track for track in tracks if track.person in people]
    motions, heights = [], {}
    for done, track in enumerate(tracks):
        progress("Lifting", done / len(tracks))
        with watch.time("lift"):
            lifted = lift(track, weights, camera, options)
            motion, tall = with_height(lifted, height_of(track.person, height))
        if np.isnan(motion.joints).all():
            few = f"no joint that the lifter knows scores {options.threshold:g} or more in any frame"
            warnings.append(f"person {track.person}: {few}; nothing was lifted")
        motions.append(motion)
        if tall is not None:
            heights[track.person] = tall
    progress("Lifting", 1.0)
    span = times[0], times[-1]
    interval = usual_interval(np.array(times))
    fps = 1 / interval if interval else stream.fps
    if interval and not _RATES[0] <= 1 / interval <= _RATES[1]:
        warnings.append(
            f"frames come {interval:.3g} s apart by their time stamps, {1 / interval:.3g} a second; lifters are made "
            "for 10 to 120, so that the motion may be wrong"
        )
    return LiftedVideo(fps, len(times), span, camera, motions, heights, watch.seconds, warnings)


def _follow(
    stream: DetectionStream, watch: Stopwatch, progress: Progress
) -> tuple[list[Keypoints2D], list[float], list[float]]:
    """Everybody's track, the time stamps of all frames, and the best joint's score in each that has detections."""
    follower = stream.follower()
    times: list[float] = []
    best: list[float] = []
    for detections, timestamp in stream.frames(watch.time, progress):
        with watch.time("track"):
            follower.update(detections, timestamp)
        times.append(timestamp)
        if len(detections):
            best.append(float(detections.scores.max()))
    with watch.time("track"):
        return follower.tracks(), times, best
