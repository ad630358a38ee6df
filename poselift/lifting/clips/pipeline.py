"""The pipeline from a clip to everybody's 3D motion. Memory grows with the keypoints only, not with the pictures."""

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.kinds import check_kinds
from poselift.core.stopwatch import Stopwatch
from poselift.core.times import usual_interval
from poselift.detection import Detector
from poselift.finding.qualities import DEFAULT_QUALITY
from poselift.finding.video_clip import Clip, ReadShare, VideoClip
from poselift.geometry.camera import Camera, camera_for
from poselift.kinematics.height import GivenHeights, Height, check_heights, height_of, take_height
from poselift.lifting.clips.clip_warnings import find_warnings
from poselift.lifting.options import LiftOptions
from poselift.lifting.three_stages import lift
from poselift.models import Weights
from poselift.structures import Keypoints2D, Motion

_LOG = logging.getLogger(__name__)

Progress = Callable[[str, float], None]
"""Receives the name of a stage and its finished share, 0 to 1."""


@dataclass(frozen=True)
class LiftedClip:
    """The motions of a clip, and how they were made.

    Attributes:
        fps: frames per second by the timestamps; None if unknown.
        frames: number of frames.
        span: timestamps of the first and the last frame, seconds.
        camera: the camera that was used.
        motions: one per person.
        heights: standing height by person's number, where it is given or can be estimated.
        seconds: time of each stage.
        warnings: problems of the input, and people who could not be lifted, one line each.
    """

    fps: float | None
    frames: int
    span: tuple[float, float]
    camera: Camera
    motions: list[Motion]
    heights: dict[int, Height]
    seconds: dict[str, float]
    warnings: list[str]


@check_kinds
def lift_video(
    path: str | os.PathLike[str],
    detector: Detector,
    weights: Weights,
    *,
    start: float | None = None,
    end: float | None = None,
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    people: Sequence[int] | None = None,
    height: GivenHeights = None,
    quality: str = DEFAULT_QUALITY,
    fps: float | None = None,
    options: LiftOptions = LiftOptions(),
    progress: Progress = lambda stage, done: None,
) -> LiftedClip:
    """The 3D motion of everybody in a video: detects, tracks and lifts.

    Args:
        path: the video.
        detector: finds people and their keypoints.
        weights: the lifter.
        start: first second of the span; the beginning if None.
        end: end of the span in seconds, exclusive; the end of the video if None.
        fov: field of view across the longer side of the picture, degrees; assumed if None.
        intrinsics: fx, fy, cx, cy in pixels, instead of `fov`.
        people: numbers of the people to lift; all if None.
        height: standing height of everybody, or by person's number, metres; estimated if None.
        quality: how often the detector looks: best, balanced or fast.
        fps: frames per second of the recording, where the video plays them at another rate (slow motion).
        options: settings of the lifter.
        progress: receives the progress of each stage.

    Raises:
        InputError: the file is not a video, the span, camera or height makes no sense, or a chosen person is missing.

    Example:
        >>> from poselift.detection import build_detector
        >>> from poselift.models import load_weights
        >>> from poselift.samples import demo_video
        >>> lifted = lift_video(demo_video(), build_detector("movenet-fast"), load_weights("tiny"), end=0.3)
        >>> lifted.frames, lifted.motions[0].joints.shape[1:]
        (9, (28, 3))
    """
    return lift_clip(
        VideoClip(path, detector, start, end, quality, fps),
        weights,
        fov=fov,
        intrinsics=intrinsics,
        people=people,
        height=height,
        options=options,
        progress=progress,
    )


@check_kinds
def lift_clip(
    clip: Clip,
    weights: Weights,
    *,
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    people: Sequence[int] | None = None,
    height: GivenHeights = None,
    options: LiftOptions = LiftOptions(),
    progress: Progress = lambda stage, done: None,
) -> LiftedClip:
    """The 3D motion of everybody in a clip: tracks and lifts.

    Args:
        clip: frames, people and a tracker.
        weights: the lifter.
        fov: see `lift_video`, also for the arguments below.
        intrinsics: fx, fy, cx, cy in pixels.
        people: numbers of the people to lift.
        height: metres.
        options: settings of the lifter.
        progress: receives the progress of each stage.

    Raises:
        InputError: the input cannot be used, the camera or a height makes no sense, a person in `people` or `height`
            is missing, or `height` names a person who is not in `people`.
    """
    watch = Stopwatch()
    camera = camera_for(clip.image_size, fov, intrinsics)
    check_chosen(people, height)
    tracks, times, best = _track(clip, watch, lambda done: progress("Finding people", done))
    if tracks:
        _check_present([*(people or []), *(height if isinstance(height, Mapping) else [])], tracks, clip)
    chosen = [track for track in tracks if people is None or track.person in people]
    motions, heights = [], {}
    for done, track in enumerate(chosen):
        progress("Lifting", done / len(chosen))
        with watch.time("lift"):
            motion = lift(track, weights, camera, options)
            motion, stature = take_height(motion, height_of(track.person, height))
        motions.append(motion)
        if stature is not None:
            heights[track.person] = stature
    progress("Lifting", 1.0)
    _LOG.debug("%s: lifted %d people in %d frames", clip.path, len(motions), len(times))
    warnings = find_warnings(clip.warnings, tracks, times, best, motions, heights, weights.skeleton_in)
    for warning in warnings:
        _LOG.warning("%s: %s", clip.path, warning)
    interval = usual_interval(times)
    fps, span = 1 / interval if interval else clip.fps, (float(times[0]), float(times[-1]))
    return LiftedClip(fps, len(times), span, camera, motions, heights, watch.seconds, warnings)


def _track(
    clip: Clip, watch: Stopwatch, progress: ReadShare
) -> tuple[list[Keypoints2D], Float[np.ndarray, " t"], list[float]]:
    """Everybody's keypoints, the timestamps of all frames, and the best joint score of each look."""
    tracker = clip.tracker()
    times: list[float] = []
    best: list[float] = []
    for detections, timestamp in clip.people(watch, progress):
        with watch.time("track"):
            tracker.update(detections, timestamp)
        times.append(timestamp)
        if detections is not None:
            best.append(float(detections.scores.max(initial=0.0)))
    progress(1.0)
    with watch.time("track"):
        return tracker.tracks(), np.array(times), best


def check_chosen(people: Sequence[int] | None, height: GivenHeights) -> None:
    """Checks the chosen people and their heights, before the long work.

    Raises:
        InputError: nobody has such a number or height, or a height is of somebody who is not chosen.
    """
    check_heights(height)
    for number in [*(people or []), *(height if isinstance(height, Mapping) else [])]:
        if number < 1:
            raise InputError(f"there is no person {number}; people are numbered from 1, in order of appearance")
    if people is not None and isinstance(height, Mapping):
        unchosen = [str(number) for number in height if number not in people]
        if unchosen:
            raise InputError(f"a height is given for person {', '.join(unchosen)}, who is not chosen; choose them too")


def _check_present(people: Iterable[int], tracks: Sequence[Keypoints2D], clip: Clip) -> None:
    """Raises an InputError where somebody is not in the clip."""
    present = sorted(track.person for track in tracks)
    absent = [str(number) for number in dict.fromkeys(people) if number not in present]
    if absent:
        there = ", ".join(map(str, present))
        raise InputError(f"no person {', '.join(absent)} in {clip.path}; choose from {there}")
