"""`poselift attention`: pictures of a lifter's attention in a video."""

import argparse
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from poselift.cli.detector import add_detector_options, make_detector_request
from poselift.cli.values import local_path
from poselift.cli.weights import add_lifter_option
from poselift.core.device import DEVICE_HELP
from poselift.core.errors import InputError
from poselift.core.files import check_writable
from poselift.core.progress_text import Output, stage_progress
from poselift.finding import VideoClip
from poselift.lifting import Camera, LiftOptions, LiftRequest, lift
from poselift.lifting.prepare.lifter_joints import select_lifter_joints
from poselift.lifting.run import lift_clip
from poselift.models import Weights, load_weights
from poselift.models.attention_maps import attention_maps
from poselift.nn.attention.maps import AttentionMap
from poselift.samples import demo_video
from poselift.structures import Keypoints2D, Motion
from poselift.video import VideoReader


def add_command(commands: Any) -> None:
    """Adds `attention` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "attention",
        description="Lifts one window of one person and draws the attention of each layer and head: over joints on "
        "the body (joints.png, .pdf) and over time as matrices (time.png, .pdf). In the folder of an evaluation, as "
        "RUN/attention, the pictures come into the page of poselift report.",
    )
    parser.add_argument("video", nargs="?", type=local_path, help="any video file; the demo clip if left out")
    parser.add_argument(
        "--out", type=local_path, default=Path("poselift_out/attention"), metavar="DIR", help="default: %(default)s"
    )
    parser.add_argument("--start", type=float, metavar="S", help="the window begins here, seconds (default: 0)")
    parser.add_argument(
        "--person", type=int, default=1, metavar="ID", help="number of the person (default: %(default)s)"
    )
    add_lifter_option(parser)
    parser.add_argument("--frames", type=int, metavar="N", help="in the window (default: as many as the weights say)")
    parser.add_argument("--device", default="auto", help=DEVICE_HELP)
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    add_detector_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Draws the pictures.

    Raises:
        InputError: something that was given cannot be used, or the lifter does not attend.
    """
    # Imported here, as matplotlib is slow to load.
    from poselift.viz.plots.attention_grids import joint_attention_plot, time_attention_plot
    from poselift.viz.plots.style import save_plot

    video: Path = options.video if options.video is not None else demo_video()
    check_writable(options.out)
    output = Output(quiet=options.quiet)
    weights = load_weights(options.weights)
    window = weights.window if options.frames is None else options.frames
    if window < 2:
        raise InputError(f"--frames must be at least 2, not {window}")
    start = options.start or 0.0
    # Time stamps, because a header's frame rate can be wrong. More than a window, because frames may come late.
    read = [frame.timestamp for frame in islice(VideoReader(video, start), window + window // 2)]
    if not read:
        raise InputError(f"{video} has no frame from {start:g} s on; choose another --start")
    with stage_progress(output) as report:
        detector = make_detector_request(options).build(options.device, options.quiet)
        # The window is to have all its frames.
        clip = VideoClip(video, detector, start, read[-1] + 1e-6, "best")
        recording = lift_clip(clip, weights, LiftRequest(people=(options.person,)), report)
    if not recording.people:
        raise InputError(f"nobody was found in {video} from {start:g} s on; choose another --start")
    motion, maps = watch(recording.people[0].keypoints, weights, recording.camera, window)
    times, skeleton = motion.timestamps, weights.skeleton_in
    pixels, _ = select_lifter_joints(motion.keypoints, skeleton, LiftOptions.threshold, weights.pelvis)
    # The first frame with the most joints.
    shown = int(np.isfinite(pixels).all(-1).sum(-1).argmax())
    written = []
    if any(layer.over_joints for layer in maps):
        picture = next(iter(VideoReader(video, start=float(times[shown]), end=None))).image
        save_plot(joint_attention_plot(maps, pixels[shown], skeleton, picture), options.out / "joints")
        written.append("joints.png")
    if any(not layer.over_joints for layer in maps):
        save_plot(time_attention_plot(maps), options.out / "time")
        written.append("time.png")
    output.print(
        f"Person {options.person}, {len(times)} frames from {times[0]:.2f} s on, {len(maps)} layers. "
        f"Look at {' and '.join(str(options.out / name) for name in written)}"
    )


def watch(keypoints: Keypoints2D, weights: Weights, camera: Camera, frames: int) -> tuple[Motion, list[AttentionMap]]:
    """The first window's motion, as of `poselift lift`, and its attention.

    Args:
        keypoints: of one person. The window starts with the first frame that has usable keypoints.
        weights: the lifter.
        camera: the camera of the keypoints.
        frames: in the window, at most.

    Raises:
        InputError: no keypoint can be used, or the lifter has no attention to show.
    """
    _, scores = select_lifter_joints(keypoints, weights.skeleton_in, LiftOptions.threshold, weights.pelvis)
    usable = (scores > 0).any(-1)
    if not usable.any():
        reason = f"no joint of the lifter scores {LiftOptions.threshold:g} or more in any frame"
        raise InputError(f"person {keypoints.person} cannot be lifted: {reason}; choose another --person or --start")
    first = int(np.argmax(usable))
    window = keypoints[first : first + frames]
    # PyTorch's modules are watched while they run.
    watched = replace(weights, loaded=weights.lifter)
    return attention_maps(watched.lifter, lambda: lift(window, watched, camera, LiftOptions(window=frames)))
