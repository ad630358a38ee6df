"""`poselift figure`: pictures of motions for papers."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import UInt8

from poselift.cli.formats import add_motions_argument
from poselift.cli.overlay_video import write_overlay
from poselift.cli.request_fields import make_request
from poselift.cli.values import check_out_file, list_of, local_path
from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.core.progress_text import Output, show, stage_progress
from poselift.export.zero import count_from_zero
from poselift.kinematics import cut_gait_cycles, legs_as_seen, measure_gait, measure_joint_angles
from poselift.numerics.times import frame_at, half_interval
from poselift.recordings import read_motion, read_sidecar
from poselift.recordings.reading import (
    check_video,
    find_motions,
    find_start,
    find_video,
    read_recording,
    read_video_rate,
    require_camera,
)
from poselift.structures import FEET, Motion
from poselift.video import VideoReader

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = 6
"""Moments in a film strip."""

_SLACK = 5e-3
"""Seconds by which a picture may be earlier than the pose: files round the time stamps of keypoints."""

_JOINTS = "left_knee,right_knee"

_VIDEO, _VIDEO_ENDINGS = "video", (".mp4", ".mov")
"""The kind that is no picture, and the endings of its files."""


def add_command(commands: Any) -> None:
    """Adds `figure` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "figure",
        description="Draws motions of `poselift lift` as a PDF, an SVG or a PNG, in the width of a column or a page, "
        "or on the video.",
    )
    add_motions_argument(parser)
    parser.add_argument(
        "--kind",
        required=True,
        choices=[*_KINDS, _VIDEO],
        help="skeleton: bodies in 3D; strip: pictures over bodies in 3D; time: a joint's error or uncertainty, and its "
        "angles; angles: all joint angles; cycles: these over the gait cycle; video: bodies and joint angles on the "
        "video",
    )
    parser.add_argument(
        "--out", type=local_path, required=True, metavar="FILE", help="ends in .pdf, .svg or .png; .mp4 for video"
    )
    parser.add_argument(
        "--at",
        type=list_of(float, "not a list of seconds; give moments such as 0.5,1.2"),
        metavar="S[,S...]",
        help=f"skeleton and strip: moments, seconds (default: the middle of the clip; {_COLUMNS} moments for a strip)",
    )
    parser.add_argument(
        "--video", type=local_path, metavar="FILE", help="strip and video: the video, if it is elsewhere by now"
    )
    parser.add_argument(
        "--joint",
        metavar="NAME[,NAME...]",
        help=f"time: the joints (default: {_JOINTS})",
    )
    parser.add_argument("--reference", type=local_path, metavar="NPZ", help="time: the true motion, for the error")
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class FigureRequest:
    """A figure of motions of one clip.

    Attributes:
        motions: their npz files.
        kind: of `_KINDS`, or `_VIDEO`.
        out: the file to write.
        at: moments, seconds from the first frame of the run; chosen if None.
        video: for a strip or a video, if it is elsewhere by now.
        joint: names of joints, with commas between them.
        reference: npz of the true motion.
    """

    motions: tuple[Path, ...]
    kind: str
    out: Path
    at: tuple[float, ...] | None = None
    video: Path | None = None
    joint: str | None = None
    reference: Path | None = None


def run(arguments: argparse.Namespace) -> None:
    """Draws the figure of a command line.

    Raises:
        InputError: as of `draw`.
    """
    draw(make_request(FigureRequest, arguments, motions=tuple(find_motions(arguments.motions))))


def draw(request: FigureRequest) -> None:
    """Draws the figure.

    Raises:
        InputError: an option makes no sense for these motions, or a file cannot be read or written.
    """
    out = request.out
    if request.kind == _VIDEO:
        check_out_file(out, _VIDEO_ENDINGS)
        _check_options(request)
        _write_video(request)
        show(out)
        return
    from poselift.viz.plots.style import ENDINGS, save_figure  # matplotlib is slow to load

    check_out_file(out, ENDINGS)
    _check_options(request)
    # Angles are those of `poselift measure`.
    read = _read_with_legs_as_seen if request.kind in ("angles", "cycles") else read_motion
    motions = count_from_zero([read(path) for path in request.motions], _start(request))
    if len({motion.frame for motion in motions}) > 1:
        raise InputError("some motions are in the camera frame and some in the world; lift all in one run")
    save_figure(_KINDS[request.kind](motions, request), out)
    show(out)


def _read_with_legs_as_seen(path: Path) -> Motion:
    return legs_as_seen(read_recording(path)).people[0]


def _start(request: FigureRequest) -> float:
    """The time of the video that is 0 in the figure."""
    return find_start(request.motions) or 0.0


def _draw_skeleton(motions: Sequence[Motion], request: FigureRequest) -> "Figure":
    from poselift.viz.plots.pose import pose_plot

    return pose_plot(motions, _choose_moments(motions, request.at, 1))


def _draw_strip(motions: Sequence[Motion], request: FigureRequest) -> "Figure":
    from poselift.viz.plots.strip import strip_plot

    first: Path = request.motions[0]
    about = read_sidecar(first.with_suffix(".json"))
    camera = require_camera(about, first)
    times = _choose_moments(motions, request.at, _COLUMNS)
    video = request.video or find_video(first.parent)
    if video is None:
        show("warning: the video is not where it was; the strip has none. --video FILE gives it")
    slack = min(_SLACK, half_interval(motions[0].timestamps))
    rate, mirrored = read_video_rate(about, first), about.get("mirrored") is True
    pictures = (
        [_take_frame(video, time + _start(request), slack, camera.image_size, rate, mirrored) for time in times]
        if video
        else []
    )
    return strip_plot(motions, times, pictures, camera)


