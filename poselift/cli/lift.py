"""`poselift lift`: 3D motion from a video, or from 2D keypoints.

One file, because it reads from top to bottom as a run goes: options, clip, lift, results.
"""

import argparse
import math
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from poselift.cli.detector import add_detector_options
from poselift.cli.formats import check_recording, write_formats, write_recording
from poselift.cli.keypoints import add_keypoint_options, make_keypoint_request
from poselift.cli.lift_options import add_lift_options
from poselift.cli.lift_request import LiftRequest, make_lift_request
from poselift.cli.lifter_device import choose_lifter_device
from poselift.cli.result_folder import open_results
from poselift.cli.results import OVERLAY, SUMMARY, Results, check_folder
from poselift.cli.smooth import describe_filter
from poselift.cli.values import local_path
from poselift.core.ahead import make_ahead
from poselift.core.errors import InputError, WriteError, make_printable
from poselift.core.progress_text import Output, stage_progress
from poselift.core.stopwatch import Stopwatch
from poselift.finding import Clip, VideoClip
from poselift.finding.video_clip import AHEAD, frames_within
from poselift.kinematics import butterworth
from poselift.lifting import LiftedClip, World, lift_clip, to_world
from poselift.lifting.clips.pipeline import Progress
from poselift.lifting.world.camera_motion import camera_motion
from poselift.models import Weights, load_weights
from poselift.samples import demo_video
from poselift.skeleton import H36M17, Skeleton, get_skeleton
from poselift.structures import Motion
from poselift.video import VideoWriter
from poselift.viz import OverlayRenderer

NOBODY = 3
"""Exit code where the command ran to its end, but gave nobody's motion."""

_X264 = {"preset": "ultrafast", "crf": "22", "x264-params": "bframes=3:b-adapt=0:no-deblock=0:deblock=0,0"}
"""Of the overlay, to look at: a third of the time of `VideoWriter`'s own setting, for a file 40 % larger. B-frames at
fixed places cost no search, and make up for what the preset leaves out."""


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
    parser.add_argument("video", nargs="?", type=local_path, help="a video file (default: the demo clip)")
    parser.add_argument("--out", type=local_path, metavar="DIR", help="output folder (default: poselift_out/NAME)")
    how = add_lift_options(parser)
    how.add_argument(
        "--rerun",
        type=local_path,
        metavar="FILE.rrd",
        help="write everybody into one recording of Rerun too (rerun.io)",
    )
    how.add_argument("--no-render", dest="overlay", action="store_false", help="do not write overlay.mp4")
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_keypoint_options(parser)
    add_detector_options(parser)
    parser.set_defaults(run=run)


_KEYPOINT_FILES = (".json", ".npz", ".npy", ".csv", ".h5", ".pkl", ".slp", ".trc")
"""Endings of files of keypoints, which no video has."""


def run(arguments: argparse.Namespace) -> None:
    """Lifts the clip of a command line, writes the results, and prints where they are.

    Raises:
        InputError: an argument or an input file cannot be used.
        SystemExit: nobody was lifted (`NOBODY`); the summary is written.
    """
    video, keypoints = _choose_video(arguments), make_keypoint_request(arguments)
    if keypoints is None:
        path = video = video or demo_video()
    else:
        path = keypoints.path
    request = make_lift_request(arguments)
    out: Path = arguments.out or Path("poselift_out") / path.stem
    check_folder(out, path, video, request.formats)
    if arguments.rerun is not None:
        check_recording(arguments.rerun)
    output = Output(quiet=arguments.quiet)
    detection = request.detection
    weights = load_weights(request.weights, choose_lifter_device(arguments.device, request.weights, detection.detector))
    if keypoints is not None:
        clip: Clip = keypoints.open_clip(video, detection)
    else:
        detector = detection.detector.build(arguments.device, arguments.quiet)
        clip = VideoClip(path, detector, detection.start, detection.end, detection.quality, detection.fps)
    with stage_progress(output) as report, open_results(out, path, video, request.formats) as unfinished:
        lifted = lift_into(unfinished, clip, weights, request, video, report)
    for warning in lifted.warnings:
        output.print(make_printable(f"warning: {warning}"))
    posed = [motion.keypoints.person for motion in lifted.motions if motion.posed.any()]
    if not posed:
        summary = make_printable(f"nobody was lifted in {path}; the reasons are in {out / SUMMARY}")
        print(summary, file=sys.stderr)
        raise SystemExit(NOBODY)
    if arguments.rerun is not None:
        write_recording(arguments.rerun, [out / f"person_{person}.npz" for person in posed])
    count = len(lifted.motions)
    people = f"{count} {'person' if count == 1 else 'people'}"
    frames = f"{lifted.frames} {'frame' if lifted.frames == 1 else 'frames'}"
    drawn = (out / OVERLAY).exists()
    look = str(out / OVERLAY if drawn else out)
    if video is None and drawn:
        look += " (2D on blank pictures, because --video is not given)"
    output.print(make_printable(f"{people} in {frames}. Look at {look}; the motion is in {out}/person_*.npz"))


