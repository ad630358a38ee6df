"""`poselift multiview`: 3D motion from several videos of the same moment.

It passes 300 lines because the options and what becomes of each are read together.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.detector import add_detector_options, add_quality_option
from poselift.cli.formats import NAMES, parse_formats
from poselift.cli.lift_options import add_draw_option, parse_heights
from poselift.cli.lift_request import CommandRequest, make_lift_request
from poselift.cli.result_files import print_warnings, write_results
from poselift.cli.smooth import add_smooth_option
from poselift.cli.takes import join_takes, takes_of
from poselift.cli.values import list_of, local_path
from poselift.cli.weights import add_lifter_option
from poselift.core.device import DEVICE_HELP
from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.core.prefetch import prefetch
from poselift.core.progress_text import Output, stage_progress
from poselift.finding import Clip
from poselift.finding.video_clip import PREFETCHED
from poselift.kinematics import measure_joint_angles
from poselift.lifting.clips.open_clip import open_clip
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.lifting.run import Progress
from poselift.models import Weights, load_weights
from poselift.recordings.names import CALIBRATION, CALIBRATION_REPORT, OVERLAY_VIEW
from poselift.recordings.result_folder import check_folder, open_results
from poselift.recordings.view_keypoints import write_view_keypoints
from poselift.several_views.calibration_files import write_pose2sim
from poselift.several_views.request import ViewsRequest
from poselift.several_views.run import SeveralViews, lift_views, report_to_json
from poselift.skeleton import CMU28, H36M17
from poselift.structures import Keypoints2D, Motion, see_from_camera
from poselift.video import VideoWriter
from poselift.viz import OverlayRenderer


def add_command(commands: Any) -> None:
    """Adds `multiview` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "multiview",
        description="Lifts two to eight videos of the same moment, from phones or cameras that stand still and were "
        "started by hand, and joins them: one 3D motion of each person in metres, without a board. Finds the shifts "
        "between the videos by sound or movement, who is who, and the cameras from the people. Writes what `poselift "
        "lift --world` writes, an overlay of each view, calibration.toml (Pose2Sim's layout) and calibration.json (how "
        "sure the cameras are, and what to do). Of a folder that has a folder of videos for each take, it joins all "
        "takes; the same command again does what is missing or has changed. Exit codes: 0; 2 if an input cannot be "
        "used; 3 if nobody was lifted or some takes failed.",
    )
    parser.add_argument(
        "videos",
        nargs="*",
        type=local_path,
        metavar="VIDEO",
        help="2 to 8 videos of the same moment, or one folder of takes",
    )
    parser.add_argument(
        "--out", type=local_path, metavar="DIR", help="output folder (default: poselift_out/NAME of the first video)"
    )
    what = parser.add_argument_group("what to lift")
    what.add_argument(
        "--keypoints",
        nargs="+",
        type=local_path,
        metavar="PATH",
        help="2D keypoints of other programs, one for each video in their order (docs/keypoints.md); without videos, "
        "files that have picture size and times",
    )
    what.add_argument("--keypoint-set", metavar="NAME", help="skeleton of the keypoints, such as coco17")
    what.add_argument("--start", type=float, metavar="S", help="start of the span of each video, seconds")
    what.add_argument("--end", type=float, metavar="S", help="end of the span of each video, seconds")
    what.add_argument("--fps", type=float, metavar="N", help="true frames per second of all videos")
    what.add_argument(
        "--height",
        type=parse_heights,
        metavar="METRES|ID:METRES[,...]",
        help="standing height, of everybody or by the person's number in the first video (default: estimated)",
    )
    how = parser.add_argument_group("how the videos become one")
    how.add_argument(
        "--offsets",
        type=list_of(float, "not a list of seconds; give 0.42,-1.3"),
        metavar="S[,S...]",
        help="seconds by which each video after the first one started later than it (default: by sound or movement)",
    )
    how.add_argument(
        "--fov",
        type=list_of(float, "not a list of angles; give 65 or 65,70"),
        metavar="DEG[,DEG...]",
        help="field of view across the longer side, degrees, one or one for each video (default: refined from 55)",
    )
    how.add_argument(
        "--intrinsics",
        type=list_of(float, "not numbers; give FX,FY,CX,CY in pixels, for one or for each video"),
        metavar="FX,FY,CX,CY[,...]",
        help="focal lengths and principal point in pixels, four numbers or four for each video",
    )
    how.add_argument(
        "--calibration",
        nargs="+",
        type=local_path,
        metavar="FILE",
        help="known cameras: Pose2Sim's, Anipose's or FreeMoCap's TOML, Qualisys' .qca.txt, OpenCap's pickles, "
        "OpenCV's YAML, or calibration.toml of an earlier result",
    )
    how.add_argument(
        "--same-cameras",
        metavar="TAKE",
        help="of a folder of takes: no camera moved from take to take, so all have the cameras of this one, best the "
        "take in which people move through the space most (default: each take finds its own); if it fails, the next "
        "take that does not",
    )
    how.add_argument(
        "--calibration-world",
        dest="own_world",
        action="store_true",
        help="keep the world of the calibration, its axis nearest to up as Y; with --same-cameras, the world of that "
        "take (default: the ground below the people of each take)",
    )
    how.add_argument("--skeleton", choices=[H36M17.name, CMU28.name], help="joints to write (default: Human3.6M's 17)")
    add_quality_option(how)
    add_smooth_option(how)
    add_lifter_option(how)
    how.add_argument("--device", default="auto", help=DEVICE_HELP)
    how.add_argument(
        "--formats",
        type=parse_formats,
        metavar="FORMAT,...",
        help=f"write each motion in these formats too, any of {', '.join(NAMES)}",
    )
    how.add_argument("--no-csv", dest="csv", action="store_false", help="write no person_*.csv")
    add_draw_option(how)
    how.add_argument("--no-render", dest="overlay", action="store_false", help="do not write overlay_*.mp4")
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_detector_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Lifts a command line's videos or takes, writes results, and says where.

    Raises:
        InputError: an argument or an input file cannot be used.
        SystemExit: nobody was lifted, or takes failed.
    """
    views = _make_views_request(arguments)
    given = {**vars(arguments), "fov": None, "intrinsics": None, "calibration": None}
    request = make_lift_request(argparse.Namespace(**given))
    takes = takes_of(arguments)
    inputs = [] if takes else _pair_inputs(arguments)
    video, first = inputs[0] if inputs else (None, None)
    first = first or video
    name = arguments.videos[0].resolve().name if first is None else first.stem
    out: Path = arguments.out or Path("poselift_out") / name
    if not takes:
        check_folder(out, first, video, request.formats)
    output = Output(quiet=arguments.quiet)
    detection = request.detection
    weights = load_weights(request.weights, choose_lifter_device(arguments.device, request.weights, detection.detector))
    detector = cache(partial(detection.detector.build, arguments.device, arguments.quiet))
    join = partial(
        _join,
        open_view=lambda view: open_clip(view[0], view[1], detection, detector, arguments.keypoint_set),
        weights=weights,
        request=request,
        output=output,
    )
    if takes:
        join_takes(takes, out, request, views, arguments.same_cameras, join, output, arguments.own_world)
    else:
        join(inputs, out, views)


def _join(
    inputs: Sequence[tuple[Path | None, Path | None]],
    out: Path,
    views: ViewsRequest,
    *,
    open_view: Callable[[tuple[Path | None, Path | None]], Clip],
    weights: Weights,
    request: CommandRequest,
    output: Output,
) -> None:
    """Joins one take's views, and says how sure the result is."""
    video, first = inputs[0][0], inputs[0][1] or inputs[0][0]
    clips = [open_view(view) for view in inputs]
    with stage_progress(output) as report, open_results(out, first, video, request.formats) as unfinished:
        made = join_into(unfinished, clips, weights, request, views, report)
    recording = made.recording
    print_warnings(output, recording, "the videos", out)
    count = len(recording.people)
    output.print(
        f"{count} {'person' if count == 1 else 'people'} from {len(clips)} views in {recording.clock.frames} "
        f"frames. The motion is in {out}/person_*.npz; how sure the cameras are, in {out / CALIBRATION_REPORT}"
    )
    sure = made.reconstruction.report
    if not views.calibration and not sure.unsure:  # if it is, a warning has said so
        output.print(
            f"In nine takes of ten, cameras are turned by at most {sure.turned_within:.0f} degrees from the truth, and "
            f"sizes are off by at most {sure.sized_within:.0f} %"
        )


