"""`poselift lift`: 3D motion from a video, or from 2D keypoints."""

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from poselift.cli.camera import add_camera_options
from poselift.cli.detector import add_detector_options, add_quality_option, chosen_detector
from poselift.cli.device import torch_device
from poselift.cli.keypoints import add_keypoint_options, chosen_keypoints
from poselift.cli.progress import stage_progress
from poselift.cli.results import OVERLAY, Results, check_folder, folder, person_files
from poselift.cli.weights import add_lifter_option
from poselift.core.ahead import ahead
from poselift.core.errors import InputError
from poselift.lifting import Clip, LiftedClip, LiftOptions, VideoClip, World, lift_clip, to_world
from poselift.lifting.clip import frames_within
from poselift.lifting.pipeline import AHEAD, Progress
from poselift.lifting.still import camera_motion
from poselift.lifting.stopwatch import Stopwatch
from poselift.models import Weights, load_weights
from poselift.samples import demo_video
from poselift.skeleton import CMU28, H36M17, Skeleton, get_skeleton
from poselift.video import VideoWriter
from poselift.viz import OverlayRenderer


def add_command(commands: Any) -> None:
    """Adds `lift` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "lift",
        help="3D motion from a video, or from 2D keypoints",
        description="Detects the people in a video, or reads them from a file of 2D keypoints, tracks each person and "
        "lifts them to 3D. Writes for each person an .npz (joints and their uncertainty, root, timestamps, keypoints), "
        "a .json that describes it and a .csv; overlay.mp4, the bodies on the video beside the 3D; and summary.json. "
        "A new run replaces the files of the previous run, including people that --person leaves out.",
    )
    parser.add_argument("video", nargs="?", type=Path, help="a video file (default: the demo clip)")
    parser.add_argument("--out", type=folder, metavar="DIR", help="output folder (default: poselift_out/NAME)")
    what = parser.add_argument_group("what to lift")
    what.add_argument("--start", type=float, metavar="S", help="start of the span, seconds")
    what.add_argument("--end", type=float, metavar="S", help="end of the span, seconds")
    what.add_argument(
        "--person",
        type=_numbers,
        metavar="ID[,ID...]",
        help="only these people, numbered from 1 in order of appearance (default: all)",
    )
    what.add_argument(
        "--height",
        type=_heights,
        metavar="METRES|ID:METRES[,...]",
        help="standing height, of everybody or by person, such as 1:1.82,2:1.68 (default: estimated)",
    )
    add_camera_options(parser)
    how = parser.add_argument_group("how")
    add_lifter_option(how)
    how.add_argument(
        "--skeleton",
        choices=[H36M17.name, CMU28.name],
        help="joints to write: Human3.6M's 17, or 28 with toes, heels, hands and face (default: the 17, or all joints "
        "of the weights if they lack one of these)",
    )
    how.add_argument(
        "--device", choices=["auto", "cpu", "cuda"], default="auto", help="where to run (default: a GPU if present)"
    )
    how.add_argument(
        "--threshold",
        type=_share,
        default=LiftOptions.threshold,
        metavar="SCORE",
        help="lowest score of the 2D joints to use (default: %(default)s)",
    )
    add_quality_option(how)
    how.add_argument("--no-flip", action="store_true", help="do not average with the mirrored input: twice as fast")
    how.add_argument("--no-constant-bones", action="store_true", help="let bone lengths change from frame to frame")
    how.add_argument(
        "--world",
        action="store_true",
        help="write the motion in the world frame, Y up from the ground, with foot contacts; needs a still camera",
    )
    how.add_argument("--no-render", action="store_true", help="do not write overlay.mp4")
    how.add_argument("--quiet", action="store_true", help="print errors only")
    add_keypoint_options(parser)
    add_detector_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Lifts a clip and writes the results.

    Raises:
        InputError: an argument or an input file cannot be used.
    """
    video = _chosen_video(arguments)
    path: Path = arguments.keypoints or video or demo_video()
    out: Path = arguments.out if arguments.out is not None else Path("poselift_out") / path.stem
    check_folder(out, path, video)
    # No markup, because file names may look like rich's.
    console = Console(quiet=arguments.quiet, highlight=False, soft_wrap=True, markup=False, emoji=False)
    weights = load_weights(arguments.weights, torch_device(arguments.device))
    skeleton = _chosen_skeleton(arguments, weights)
    clip = chosen_keypoints(arguments, video) or _video_clip(arguments, path)
    results = Results(out, clip, weights, _inputs(arguments, path, video))
    options = LiftOptions(
        threshold=arguments.threshold,
        flip=not arguments.no_flip,
        constant_bones=not arguments.no_constant_bones,
    )
    with stage_progress(console) as report:
        lifted = lift_clip(
            clip,
            weights,
            fov=arguments.fov,
            intrinsics=arguments.intrinsics,
            people=arguments.person,
            height=arguments.height,
            options=options,
            progress=report,
        )
        watch = Stopwatch(lifted.seconds)
        world = None
        if arguments.world:
            with watch.time("world"):
                world = _world(clip, options.threshold, lifted)
        motions = [motion.restricted(skeleton) for motion in (lifted if world is None else world).motions]
        lifted = replace(lifted, motions=[motion.restricted(skeleton) for motion in lifted.motions])
        files = [name for motion in motions for name in person_files(motion)]
        if motions and not arguments.no_render:
            files.append(OVERLAY)
        # First, so that the files of a stopped run are known to be ours; and again at the end, with all times.
        results.write_summary(lifted, watch.seconds, files)
        with watch.time("write"):
            for motion in motions:
                results.write_person(motion, lifted, world)
        if OVERLAY in files:
            with watch.time("render"):
                _render(clip, options.threshold, lifted, out / OVERLAY, report)
        results.write_summary(lifted, watch.seconds, files)
    for warning in lifted.warnings:
        console.print(f"warning: {warning}", style="yellow")
    if not motions:
        console.print(f"Nobody was found in {path}. Summary: {out / 'summary.json'}")
        return
    people = f"{len(motions)} {'person' if len(motions) == 1 else 'people'}"
    look = str(out if arguments.no_render else out / OVERLAY)
    if arguments.keypoints is not None and video is None and not arguments.no_render:
        look += " (2D on blank pictures, because --video is not given)"
    console.print(f"{people} in {lifted.frames} frames. Look at {look}; the motion is in {out}/person_*.npz and .csv")