def _write_video(request: FigureRequest) -> None:
    """Writes the video with the bodies and their joint angles on it."""
    recordings = [read_recording(path) for path in request.motions]
    first = recordings[0]
    people = tuple(recording.people[0] for recording in recordings)
    require_camera(read_sidecar(request.motions[0].with_suffix(".json")), request.motions[0])
    if len({path.parent.resolve() for path in request.motions}) > 1:
        raise InputError("--kind video: the motions are of several folders; give those of one video")
    video = request.video or find_video(request.motions[0].parent)
    if video is None:
        raise InputError(f"{request.motions[0].parent}: its video is not where it was; give it with --video FILE")
    check_video(video, first.camera.image_size)
    half = float(max(half_interval(motion.timestamps) for motion in people))
    start, end = first.clock.span
    slack, mirrored = min(_SLACK, half), first.origin.mirrored
    frames = VideoReader(video, max(0.0, start - slack), end + half, first.clock.video_fps, mirrored)
    with stage_progress(Output(quiet=False)) as report:
        write_overlay(request.out, frames, replace(first, people=people), angles=True, report=report)


def _draw_time(motions: Sequence[Motion], request: FigureRequest) -> "Figure":
    from poselift.viz.plots.joint_time import joint_plot
    from poselift.viz.plots.style import MOST_SERIES

    motion, names = _take_only(motions), (request.joint or _JOINTS).split(",")
    joints = [choose("joint", name, dict.fromkeys(motion.skeleton.joints, name)) for name in names]
    if len(joints) > MOST_SERIES:
        raise InputError(f"--joint names {len(joints)} joints; give at most {MOST_SERIES}")
    if request.reference is None:
        if motion.uncertainty is None:
            raise InputError(f"{request.motions[0]} has no uncertainty; give --reference NPZ, to draw the error")
        return joint_plot(motion, joints, measure_joint_angles(motion))
    (reference,) = count_from_zero([read_motion(request.reference)], _start(request))
    lacks = [joint for joint in joints if joint not in reference.skeleton.joints]
    if lacks or reference.frame != motion.frame:
        problem = f"has no {', '.join(lacks)}" if lacks else f"is in the {reference.frame} frame, not {motion.frame}"
        raise InputError(f"--reference {request.reference}: it {problem}; give a motion that can be compared")
    return joint_plot(motion, joints, measure_joint_angles(motion), reference, measure_joint_angles(reference))


def _draw_angles(motions: Sequence[Motion], request: FigureRequest) -> "Figure":
    from poselift.viz.plots.angle_panels import angle_plot

    return angle_plot(measure_joint_angles(_take_only(motions)))


def _draw_cycles(motions: Sequence[Motion], request: FigureRequest) -> "Figure":
    from poselift.viz.plots.angle_panels import cycle_plot

    motion = _take_only(motions)
    found = measure_gait(motion)
    if not found.strides:
        raise InputError(f"{request.motions[0]} has no strides; give a motion of somebody who walks or runs")
    cycles = cut_gait_cycles(measure_joint_angles(motion), found)
    stance = {
        side: 100 * float(np.mean([stride.stance for stride in found.strides if FEET[stride.foot] == f"{side}_foot"]))
        for side in {each.side for each in cycles}
    }
    return cycle_plot(cycles, stance)


_KINDS: dict[str, Callable[[Sequence[Motion], FigureRequest], "Figure"]] = {
    "skeleton": _draw_skeleton,
    "strip": _draw_strip,
    "time": _draw_time,
    "angles": _draw_angles,
    "cycles": _draw_cycles,
}

_OPTIONS = {"at": ("skeleton", "strip"), "video": ("strip", "video"), "joint": ("time",), "reference": ("time",)}
"""Options of some kinds only, and these kinds."""


def _check_options(request: FigureRequest) -> None:
    """Raises an error for options that the kind does not use."""
    for option, kinds in _OPTIONS.items():
        if getattr(request, option) is not None and request.kind not in kinds:
            raise InputError(f"--{option} belongs to --kind {' and '.join(kinds)}, not {request.kind}; leave it out")


def _take_only(motions: Sequence[Motion]) -> Motion:
    if len(motions) > 1:
        raise InputError("this kind shows one person; give one NPZ")
    return motions[0]


def _choose_moments(motions: Sequence[Motion], given: Sequence[float] | None, count: int) -> list[float]:
    """Time stamps of frames with a pose, near the given moments. Without moments, the stamps are at even steps."""
    known = [motion.timestamps[motion.posed] for motion in motions]
    times = np.unique(np.concatenate(known))
    if not len(times):
        raise InputError("no frame of the motions has a pose; lift the video again")
    if given is None:
        shares = (np.arange(count) + 0.5) / count
        return list(dict.fromkeys(times[(shares * len(times)).astype(int)].tolist()))
    start = min(motion.timestamps[0] for motion in motions)
    end = max(motion.timestamps[-1] for motion in motions)
    moments = []
    for time in given:
        if not start - 0.05 <= time <= end + 0.05:  # also for NaN
            raise InputError(
                f"--at {time:g}: the motions are from {start:.2f} to {end:.2f} s; choose moments in between"
            )
        near = [each[frame] for each in known if (frame := frame_at(each, half_interval(each), time)) is not None]
        if not near:
            raise InputError(f"--at {time:g}: nobody has a pose then; choose from {times[0]:.2f} to {times[-1]:.2f} s")
        moments.append(float(min(near, key=lambda stamp: abs(stamp - time))))
    return moments


def _take_frame(
    video: Path, time: float, slack: float, size: Sequence[int], fps: float | None, mirrored: bool
) -> UInt8[np.ndarray, "h w 3"]:
    """The frame of a moment."""
    check_video(video, size)
    return next(iter(VideoReader(video, max(0.0, time - slack), fps=fps, mirrored=mirrored))).image
