"""`poselift lift`: from a video to 3D, one command."""

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from poselift.cli.detector import add_detector_options, chosen_detector
from poselift.cli.device import torch_device
from poselift.cli.keypoints import add_keypoint_options, chosen_keypoints
from poselift.cli.progress import stage_progress
from poselift.cli.results import OVERLAY, check_folder, folder, person_files, write_person, write_summary
from poselift.cli.weights import add_lifter_option
from poselift.core.errors import InputError
from poselift.geometry import ASSUMED_FOV
from poselift.lifting import DetectionStream, LiftedVideo, LiftOptions, VideoDetections, World, lift_stream, to_world
from poselift.lifting.pipeline import Stopwatch
from poselift.lifting.still import camera_motion
from poselift.models import Weights, load_weights
from poselift.samples import demo_video
from poselift.skeleton import CMU28, H36M17, Skeleton, get_skeleton
from poselift.video import VideoWriter
from poselift.viz import OverlayRenderer


def add_command(commands: Any) -> None:
    """Adds `lift` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "lift",
        help="make 3D motion from a video, or from 2D keypoints",
        description="Finds the people in a video, or takes them from a file of 2D keypoints, follows each one, and "
        "lifts them to 3D. Writes for each person an .npz (joints and how far off each may be, root, timestamps, "
        "keypoints), a .json that says what is in it and a .csv; overlay.mp4, with "
        "the 2D on the video beside the 3D; and summary.json.",
    )
    parser.add_argument("video", nargs="?", type=Path, help="any video file; the demo clip if left out")
    parser.add_argument("--out", type=folder, metavar="DIR", help="where to write (default: poselift_out/NAME)")
    what = parser.add_argument_group("what to lift")
    what.add_argument("--start", type=float, metavar="S", help="leave out what comes before, seconds")
    what.add_argument("--end", type=float, metavar="S", help="leave out what comes after, seconds")
    what.add_argument(
        "--person",
        type=_numbers,
        metavar="ID[,ID...]",
        help="only these people, numbered from 1 as they appear (default: all)",
    )
    what.add_argument(
        "--height",
        type=_heights,
        metavar="METRES|ID:METRES[,...]",
        help="standing height, of everybody or by person's number, such as 1:1.82,2:1.68 (default: estimated)",
    )
    camera = parser.add_argument_group("camera, where it is known")
    camera.add_argument(
        "--fov",
        type=float,
        metavar="DEG",
        help=f"field of view across the picture's longer side, degrees (assumed: {ASSUMED_FOV:g})",
    )
    camera.add_argument(
        "--intrinsics", type=_intrinsics, metavar="FX,FY,CX,CY", help="focal lengths and principal point, pixels"
    )
    how = parser.add_argument_group("how")
    add_lifter_option(how)
    how.add_argument(
        "--skeleton",
        choices=[H36M17.name, CMU28.name],
        help="joints to write: Human3.6M's 17, or 28 with toes, heels, hands and face (default: the 17, or what the "
        "weights give where they lack one of these)",
    )
    how.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: a GPU if there is one")
    how.add_argument(
        "--threshold",
        type=_share,
        default=0.2,
        metavar="SCORE",
        help="2D joints that score less are not used (default: %(default)s)",
    )
    how.add_argument("--no-flip", action="store_true", help="do not average with the mirrored input: half the work")
    how.add_argument("--free-bones", action="store_true", help="let bones change their length from frame to frame")
    how.add_argument(
        "--world",
        action="store_true",
        help="write the motion in the world, Y up from the ground, with foot contacts; the camera must not move",
    )
    how.add_argument("--no-render", action="store_true", help="do not make overlay.mp4")
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_keypoint_options(parser)
    add_detector_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Lifts a video and writes everything.

    Raises:
        InputError: something that was given cannot be used.
    """
    video = _chosen_video(options)
    source: Path = options.keypoints or video or demo_video()
    out: Path = options.out if options.out is not None else Path("poselift_out") / source.stem
    origin = {} if options.keypoints is None else {"keypoints_file": source.name}
    if video is not None or options.keypoints is None:
        origin["video"] = (video or source).name
    check_folder(out, source, video)
    # File names may hold what rich would take for markup.
    console = Console(quiet=options.quiet, highlight=False, soft_wrap=True, markup=False, emoji=False)
    device = torch_device(options.device)
    weights = load_weights(options.weights, device)
    skeleton = _chosen_skeleton(options, weights)
    stream = _chosen_stream(options, source, video)
    with stage_progress(console) as report:
        lifted = lift_stream(
            stream,
            weights,
            fov=options.fov,
            intrinsics=options.intrinsics,
            people=options.person,
            height=options.height,
            options=LiftOptions(
                threshold=options.threshold, flip=not options.no_flip, constant_bones=not options.free_bones
            ),
            progress=report,
        )
        watch = Stopwatch()
        watch.seconds.update(lifted.seconds)
        world = None
        if options.world:
            with watch.time("world"):
                world = _world(stream, options.threshold, lifted)
                world = replace(world, motions=[motion.restricted(skeleton) for motion in world.motions])
        lifted = replace(lifted, motions=[motion.restricted(skeleton) for motion in lifted.motions])
        files = [name for motion in lifted.motions for name in person_files(motion)]
        if lifted.motions and not options.no_render:
            files.append(OVERLAY)
        # Before the files, so that those which a stopped run leaves behind are known to be ours; then with all times.
        write_summary(out, lifted, watch.seconds, files, weights, stream, origin)
        with watch.time("write"):
            for motion in lifted.motions if world is None else world.motions:
                write_person(out, motion, lifted, weights, stream, origin, world)
        if OVERLAY in files:
            with watch.time("render"):
                _render(stream, options.threshold, lifted, out / OVERLAY, report)
        write_summary(out, lifted, watch.seconds, files, weights, stream, origin)
    for warning in lifted.warnings:
        console.print(f"warning: {warning}", style="yellow")
    if not lifted.motions:
        console.print(f"Nobody was found in {source}. Summary: {out / 'summary.json'}")
        return
    count = len(lifted.motions)
    people = f"{count} {'person' if count == 1 else 'people'}"
    look = str(out if options.no_render else out / OVERLAY)
    if options.keypoints is not None and video is None and not options.no_render:
        look += " (the 2D on blank pictures, as there is no --video)"
    console.print(f"{people} in {lifted.frames} frames. Look at {look}; the motion is in {out}/person_*.npz and .csv")


