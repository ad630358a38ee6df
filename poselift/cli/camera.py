"""The options that describe the camera of a video."""

import argparse

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
        "--intrinsics", type=_intrinsics, metavar="FX,FY,CX,CY", help="focal lengths and principal point, pixels"
    )


def _intrinsics(text: str) -> tuple[float, float, float, float]:
    try:
        fx, fy, cx, cy = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not four numbers; give FX,FY,CX,CY in pixels") from None
    return fx, fy, cx, cy
