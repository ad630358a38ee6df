"""A run over several videos: each lifted, all joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.caution import Caution
from poselift.core.errors import InputError
from poselift.core.stopwatch import Stopwatch
from poselift.finding import Clip
from poselift.geometry.camera import Camera
from poselift.lifting.request import LiftRequest
from poselift.lifting.run import Progress, choose_skeleton, lift_clip, smooth_motion
from poselift.models import Weights
from poselift.numerics.times import median_interval
from poselift.several_views.calibration_files import match_cameras, read_calibration
from poselift.several_views.earlier_result import doubt_earlier, uncertainty_of
from poselift.several_views.reconstruction import Reconstruction, reconstruct
from poselift.several_views.request import ViewsRequest, one_each
from poselift.several_views.sound import read_sound, shift_by_sound
from poselift.several_views.view import LiftedView, ViewClock
from poselift.structures import Clock, Motion, Recording

_GIVEN_SPREAD = 0.01
"""Seconds of error of offsets that somebody gives."""


_NO_OPTIONS = ViewsRequest()


@dataclass(frozen=True)
class SeveralViews:
    """The recording of several videos, and how they stand to each other.

    Attributes:
        recording: people in one frame, and every camera with its pose.
        reconstruction: clocks, report, and each view's own keypoints.
    """

    recording: Recording
    reconstruction: Reconstruction


def lift_views(
    clips: Sequence[Clip],
    weights: Weights,
    request: LiftRequest = LiftRequest(),
    views: ViewsRequest = _NO_OPTIONS,
    progress: Progress = lambda stage, done: None,
) -> SeveralViews:
    """One 3D motion of everybody in several videos of the same moment.

    Args:
        clips: two to eight; the first one has the clock.
        weights: the lifter.
        request: how each video is lifted. People of `height` have the numbers of the first video; the result is in the
            world whatever `world` says.
        views: how the videos become one.
        progress: receives the progress of each stage.

    Raises:
        InputError: a video cannot be used, or the videos do not show the same people at the same time.
    """
    if len(clips) < 2:
        raise InputError("one video is given; give 2 to 8 videos of the same moment; for one video: poselift lift")
    if request.people is not None:
        raise InputError("people cannot be chosen before they are known in all videos; leave --person out")
    names = _name(clips)
    starts = views.starts(len(clips))
    skeleton = choose_skeleton(request.skeleton, weights)
    known, cautions = _known_cameras(clips, views, names)
    lifted, watch = [], Stopwatch()
    fov, lenses = (
        one_each(given, len(clips), name) for given, name in ((views.fov, "--fov"), (views.intrinsics, "--intrinsics"))
    )
    for index, clip in enumerate(clips):
        lens, bent, wide = lenses[index], None, None
        if known is not None:
            lens, bent, wide = _lens(known[index])
        heights = request.height if index == 0 or not isinstance(request.height, dict) else None
        own = replace(
            request,
            fov=None if lens is not None else fov[index],
            intrinsics=lens,
            distortion=bent,
            fisheye=wide,
            height=heights,
            world=False,
            smooth=None,
            skeleton=weights.skeleton_out.name if weights.skeleton_out.name in ("h36m17", "cmu28") else None,
        )

        def share(stage: str, done: float, index: int = index) -> None:
            progress(f"{names[index]}: {stage.lower()}", done)

        recording = lift_clip(clip, weights, own, share)
        cautions += [Caution(f"{names[index]}: {text}", text.kind, text.person) for text in recording.warnings]
        cautions += _check_still(clip, recording, names[index])
        for stage, seconds in recording.seconds.items():
            watch.seconds[stage] = watch.seconds.get(stage, 0.0) + seconds
        lifted.append(recording)
    with watch.time("views"):
        progress("Joining the views", 0.0)
        lifted_views = [
            LiftedView(
                name,
                recording.people,
                replace(recording.camera if known is None else known[index], name=_camera_name(name, known, index)),
                recording.clock.span,
            )
            for index, (name, recording) in enumerate(zip(names, lifted, strict=True))
        ]
        clocks = _clocks(clips, starts, request)
        made = reconstruct(
            lifted_views,
            clocks=clocks,
            calibrated=known is not None,
            uncertainty=None if known is None else uncertainty_of(views.calibration, known),
            world=not views.own_world,
            heights=request.height,
            own_world=views.own_world,
        )
        progress("Joining the views", 1.0)
    cautions += [*made.warnings, *find_unmatched(names, made.tracks)]
    people = tuple(smooth_motion(motion.restrict(skeleton), request.smooth, cautions) for motion in made.people)
    first = lifted[0]
    recording = Recording(
        people,
        made.cameras,
        _clock(people, first.clock),
        first.origin,
        tuple(cautions),
        watch.seconds,
        made.up_uncertainty,
    )
    return SeveralViews(recording, made)


def find_unmatched(names: Sequence[str], tracks: Sequence[Mapping[int, tuple[int, ...]]]) -> list[Caution]:
    """Warnings about unmatched and about divided people.

    People whom one video alone has, and one person of a video who became several.

    Args:
        names: of the videos.
        tracks: for each video the numbers of its people that each person of the result had there.

    Example:
        >>> for caution in find_unmatched(["left", "right"], [{1: (1,), 2: (2,)}, {1: (1,), 2: ()}]):
        ...     print(caution)
        person 2 is seen in left alone, so the motion is lifted from one view: look whether it is somebody else's
    """
    found = []
    for person in sorted({person for own in tracks for person in own}):
        where = [name for name, own in zip(names, tracks, strict=True) if own.get(person)]
        if len(where) == 1:
            text = (
                f"person {person} is seen in {where[0]} alone, so the motion is lifted from one view: look whether it "
                "is somebody else's"
            )
            found.append(Caution(text, "confusion", person))
    for name, own in zip(names, tracks, strict=True):
        for number in sorted({number for numbers in own.values() for number in numbers}):
            parts = [str(person) for person, numbers in sorted(own.items()) if number in numbers]
            if len(parts) > 1:
                text = f"{name}: one person there became persons {' and '.join(parts)}; they may be one"
                found.append(Caution(text, "confusion"))
    return found


def _name(clips: Sequence[Clip]) -> list[str]:
    """Each video's name: its file's, numbered where two are alike."""
    stems = [Path(clip.video or clip.path).stem for clip in clips]
    return [stem if stems.count(stem) == 1 else f"{stem}_{index + 1}" for index, stem in enumerate(stems)]


def _camera_name(name: str, known: Sequence[Camera] | None, index: int) -> str:
    return name if known is None or not known[index].name else known[index].name


def _known_cameras(
    clips: Sequence[Clip], views: ViewsRequest, names: Sequence[str]
) -> tuple[list[Camera] | None, list[Caution]]:
    """The cameras of a calibration, checked against the pictures; None without one."""
    if not views.calibration:
        return None, []
    cameras, warnings = match_cameras(read_calibration(views.calibration), names)
    for clip, camera, name in zip(clips, cameras, names, strict=True):
        if tuple(clip.image_size) != tuple(camera.image_size):
            ours, theirs = (f"{size[0]} x {size[1]}" for size in (clip.image_size, camera.image_size))
            raise InputError(
                f"{name} has pictures of {ours} pixels, its camera {camera.name} in the calibration {theirs}; give the "
                "calibration of these pictures, or leave it out"
            )
    warnings += filter(None, map(doubt_earlier, views.calibration))
    return cameras, [Caution(text, "camera") for text in warnings]


def _lens(
    camera: Camera,
) -> tuple[tuple[float, float, float, float], tuple[float, ...] | None, tuple[float, ...] | None]:
    """A camera's fx, fy, cx, cy, and its distortion or fisheye."""
    K = camera.K
    bent, wide = (None if own is None else tuple(own.tolist()) for own in (camera.distortion, camera.fisheye))
    return (float(K[0, 0]), float(K[1, 1]), float(K[0, 2]), float(K[1, 2])), bent, wide


