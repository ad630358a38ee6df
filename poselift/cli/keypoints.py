"""The options for 2D keypoints from other programs."""

import argparse
from pathlib import Path

from poselift.cli.detector import refuse_detector
from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.skeleton import get_skeleton

_OPTIONS = ("keypoint_set", "size")


def add_keypoint_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--keypoints` and its companions."""
    group = parser.add_argument_group("2D keypoints from other programs", "docs/keypoints.md lists the formats")
    group.add_argument(
        "--keypoints",
        type=Path,
        metavar="PATH",
        help="a file or folder of OpenPose, AlphaPose, COCO, MMPose, Ultralytics, MediaPipe, DeepLabCut, SLEAP, "
        "movement, VideoPose3D, Sports2D, Pose2Sim or poselift, instead of a detector",
    )
    group.add_argument("--video", dest="video_option", type=Path, metavar="VIDEO", help="the video of the keypoints")
    group.add_argument(
        "--keypoint-set",
        metavar="NAME",
        help="skeleton of the keypoints, such as coco17 (default: by their names or number)",
    )
    group.add_argument("--size", type=_size, metavar="WxH", help="size of the pictures in pixels, without a video")


def chosen_keypoints(options: argparse.Namespace, video: Path | None) -> KeypointClip | None:
    """The clip of a keypoint file; None without `--keypoints`.

    Raises:
        InputError: options contradict each other, or the file cannot be used.
    """
    if options.keypoints is None:
        strays = [name for name in _OPTIONS if getattr(options, name) is not None]
        if strays:
            raise InputError(f"--{strays[0].replace('_', '-')} needs --keypoints PATH; add it")
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; give WIDTHxHEIGHT in pixels, such as 1920x1080")
    return width, height
