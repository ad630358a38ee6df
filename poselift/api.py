"""The library's front door: `poselift.lift`, `poselift.read` and `poselift.open_stream`.

They give what the commands give: the same order of steps, the same defaults, the same joints.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from poselift.camera_path.found_camera import CameraMode
from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.detection import Detector
from poselift.kinematics.height import GivenHeights
from poselift.lifting.clips.open_clip import Keypoints, open_clip
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.lifting.live.live_stream import LiveStream, StreamRequest
from poselift.lifting.options import LiftOptions
from poselift.lifting.request import (
    DEFAULT_LIFTER,
    DEFAULT_LIVE_LIFTER,
    QUICK_DETECTOR,
    DetectorRequest,
    LiftRequest,
    default_detector,
)
from poselift.lifting.run import Progress, lift_clip
from poselift.models import Weights, load_weights
from poselift.recordings import read_recording
from poselift.several_views.one_camera import take_calibration
from poselift.structures import Recording


def lift(
    video: str | os.PathLike[str] | None = None,
    *,
    keypoints: Keypoints | None = None,
    keypoint_skeleton: str | None = None,
    image_size: tuple[int, int] | None = None,
    detector: str | Detector | None = None,
    weights: str | os.PathLike[str] | Weights = DEFAULT_LIFTER,
    device: str = "auto",
    start: float | None = None,
    end: float | None = None,
    fps: float | None = None,
    quality: str = "balanced",
    mirrored: bool = False,
    people: Sequence[int] | None = None,
    height: GivenHeights = None,
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    distortion: Sequence[float] | None = None,
    fisheye: Sequence[float] | None = None,
    calibration: str | os.PathLike[str] | None = None,
    world: bool = False,
    camera: CameraMode = "auto",
    tilt: float | Literal["calibration"] | None = None,
    hands: bool = False,
    skeleton: str | None = None,
    smooth: float | None = None,
    options: LiftOptions = LiftOptions(),
    progress: Progress = lambda stage, done: None,
) -> Recording:
    """The 3D motion of everybody in a video or 2D keypoints.

    What `poselift lift` writes, as values.

    Args:
        video: the video; with `keypoints`, the one that they were found in, if there is one.
        keypoints: 2D of another program instead of a detector: a file or folder, or values in memory.
        keypoint_skeleton: skeleton of a file of keypoints; by their names or number if None.
        image_size: (width, height) in pixels, for a file of keypoints without a video.
        detector: finds people: a name, or a detector of your own; the one of the quality if None.
        weights: the lifter: a name, a .safetensors file, or loaded weights.
        device: auto, cpu, cuda or a GPU by number.
        start: first second of the span; the beginning if None.
        end: end of the span in seconds, exclusive; the end of the file if None.
        fps: true frames per second, where the video plays at another rate; by its time stamps if None.
        quality: how often the detector looks: best, balanced or fast.
        mirrored: whether the video, and keypoints found in it, are a mirror image, as phones save selfies: they are
            mirrored back.
        people: numbers of the people to lift; all if None.
        height: standing height of everybody, or by person's number, metres; estimated if None.
        fov: field of view across the longer side of the picture, degrees; assumed if None.
        intrinsics: fx, fy, cx, cy in pixels, instead of `fov`.
        distortion: k1, k2, p1, p2 and perhaps k3 of OpenCV's lens; none if None.
        fisheye: k1, k2, k3, k4 of OpenCV's fisheye lens, instead of `distortion`.
        calibration: file with the lens instead, as `poselift lift --calibration` takes it.
        world: whether the motion is in the world frame: Y up, the ground at Y = 0.
        camera: what the camera does, for the world: auto (found from the background), still, turning or moving.
        tilt: how far the camera looks down, degrees, for the world; that of the file for "calibration"; found if None.
        hands: whether to look at hands too, where a wrist is seen.
        skeleton: "h36m17" or "cmu28"; Human3.6M's if None, as far as the weights give it.
        smooth: cutoff of a Butterworth filter, Hz; no filter if None.
        options: further settings of the lifter.
        progress: receives the progress of each stage.

    Raises:
        InputError: something that was given cannot be used; the message says what, where, and what to do.

    Example:
        >>> import poselift
        >>> from poselift.samples import demo_video
        >>> recording = poselift.lift(demo_video(), detector="movenet-fast", weights="tiny", end=0.3)
        >>> recording.clock.frames, recording.people[0].joints.shape[1:]
        (9, (17, 3))
    """
    detector = default_detector(quality) if detector is None else detector
    wanted = DetectorRequest(detector) if isinstance(detector, str) else DetectorRequest("")
    lens = {
        "fov": fov,
        "intrinsics": intrinsics,
        "distortion": None if distortion is None else tuple(distortion),
        "fisheye": None if fisheye is None else tuple(fisheye),
    }
    seen: Any = take_calibration({**lens, "tilt": tilt, "calibration": calibration})
    request = LiftRequest(
        **seen,
        people=None if people is None else tuple(people),
        height=height,
        options=options,
        smooth=smooth,
        skeleton=skeleton,
        world=world,
        camera=camera,
        hands=hands,
    )
    detection = replace(request.detection, start=start, end=end, fps=fps, quality=quality, mirrored=mirrored)
    request = replace(request, detection=detection)
    build = partial(_build, detector, wanted, device)
    clip = open_clip(video, keypoints, detection, build, keypoint_skeleton, image_size)
    return lift_clip(clip, _load(weights, device, wanted), request, progress)


def multiview(
    videos: Sequence[str | os.PathLike[str]],
    *,
    keypoints: Sequence[Keypoints] | None = None,
    keypoint_skeleton: str | None = None,
    detector: str | Detector | None = None,
    weights: str | os.PathLike[str] | Weights = DEFAULT_LIFTER,
    device: str = "auto",
    start: float | None = None,
    end: float | None = None,
    quality: str = "balanced",
    height: GivenHeights = None,
    offsets: Sequence[float] | None = None,
    fov: Sequence[float] | None = None,
    intrinsics: Sequence[tuple[float, float, float, float]] | None = None,
    calibration: Sequence[str | os.PathLike[str]] = (),
    own_world: bool = False,
    skeleton: str | None = None,
    smooth: float | None = None,
    options: LiftOptions = LiftOptions(),
    progress: Progress = lambda stage, done: None,
) -> Recording:
    """Everybody's 3D motion from several videos of the same moment.

    What `poselift multiview` writes, as values.

    Args:
        videos: two to eight, from cameras that stand still; the first one has the clock.
        keypoints: 2D of another program, one file or Keypoints2D (or a list of them) for each video.
        keypoint_skeleton: skeleton of files of keypoints; by their names or number if None.
        detector: see `lift`, also for the arguments of the same names below.
        weights: the lifter.
        device: of detector and lifter.
        start: first second of each video.
        end: end of each video, seconds.
        quality: how often the detector looks.
        height: metres, of everybody or by the person's number in the first video.
        offsets: seconds by which each video after the first one started later; found by sound or movement if None.
        fov: field of view of each camera, degrees, or one for all; refined from an assumed one if None.
        intrinsics: fx, fy, cx, cy of each camera, or one for all.
        calibration: files of known cameras; the cameras are found from the people without any.
        own_world: whether the result lies in the calibration's world.
        skeleton: "h36m17" or "cmu28".
        smooth: cutoff of a Butterworth filter, Hz.
        options: further settings of the lifter.
        progress: receives the progress of each stage.

    Returns:
        The recording: people in the world, and a camera with its pose for each video.

    Raises:
        InputError: a video cannot be used, or the videos do not show the same people at the same time.
    """
    # Here, because `poselift.several_views` takes longer to load than a single video needs.
    from poselift.several_views.request import ViewsRequest
    from poselift.several_views.run import lift_views

    detector = default_detector(quality) if detector is None else detector
    wanted = DetectorRequest(detector) if isinstance(detector, str) else DetectorRequest("")
    request = LiftRequest(height=height, options=options, smooth=smooth, skeleton=skeleton, world=True)
    request = replace(request, detection=replace(request.detection, start=start, end=end, quality=quality))
    views = ViewsRequest(
        None if offsets is None else tuple(offsets),
        None if fov is None else tuple(fov),
        None if intrinsics is None else tuple(intrinsics),
        tuple(Path(file) for file in calibration),
        own_world,
    )
    if keypoints is not None and videos and len(keypoints) != len(videos):
        raise InputError(f"{len(keypoints)} keypoints are given for {len(videos)} videos; give one for each, in order")
    build = cache(partial(_build, detector, wanted, device))
    clips = [
        open_clip(video, own, request.detection, build, keypoint_skeleton)
        for video, own in zip_longest(videos, keypoints or ())
    ]
    return lift_views(clips, _load(weights, device, wanted), request, views, progress).recording


def _build(detector: str | Detector, wanted: DetectorRequest, device: str) -> Detector:
    """The user's own detector, or the one of a name."""
    return wanted.build(device, quiet=True) if isinstance(detector, str) else detector


