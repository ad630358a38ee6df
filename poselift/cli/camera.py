"""The options that describe the camera of a video."""

import argparse

from poselift.cli.values import list_of
from poselift.geometry import ASSUMED_FOV


def add_camera_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--fov` and `--intrinsics`."""
    camera = parser.add_argument_group("camera")
    camera.add_argument(
        "--fov",
        type=float,
        metavar="DEG",
        help=f"field of view across the longer side of the picture, degrees (default: {ASSUMED_FOV:g}, assumed)",
    )
    camera.add_argument(
        "--intrinsics",
        type=list_of(float, "not four numbers; give FX,FY,CX,CY in pixels", 4),
        metavar="FX,FY,CX,CY",
        help="focal lengths and principal point, pixels",
    )
