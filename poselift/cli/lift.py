"""`poselift lift`: 3D motion from a video, or from 2D keypoints.

One file, because it reads from top to bottom as a run goes: options, clip, lift, results.
"""

import argparse
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from poselift.cli.detector import add_detector_options
from poselift.cli.formats import NAMES, check_rerun
from poselift.cli.keypoints import add_keypoint_options, check_keypoint_options
from poselift.cli.lift_options import add_draw_option, add_lift_options
from poselift.cli.lift_request import CommandRequest, make_lift_request
from poselift.cli.overlay_video import write_overlay
from poselift.cli.result_files import print_warnings, write_results
from poselift.cli.values import local_path
from poselift.core.errors import InputError
from poselift.core.files import remove_partial_of
from poselift.core.progress_text import Output, stage_progress
from poselift.core.publishing import find_published
from poselift.finding.video_clip import Clip
from poselift.lifting.clips.open_clip import open_clip
from poselift.lifting.lifter_device import choose_lifter_device
from poselift.lifting.run import Progress, lift_clip
from poselift.models import Weights, load_weights
from poselift.recordings.names import OVERLAY
from poselift.recordings.result_folder import check_folder, open_results
from poselift.samples import demo_video
from poselift.structures import Recording
from poselift.video.pictures import find_pictures


def add_command(commands: Any) -> None:
    """Adds `lift` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "lift",
        description="Detects the people in a video, or reads them from a file of 2D keypoints, tracks each person and "
        "lifts them to 3D. Writes for each person an .npz (joints and their uncertainty, root, timestamps, keypoints), "
        "a .json that describes it and a .csv; overlay.mp4, the bodies on the video beside the 3D; and summary.json. "
        "A new run replaces the files of the previous run, including people that --person leaves out. Exit codes: 0; 2 "
        "if an input cannot be used; 3 if nobody was lifted.",
    )
    parser.add_argument(
        "video",
        nargs="?",
        type=local_path,
        help="a video file; or pictures: a folder, a pattern like frame_%%04d.png, a photo (default: the demo clip)",
    )
    parser.add_argument("--out", type=local_path, metavar="DIR", help="output folder (default: poselift_out/NAME)")
    how = add_lift_options(parser)
    how.add_argument(
        "--rerun",
        type=local_path,
        metavar="FILE.rrd",
        help="write everybody into one recording of Rerun too (rerun.io)",
    )
    add_draw_option(how)
    how.add_argument("--no-render", dest="overlay", action="store_false", help="do not write overlay.mp4")
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_keypoint_options(parser)
    add_detector_options(parser)
    parser.set_defaults(run=run)


_KEYPOINT_FILES = (".json", ".npz", ".npy", ".csv", ".h5", ".pkl", ".slp", ".trc")
"""Endings of files of keypoints, which no video has."""


def run(arguments: argparse.Namespace) -> None:
    """Lifts a command line's clip, writes results, and says where.

    Raises:
        InputError: an argument or an input file cannot be used.
        SystemExit: nobody was lifted; the summary is written.
    """
    check_keypoint_options(arguments)
    video, path = _choose_video(arguments), arguments.keypoints
    if path is None:
        path = video = video or demo_video()
    elif not find_published(path).exists():
        raise InputError(f"{path}: there is no such file or folder; check the path of the keypoints")
    request = make_lift_request(arguments)
    out: Path = arguments.out or Path("poselift_out") / _name_of(path)
    check_folder(out, path, video, request.formats)
    if arguments.rerun is not None:
        check_rerun(arguments.rerun)
    output = Output(quiet=arguments.quiet)
    detection = request.detection
    weights = load_weights(request.weights, choose_lifter_device(arguments.device, request.weights, detection.detector))
    detector = partial(detection.detector.build, arguments.device, arguments.quiet)
    clip = open_clip(video, arguments.keypoints, detection, detector, arguments.keypoint_set, arguments.size)
    with stage_progress(output) as report, open_results(out, path, video, request.formats) as unfinished:
        recording = lift_into(unfinished, clip, weights, request, report)
    print_warnings(output, recording, path, out)
    if arguments.rerun is not None:
        remove_partial_of(arguments.rerun)
        recording.export("rerun", arguments.rerun)
    count, frames = len(recording.people), recording.clock.frames
    people = f"{count} {'person' if count == 1 else 'people'}"
    drawn = (out / OVERLAY).exists()
    look = str(out / OVERLAY if drawn else out)
    if video is None and drawn:
        look += " (2D on blank pictures, because --video is not given)"
    output.print(
        f"{people} in {frames} {'frame' if frames == 1 else 'frames'}. Look at {look}; the motion is in "
        f"{out}/person_*.npz"
    )


def _name_of(path: Path) -> str:
    """The result folder's name: the input's, or its pictures' folder's."""
    return path.stem if find_published(path).exists() or "%" not in path.name else path.absolute().parent.name


def lift_into(
    out: Path,
    clip: Clip,
    weights: Weights,
    request: CommandRequest,
    report: Progress = lambda stage, done: None,
) -> Recording:
    """Lifts one clip and writes its results into a folder, summary.json last.

    Args:
        out: an empty folder.
        clip: frames, people and a tracker.
        weights: the lifter.
        request: what to lift and what to write.
        report: receives the progress of each stage.

    Returns:
        The recording that was written.

    Raises:
        InputError: the input or an option cannot be used.
    """
    recording = lift_clip(clip, weights, request, report)

    def draw(path: Path) -> None:
        write_overlay(path, clip.frames(), recording, request.draw is not None, report)

    return write_results(out, recording, request, {OVERLAY: draw})


def _choose_video(arguments: argparse.Namespace) -> Path | None:
    """The video, given with or without `--video`; None if absent.

    Raises:
        InputError: two are given, or keypoints or a folder in place of one.
    """
    if arguments.video is not None and arguments.video_option is not None:
        raise InputError(f"two videos are given, {arguments.video} and --video {arguments.video_option}; give one")
    video: Path | None = arguments.video_option if arguments.video is None else arguments.video
    if video is None or find_pictures(video) is not None:
        return video
    name = shlex.quote(str(video))
    if video.is_file() and video.suffix.lower() in _KEYPOINT_FILES:
        raise InputError(f"{video} is a file of keypoints, not a video: poselift lift --keypoints {name}")
    if video.is_dir():
        raise InputError(
            f"{video} is a folder without pictures. For a folder of videos: poselift batch {name} --out DIR. For "
            f"keypoints: poselift lift --keypoints {name}"
        )
    if not video.exists():
        listed = arguments.formats is not None and str(video) in NAMES
        hint = "formats are joined by commas, as in --formats bvh,glb" if listed else "check the path of the video"
        raise InputError(f"{video}: no such file; {hint}")
    return video