def join_into(
    out: Path,
    clips: Sequence[Clip],
    weights: Weights,
    request: CommandRequest,
    views: ViewsRequest,
    report: Progress = lambda stage, done: None,
) -> SeveralViews:
    """Lifts and joins clips, and writes results, summary.json last.

    Args:
        out: an empty folder.
        clips: two to eight.
        weights: the lifter.
        request: what to lift and what to write.
        views: how the videos become one.
        report: receives the progress of each stage.

    Raises:
        InputError: an input or an option cannot be used.
    """
    made = lift_views(clips, weights, request, views, report)
    recording = made.recording
    write_pose2sim(out / CALIBRATION, recording.cameras)
    names = [camera.name for camera in recording.cameras]
    write_json(out / CALIBRATION_REPORT, report_to_json(made.reconstruction, names, [clip.video for clip in clips]))
    seen = [
        {motion.keypoints.person: _keypoints_in(motion, made, view) for motion in recording.people}
        for view in range(len(clips))
    ]
    written = (CALIBRATION, CALIBRATION_REPORT, write_view_keypoints(out, seen))
    overlays = {
        OVERLAY_VIEW.format(view + 1): partial(_render, clip, made, view, request.draw is not None, report=report)
        for view, clip in enumerate(clips)
    }
    recording = write_results(out, recording, request, overlays, written)
    return replace(made, recording=recording)