def _world(stream: DetectionStream, threshold: float, lifted: LiftedVideo) -> World:
    """Everybody in the world; a warning is added where the pictures show that the camera moves, or no feet were seen.

    Keypoints without a video have no pictures but blank ones, which show nothing.
    """
    moved = camera_motion(stream.pictures(), lifted.span, lifted.motions, lifted.camera)
    if moved is not None and not moved.still:
        by = f"by {moved.degrees:.1f} degrees" if math.isfinite(moved.pixels) else "to another view"
        lifted.warnings.append(f"the camera moves {by}: the world is right for a camera that is still")
    world = to_world(lifted.motions, lifted.camera, threshold)
    if lifted.motions and not world.feet_seen:
        lifted.warnings.append("no feet were seen: up and the ground are guessed from how cameras are held")
    return world


def _chosen_skeleton(options: argparse.Namespace, weights: Weights) -> Skeleton:
    """The joints that are written; those that the weights do not give are refused before anything is lifted."""
    given: Skeleton = weights.lifter.skeleton_out
    if options.skeleton is None:
        return H36M17 if set(H36M17.joints) <= set(given.joints) else given
    wanted = get_skeleton(options.skeleton)
    if missing := [joint for joint in wanted.joints if joint not in given.joints]:
        raise InputError(
            f"--skeleton {wanted.name}: the weights {weights.name} give {given.name}, without {', '.join(missing)}"
        )
    return wanted


def _chosen_stream(options: argparse.Namespace, source: Path, video: Path | None) -> DetectionStream:
    """The people in each frame: from a file of keypoints, or from a detector on the video."""
    keypoints = chosen_keypoints(options, video)
    if keypoints is not None:
        return keypoints
    return VideoDetections(source, chosen_detector(options), options.start, options.end)


def _chosen_video(options: argparse.Namespace) -> Path | None:
    """The video, which may be given with or without `--video`; None where there is none."""
    if options.video is not None and options.video_option is not None:
        raise InputError(f"two videos are given, {options.video} and --video {options.video_option}; give one")
    video: Path | None = options.video_option if options.video is None else options.video
    return video


def _intrinsics(text: str) -> tuple[float, float, float, float]:
    try:
        fx, fy, cx, cy = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not FX,FY,CX,CY, four numbers in pixels") from None
    return fx, fy, cx, cy


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of people's numbers, such as 1,3") from None


def _heights(text: str) -> float | dict[int, float]:
    try:
        if ":" not in text:
            return float(text)
        pairs = [(int(person), float(metres)) for person, metres in (part.split(":") for part in text.split(","))]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a height in metres, such as 1.82 or 1:1.82,2:1.68") from None
    if len(dict(pairs)) < len(pairs):
        raise argparse.ArgumentTypeError(f"{text!r} gives a person two heights")
    return dict(pairs)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a score from 0 to 1")
    return value


def _render(stream: DetectionStream, threshold: float, lifted: LiftedVideo, path: Path, report: Any) -> None:
    """Goes through the pictures once more, and draws what was found on them, frame by frame."""
    renderer = OverlayRenderer(stream.image_size, lifted.motions, threshold=threshold)
    with VideoWriter(path, *renderer.size) as writer:
        for done, (image, timestamp) in enumerate(stream.pictures(), start=1):
            writer.write(renderer.render(image, timestamp), timestamp)
            report("Drawing", done / lifted.frames)
