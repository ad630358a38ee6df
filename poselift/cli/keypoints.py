"""The options for 2D keypoints from other programs."""

import argparse

from poselift.cli.detector import refuse_detector
from poselift.cli.values import local_path
from poselift.core.errors import InputError


def add_keypoint_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--keypoints` and its companions."""
    group = parser.add_argument_group("2D keypoints from other programs", "docs/keypoints.md lists the formats")
    group.add_argument(
        "--keypoints",
        type=local_path,
        metavar="PATH",
        help="a file or folder of OpenPose, AlphaPose, COCO, MMPose, Ultralytics, MediaPipe, DeepLabCut, SLEAP, "
        "movement, VideoPose3D, Sports2D, Pose2Sim or poselift, instead of a detector",
    )
    group.add_argument(
        "--video", dest="video_option", type=local_path, metavar="VIDEO", help="the video of the keypoints"
    )
    group.add_argument(
        "--keypoint-set",
        metavar="NAME",
        help="skeleton of the keypoints, such as coco17 (default: by their names or number)",
    )
    group.add_argument("--size", type=_size, metavar="WxH", help="size of the pictures in pixels, without a video")


def check_keypoint_options(arguments: argparse.Namespace) -> None:
    """Checks that the options for keypoints go with all others.

    Raises:
        InputError: options contradict each other.
    """
    if arguments.keypoints is not None:
        refuse_detector(arguments, "--keypoints")
    elif strays := [name for name in ("keypoint_set", "size") if getattr(arguments, name) is not None]:
        raise InputError(f"--{strays[0].replace('_', '-')} needs --keypoints PATH; add it")


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        width = height = 0
    if width <= 0 or height <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; give WIDTHxHEIGHT in pixels, such as 1920x1080")
    return width, height