def _inputs(arguments: argparse.Namespace, path: Path, video: Path | None) -> dict[str, str]:
    """Names of the input files, for the results."""
    if arguments.keypoints is None:
        return {"video": path.name}
    return {"keypoints_file": path.name, **({} if video is None else {"video": video.name})}


def _world(clip: Clip, threshold: float, lifted: LiftedClip) -> World:
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
    K = None if lifted.camera.distortion is not None else lifted.camera.K.double().numpy()
    renderer = OverlayRenderer(clip.image_size, lifted.motions, threshold=threshold, K=K)
    # Frames are decoded, drawn and encoded side by side.
    drawn = (
        (renderer.render(frame.image, frame.timestamp), frame.timestamp) for frame in ahead(frames_within(clip), AHEAD)
    )
    with VideoWriter(path, *renderer.size) as writer:
        for done, (picture, timestamp) in enumerate(ahead(drawn, AHEAD), start=1):
            writer.write(picture, timestamp)
            report("Drawing", min(done / lifted.frames, 1.0))


def _chosen_skeleton(arguments: argparse.Namespace, weights: Weights) -> Skeleton:
    """The skeleton to write, checked against the weights before the long work."""
    given = weights.lifter.skeleton_out
    if arguments.skeleton is None:
        return H36M17 if set(H36M17.joints) <= set(given.joints) else given
    wanted = get_skeleton(arguments.skeleton)
    if missing := [joint for joint in wanted.joints if joint not in given.joints]:
        raise InputError(
            f"--skeleton {wanted.name}: the weights {weights.name} give {given.name}, without {', '.join(missing)}"
        )
    return wanted


def _video_clip(arguments: argparse.Namespace, path: Path) -> VideoClip:
    return VideoClip(path, chosen_detector(arguments), arguments.start, arguments.end, arguments.quality)


def _chosen_video(arguments: argparse.Namespace) -> Path | None:
    """The video, given with or without `--video`; None if absent."""
    if arguments.video is not None and arguments.video_option is not None:
        raise InputError(f"two videos are given, {arguments.video} and --video {arguments.video_option}; give one")
    video: Path | None = arguments.video_option if arguments.video is None else arguments.video
    return video


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers; give people such as 1,3") from None


def _heights(text: str) -> float | dict[int, float]:
    try:
        if ":" not in text:
            return float(text)
        pairs = [(int(person), float(metres)) for person, metres in (part.split(":") for part in text.split(","))]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a height; give metres such as 1.82 or 1:1.82,2:1.68"
        ) from None
    if len(dict(pairs)) < len(pairs):
        raise argparse.ArgumentTypeError(f"{text!r} has two heights of one person; give one")
    return dict(pairs)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a score; give a number from 0 to 1")
    return value
