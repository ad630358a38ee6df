"""The options by which 2D keypoints that were made elsewhere are lifted."""

import argparse
from pathlib import Path

from poselift.cli.detector import refuse_detector
from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.skeleton import get_skeleton

_OPTIONS = ("keypoint_set", "fps", "size")


def add_keypoint_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--keypoints` and what goes with it."""
    group = parser.add_argument_group("2D keypoints made elsewhere", "docs/keypoints.md says which")
    group.add_argument(
        "--keypoints",
        type=Path,
        metavar="PATH",
        help="a file or folder of OpenPose, AlphaPose, COCO, MMPose, DeepLabCut, VideoPose3D, Sports2D, Pose2Sim or "
        "poselift, instead of a detector",
    )
    group.add_argument(
        "--video", dest="video_option", type=Path, metavar="VIDEO", help="the video that they were found in"
    )
    group.add_argument(
        "--keypoint-set", metavar="NAME", help="their joint set, such as coco17 (default: told by names or number)"
    )
    group.add_argument("--fps", type=float, metavar="N", help="frames a second, where there is no video")
    group.add_argument("--size", type=_size, metavar="WxH", help="of the pictures in pixels, where there is no video")


def chosen_keypoints(options: argparse.Namespace, video: Path | None) -> KeypointClip | None:
    """The file that the options ask for; None where they ask for a detector.

    Raises:
        InputError: an option goes with another one, or the file cannot be used.
    """
    if options.keypoints is None:
        strays = [name for name in _OPTIONS if getattr(options, name) is not None]
        if strays:
            raise InputError(f"--{strays[0].replace('_', '-')} goes with --keypoints PATH")
        return None
    refuse_detector(options, "--keypoints")
    skeleton = None if options.keypoint_set is None else get_skeleton(options.keypoint_set)
    return KeypointClip(
        read_keypoints(options.keypoints, skeleton),
        video=video,
        fps=options.fps,
        image_size=options.size,
        start=options.start,
        end=options.end,
    )


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        width = height = 0
    if width <= 0 or height <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT in pixels, such as 1920x1080")
    return width, height