def _render(clip: Clip, made: SeveralViews, view: int, angles: bool, path: Path, report: Progress) -> None:
    """Writes one view with all views' joints and their angles."""
    camera, clock = made.recording.cameras[view], made.reconstruction.clocks[view]
    people = [_seen_in(motion, made, view) for motion in made.recording.people]
    K = camera.K.astype(float)
    renderer = OverlayRenderer(
        clip.image_size,
        people,
        K=K,
        lens=camera.lens,
        angles=[measure_joint_angles(motion) for motion in made.recording.people] if angles else (),
    )
    drawn = (
        (renderer.render(frame.image, float(clock.to_shared(np.array([frame.timestamp]))[0])), frame.timestamp)
        for frame in prefetch(clip.frames(), PREFETCHED)
    )
    with VideoWriter(path, *renderer.size) as writer:
        for done, (picture, timestamp) in enumerate(prefetch(drawn, PREFETCHED), start=1):
            writer.write(picture, timestamp)
            report(f"Drawing view {view + 1}", min(done / max(made.recording.clock.frames, 1), 1.0))


def _seen_in(motion: Motion, made: SeveralViews, view: int) -> Motion:
    """The motion in a view's camera frame, with that view's keypoints."""
    own = _keypoints_in(motion, made, view)
    return replace(see_from_camera(motion, made.recording.cameras[view]), keypoints=own)


def _keypoints_in(motion: Motion, made: SeveralViews, view: int) -> Keypoints2D:
    """A person's keypoints in a view, at the motion's times."""
    keypoints = made.reconstruction.keypoints[view][motion.keypoints.person]
    first = int(np.searchsorted(keypoints.timestamps, motion.timestamps[0] - 1e-6))
    return keypoints[first : first + len(motion)]


def _make_views_request(arguments: argparse.Namespace) -> ViewsRequest:
    numbers = arguments.intrinsics
    if numbers is not None and len(numbers) % 4:
        raise InputError(f"--intrinsics has {len(numbers)} numbers; give FX,FY,CX,CY, for one or for each video")
    lenses = None if numbers is None else tuple(tuple(numbers[i : i + 4]) for i in range(0, len(numbers), 4))
    return ViewsRequest(
        offsets=None if arguments.offsets is None else tuple(arguments.offsets),
        fov=None if arguments.fov is None else tuple(arguments.fov),
        intrinsics=lenses,
        calibration=tuple(arguments.calibration or ()),
        own_world=arguments.own_world and arguments.same_cameras is None,
    )


def _pair_inputs(arguments: argparse.Namespace) -> list[tuple[Path | None, Path | None]]:
    """The video and the keypoints of each view.

    Raises:
        InputError: there are fewer than two, or as many keypoints as videos are not given.
    """
    videos, keypoints = list(arguments.videos), list(arguments.keypoints or ())
    if keypoints and videos and len(keypoints) != len(videos):
        raise InputError(
            f"{len(keypoints)} --keypoints are given for {len(videos)} videos; give one for each, in order"
        )
    count = max(len(videos), len(keypoints))
    if count < 2:
        for path in videos:
            if not path.exists():
                raise InputError(f"{path} does not exist; give 2 to 8 videos, or a folder of takes")
        some = "no video is" if not count else "one video is"
        raise InputError(f"{some} given; give 2 to 8 videos of the same moment (for one video: poselift lift)")
    places = [path.resolve() for path in videos]
    if len(set(places)) < len(places):
        twice = next(path for path in videos if places.count(path.resolve()) > 1)
        raise InputError(f"{twice} is given twice; give videos from different places")
    return [(videos[view] if videos else None, keypoints[view] if keypoints else None) for view in range(count)]