def _load(weights: str | os.PathLike[str] | Weights, device: str, detector: DetectorRequest) -> Weights:
    """The lifter, on its device."""
    if isinstance(weights, Weights):
        return weights
    name = os.fspath(weights)
    return load_weights(name, choose_lifter_device(device, name, detector))


@check_annotations
def read(path: str | os.PathLike[str]) -> Recording:
    """The recording in a result folder, or one person's npz of it.

    Raises:
        InputError: there is no such folder or file, it has nobody, or a file is missing or damaged.
    """
    return read_recording(path)


@check_annotations
def open_stream(
    source: int | str | os.PathLike[str] = 0,
    *,
    weights: str = DEFAULT_LIVE_LIFTER,
    detector: str = QUICK_DETECTOR,
    quality: str = "balanced",
    fov: float | None = None,
    intrinsics: tuple[float, float, float, float] | None = None,
    lookahead: int = 0,
    world: bool = False,
    tilt: float | None = None,
    hands: bool = False,
    device: str = "auto",
) -> LiveStream:
    """A live source whose people are lifted.

    It is a context manager and an iterator over `LiveFrame`s.

    Args:
        source: number of a camera, a video file, or a URL.
        weights: the lifter: a name, or a file.
        detector: name of the detector.
        quality: how often the detector looks.
        fov: field of view across the longer side of the picture, degrees; assumed if None.
        intrinsics: fx, fy, cx, cy in pixels, instead of `fov`.
        lookahead: detections that a pose waits for.
        world: whether poses are in the world frame; there are none until the ground is known.
        tilt: how far the camera looks down, degrees, for the world; found from people if None.
        hands: whether to look at hands too, one hand a frame in turn.
        device: for lifter and detector.

    Raises:
        InputError: something that was given cannot be used, or the source cannot be opened.

    Example:
        >>> import poselift
        >>> from poselift.samples import demo_video
        >>> with poselift.open_stream(demo_video()) as stream:
        ...     frame = next(iter(stream))
        >>> frame.index
        0
    """
    return LiveStream(
        StreamRequest(
            os.fspath(source) if not isinstance(source, int) else str(source),
            weights,
            DetectorRequest(detector),
            quality,
            fov,
            intrinsics,
            lookahead,
            world,
            device,
            tilt,
            hands,
        )
    )
