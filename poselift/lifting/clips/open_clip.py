"""The clip of a run: a video with detector, or keypoints."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from poselift.core.errors import InputError
from poselift.detection import Detector
from poselift.finding import Clip, VideoClip
from poselift.keypoints import KeypointClip, KeypointFile, read_keypoints
from poselift.keypoints.in_memory import TrackClip
from poselift.lifting.request import DetectionRequest
from poselift.skeleton import get_skeleton
from poselift.structures import Keypoints2D

Keypoints = str | os.PathLike[str] | KeypointFile | Keypoints2D | Sequence[Keypoints2D]
"""2D of other programs: a file or folder, its content, or tracks in memory."""


def open_clip(
    video: str | os.PathLike[str] | None,
    keypoints: Keypoints | None,
    wanted: DetectionRequest,
    build: Callable[[], Detector],
    skeleton: str | None = None,
    image_size: tuple[int, int] | None = None,
) -> Clip:
    """The clip to lift.

    Args:
        video: the video; with keypoints, the one that they were found in, if there is one.
        keypoints: instead of a detector.
        wanted: the span, the true frames per second, how often the detector looks, and whether the video is a mirror
            image; its detector is not read.
        build: gives the detector where there are no keypoints.
        skeleton: name of the skeleton of keypoints in a file; by the joints' names or number if None.
        image_size: (width, height) in pixels, for keypoints in a file without a video.

    Raises:
        InputError: there is neither video nor keypoints, they cannot be used, or something about them is missing.
    """
    if keypoints is None:
        if video is None:
            raise InputError("there is nothing to lift; give a video, or keypoints")
        span = wanted.start, wanted.end
        return VideoClip(video, build(), *span, wanted.quality, wanted.fps, wanted.mirrored)
    place = None if video is None else Path(video)
    if isinstance(keypoints, Keypoints2D):
        keypoints = [keypoints]
    if isinstance(keypoints, list | tuple):
        return TrackClip(keypoints, place, wanted.mirrored)
    file = keypoints
    if not isinstance(file, KeypointFile):
        file = read_keypoints(file, None if skeleton is None else get_skeleton(skeleton))  # type: ignore[arg-type]
    return KeypointClip(
        file,
        video=place,
        fps=wanted.fps,
        image_size=image_size,
        start=wanted.start,
        end=wanted.end,
        mirrored=wanted.mirrored,
    )
