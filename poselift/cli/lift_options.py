"""The options of lifting, for `poselift lift` and `poselift batch`."""

import argparse
from typing import get_args

from poselift.camera_path.found_camera import CameraMode
from poselift.cli.camera import add_camera_options, add_lens_options, parse_tilt
from poselift.cli.detector import add_quality_option
from poselift.cli.formats import NAMES, parse_formats
from poselift.cli.smooth import add_smooth_option
from poselift.cli.values import list_of, number_where
from poselift.cli.weights import add_lifter_option
from poselift.core.device import DEVICE_HELP
from poselift.lifting import LiftOptions
from poselift.skeleton import CMU28, H36M17


def add_lift_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Adds the options of lifting, named as the fields of `CommandRequest`.

    Returns:
        The group of the options that say how.
    """
    how = add_video_options(parser)
    add_lifter_option(how)
    how.add_argument("--device", default="auto", help=DEVICE_HELP)
    return how


def add_video_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Adds the options that may differ between a batch's videos.

    Returns:
        The group of the options that say how.
    """
    what = parser.add_argument_group("what to lift")
    what.add_argument("--start", type=float, metavar="S", help="start of the span, seconds")
    what.add_argument("--end", type=float, metavar="S", help="end of the span, seconds")
    what.add_argument(
        "--person",
        dest="people",
        type=list_of(int, "not a list of numbers; give people such as 1,3"),
        metavar="ID[,ID...]",
        help="only these people, numbered from 1 in order of appearance (default: all)",
    )
    what.add_argument(
        "--height",
        type=parse_heights,
        metavar="METRES|ID:METRES[,...]",
        help="standing height, of everybody or by person, such as 1:1.82,2:1.68 (default: estimated)",
    )
    what.add_argument(
        "--fps",
        type=float,
        metavar="N",
        help="true frames per second: of the keypoints, or of a video in slow motion (default: by its time stamps)",
    )
    what.add_argument(
        "--mirrored",
        action="store_true",
        help="the pictures are a mirror image, as phones save selfies: mirror them back, so that left is left",
    )
    add_lens_options(add_camera_options(parser))
    how = parser.add_argument_group("how")
    how.add_argument(
        "--skeleton",
        choices=[H36M17.name, CMU28.name],
        help="joints to write: Human3.6M's 17, or 28 with toes, heels, hands and face (default: the 17, or all joints "
        "of the weights if they lack one of these)",
    )
    how.add_argument(
        "--threshold",
        type=number_where(lambda score: 0 <= score <= 1, "not a score; give a number from 0 to 1"),
        metavar="SCORE",
        help=f"lowest score of the 2D joints to use (default: {LiftOptions.threshold:g})",
    )
    add_quality_option(how)
    how.add_argument(
        "--no-flip", dest="flip", action="store_false", help="do not average with the mirrored input: twice as fast"
    )
    how.add_argument(
        "--no-constant-bones",
        dest="constant_bones",
        action="store_false",
        help="let bone lengths change from frame to frame",
    )
    add_smooth_option(how)
    how.add_argument(
        "--world",
        action="store_true",
        help="write the motion in the world frame, Y up from the ground, with foot contacts",
    )
    how.add_argument(
        "--camera",
        choices=get_args(CameraMode),
        help="what the camera does, for --world: still, turning (on one spot, with zoom), moving (through space), or "
        "auto: found from the background (default: auto)",
    )
    how.add_argument(
        "--tilt",
        type=parse_tilt,
        metavar="DEG",
        help="how far the camera looks down, for --world: 0 for a level one, 90 for one that looks straight down "
        "(default: found from people who stand or walk)",
    )
    how.add_argument(
        "--hands",
        action="store_true",
        help="look at hands too: 21 joints of each that can be seen, in all results; needs the video",
    )
    how.add_argument(
        "--formats",
        type=parse_formats,
        metavar="FORMAT,...",
        help=f"write each motion in these formats too, any of {', '.join(NAMES)} (`poselift export` has more options)",
    )
    how.add_argument(
        "--no-csv", dest="csv", action="store_false", help="write no person_*.csv: the npz has all of it in less space"
    )
    return how


def add_draw_option(how: argparse._ActionsContainer) -> None:
    """Adds `--draw`."""
    how.add_argument("--draw", choices=["angles"], help="write the joint angles beside the people of the overlay")


def parse_heights(text: str) -> float | dict[int, float]:
    """The standing heights of an argument: of everybody, or by person."""
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
