"""The options for 2D keypoints from other programs."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from poselift.cli.detector import refuse_detector
from poselift.cli.values import local_path
from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.lifting.request import DetectionRequest
from poselift.skeleton import get_skeleton

_OPTIONS = ("keypoint_set", "size")


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


@dataclass(frozen=True)
class KeypointRequest:
    """Keypoints from another program, and what their file may not say.

    Attributes:
        path: the file or folder.
        skeleton: name of the skeleton; by the joints' names or number if None.
        size: width and height of the pictures in pixels, without a video.
    """

    path: Path
    skeleton: str | None = None
    size: tuple[int, int] | None = None

    def open_clip(self, video: Path | None, wanted: DetectionRequest) -> KeypointClip:
        """The clip to lift.

        Args:
            video: the video of the keypoints, if there is one.
            wanted: the span, and the true frames per second of the keypoints.

        Raises:
            InputError: the file cannot be used, or something about it is missing.
        """
        skeleton = None if self.skeleton is None else get_skeleton(self.skeleton)
        file = read_keypoints(self.path, skeleton)
        return KeypointClip(
            file,
            video=video,
            fps=wanted.fps,
            image_size=self.size,
            start=wanted.start,
            end=wanted.end,
            mirrored=wanted.mirrored,
        )


def make_keypoint_request(arguments: argparse.Namespace) -> KeypointRequest | None:
    """The keypoints that a command line names; None without `--keypoints`.

    Raises:
        InputError: options contradict each other.
    """
    if arguments.keypoints is None:
        strays = [name for name in _OPTIONS if getattr(arguments, name) is not None]
        if strays:
            raise InputError(f"--{strays[0].replace('_', '-')} needs --keypoints PATH; add it")
        return None
    refuse_detector(arguments, "--keypoints")
    return KeypointRequest(arguments.keypoints, arguments.keypoint_set, arguments.size)


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        width = height = 0
    if width <= 0 or height <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; give WIDTHxHEIGHT in pixels, such as 1920x1080")
    return width, height