def _check_still(clip: Clip, recording: Recording, name: str) -> list[Caution]:
    """A warning for a camera that moves. Keypoints without a video have no pictures that show it."""
    tracks = [motion.keypoints for motion in recording.people]
    moved = clip.find_camera(recording.clock.span, tracks, recording.camera, "still").motion
    if moved is None or moved.still:
        return []
    return [Caution(f"{name}: {moved.describe()}; several views need cameras that stand still", "camera")]


def _clocks(clips: Sequence[Clip], starts: Sequence[float] | None, request: LiftRequest) -> list[ViewClock] | None:
    """The clocks given or told by sound, else None."""
    if starts is not None:
        return [ViewClock(), *(ViewClock(start, 0.0, _GIVEN_SPREAD, "given") for start in starts[1:])]
    if request.detection.fps is not None or any(clip.video is None or clip.video_fps for clip in clips):
        return None
    sounds = [read_sound(clip.video) for clip in clips if clip.video is not None]
    first = sounds[0]
    if first is None or any(sound is None for sound in sounds):
        return None
    clocks = [ViewClock()]
    for sound in sounds[1:]:
        shift = None if sound is None else shift_by_sound(first, sound)
        if shift is None:
            return None
        clocks.append(ViewClock(*shift, "sound"))
    return clocks


def _clock(people: Sequence[Motion], first: Clock) -> Clock:
    """The recording's clock: the first video's, continued while anybody is seen."""
    times = np.unique(np.concatenate([motion.timestamps for motion in people]))
    start, end = min(float(times[0]), first.span[0]), max(float(times[-1]), first.span[1])
    interval = median_interval(times) or (1 / first.fps if first.fps else 1 / 30)
    return Clock(first.fps, round((end - start) / interval) + 1, (start, end), first.video_fps)


def report_to_json(
    made: Reconstruction, names: Sequence[str], videos: Sequence[Path | None] | None = None
) -> dict[str, Any]:
    """The calibration report and the clocks as plain values.

    Args:
        made: what the views became.
        names: of the cameras.
        videos: their files, for pages of the result.
    """
    return {
        **made.report.to_json(),
        "clocks": [
            {
                "video": name,
                "offset_s": round(clock.offset, 4),
                "drift": round(clock.drift, 7),
                "uncertainty_s": round(clock.spread, 4),
                "from": clock.origin,
                **({} if path is None else {"path": str(path)}),
            }
            for name, clock, path in zip(names, made.clocks, videos or [None] * len(names), strict=True)
        ],
        "people": [
            {"video": name, "numbers": {str(person): list(numbers) for person, numbers in own.items()}}
            for name, own in zip(names, made.tracks, strict=True)
        ],
    }