def lift_into(
    out: Path,
    clip: Clip,
    weights: Weights,
    request: LiftRequest,
    video: Path | None,
    report: Progress = lambda stage, done: None,
) -> LiftedClip:
    """Lifts one clip and writes its results into a folder, summary.json last.

    Args:
        out: an empty folder.
        clip: frames, people and a tracker.
        weights: the lifter.
        request: what to lift and what to write.
        video: the video, if there is one.
        report: receives the progress of each stage.

    Returns:
        The motions in the camera frame, with the joints that were written.

    Raises:
        InputError: the input or an option cannot be used.
    """
    skeleton = choose_skeleton(request, weights)
    results = Results(out, clip, weights, video, request.csv)
    lifted = lift_clip(
        clip,
        weights,
        fov=request.fov,
        intrinsics=request.intrinsics,
        people=request.people,
        height=request.height,
        options=request.options,
        progress=report,
    )
    watch = Stopwatch(lifted.seconds)
    world = None
    if request.world:
        with watch.time("world"):
            world = _place_in_world(clip, request.options.threshold, lifted)
    found = lifted if world is None else world
    motions = [
        replace(motion.restrict(skeleton), height=found.heights.get(motion.keypoints.person))
        for motion in found.motions
    ]
    smoothed = [_smooth(motion, request.smooth, lifted.warnings) for motion in motions]
    motions = [motion for motion, _ in smoothed]
    lifted = replace(lifted, motions=[motion.restrict(skeleton) for motion in lifted.motions])
    people = {f"person_{motion.keypoints.person}": motion for motion in motions}
    with watch.time("write"):
        files = [name for motion, filters in smoothed for name in results.write_person(motion, lifted, world, filters)]
    if request.formats and people:
        with watch.time("export"):
            written, failed = write_formats(out, request.formats, people, video, lifted.span)
        lifted.warnings.extend(failed)
        files = list(dict.fromkeys([*files, *written]))
    if motions and request.overlay:
        # Last, and no reason to lose the motions, but for a disk on which nothing can be written.
        try:
            with watch.time("render"):
                _render(clip, request.options.threshold, lifted, out / OVERLAY, report)
            files.append(OVERLAY)
        except WriteError:
            raise
        except InputError as error:
            lifted.warnings.append(f"{OVERLAY} could not be made: {error}")
    results.write_summary(lifted, watch.seconds, files)
    return lifted


def _smooth(motion: Motion, cutoff: float | None, warnings: list[str]) -> tuple[Motion, list[dict[str, Any]]]:
    """The motion and the filters that it went through; without them, and with a warning, where its frames are too few.

    Only the timestamps tell their rate: that of the file is an average, and phones change theirs.
    """
    if cutoff is None:
        return motion, []
    try:
        return butterworth(motion, cutoff), [describe_filter(cutoff)]
    except InputError as error:
        warnings.append(f"person {motion.keypoints.person} is not smoothed: {error}")
        return motion, []


def _place_in_world(clip: Clip, threshold: float, lifted: LiftedClip) -> World:
    """The motions in the world frame; adds a warning for a moving camera or missing feet.

    Keypoints without a video have blank pictures, which give no warning.
    """
    moved = camera_motion(frames_within(clip), lifted.span, lifted.motions, lifted.camera)
    if moved is not None and not moved.still:
        by = f"by {moved.degrees:.1f} degrees" if math.isfinite(moved.pixels) else "to another view"
        lifted.warnings.append(f"the camera moves {by}: the world frame is only right for a still camera")
    world = to_world(lifted.motions, lifted.camera, threshold, lifted.heights)
    if lifted.motions and not world.feet_seen:
        lifted.warnings.append("no feet were seen: up and the ground are guessed from usual camera poses")
    return world


def _render(clip: Clip, threshold: float, lifted: LiftedClip, path: Path, report: Progress) -> None:
    """Reads the pictures again, and writes the overlay."""
    # A lens with distortion bends the picture: only the detections fit it.
    K = None if lifted.camera.distortion is not None else lifted.camera.K.astype(float)
    renderer = OverlayRenderer(clip.image_size, lifted.motions, threshold=threshold, K=K)
    # Frames are decoded, drawn and encoded side by side.
    drawn = (
        (renderer.render(frame.image, frame.timestamp), frame.timestamp)
        for frame in make_ahead(frames_within(clip), AHEAD)
    )
    with VideoWriter(path, *renderer.size, x264=_X264) as writer:
        for done, (picture, timestamp) in enumerate(make_ahead(drawn, AHEAD), start=1):
            writer.write(picture, timestamp)
            report("Drawing", min(done / lifted.frames, 1.0))


def choose_skeleton(request: LiftRequest, weights: Weights) -> Skeleton:
    """The skeleton to write, checked against the weights before the long work."""
    given = weights.skeleton_out
    if request.skeleton is None:
        return H36M17 if set(H36M17.joints) <= set(given.joints) else given
    wanted = get_skeleton(request.skeleton)
    if missing := [joint for joint in wanted.joints if joint not in given.joints]:
        raise InputError(
            f"--skeleton {wanted.name}: the weights {weights.name} give {given.name}, without {', '.join(missing)}"
        )
    return wanted


def _choose_video(arguments: argparse.Namespace) -> Path | None:
    """The video, given with or without `--video`; None if absent.

    Raises:
        InputError: two are given, or keypoints or a folder in place of one.
    """
    if arguments.video is not None and arguments.video_option is not None:
        raise InputError(f"two videos are given, {arguments.video} and --video {arguments.video_option}; give one")
    video: Path | None = arguments.video_option if arguments.video is None else arguments.video
    if video is not None and (video.is_dir() or (video.is_file() and video.suffix.lower() in _KEYPOINT_FILES)):
        name = shlex.quote(str(video))
        what, videos = "a file of keypoints", ""
        if video.is_dir():
            what, videos = "a folder", f". For a folder of videos: poselift batch {name}"
        raise InputError(f"{video} is {what}, not a video. For keypoints: poselift lift --keypoints {name}{videos}")
    return video
