"""The options that describe the camera of a video."""

import argparse

from poselift.cli.values import list_of
from poselift.geometry import ASSUMED_FOV
from poselift.several_views.one_camera import CALIBRATION


def add_camera_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Adds `--fov` and `--intrinsics`, which every command takes."""
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
    return camera


def add_lens_options(camera: argparse._ArgumentGroup) -> None:
    """Adds `--distortion`, `--fisheye` and `--calibration` to the options of a camera."""
    camera.add_argument(
        "--distortion",
        type=list_of(float, "not the numbers of a lens; give K1,K2,P1,P2 or K1,K2,P1,P2,K3"),
        metavar="K1,K2,P1,P2[,K3]",
        help="how the lens bends the picture, in OpenCV's order (default: not at all)",
    )
    camera.add_argument(
        "--fisheye",
        type=list_of(float, "not the numbers of a fisheye lens; give K1,K2,K3,K4", 4),
        metavar="K1,K2,K3,K4",
        help="OpenCV's fisheye lens instead, with --intrinsics or --fov; 0,0,0,0 for one that shows equal angles by "
        "equal lengths",
    )
    camera.add_argument(
        "--calibration",
        metavar="FILE[:CAMERA]",
        help="the lens, from a file as `multiview --calibration` takes it; CAMERA names one of several. --tilt "
        "calibration takes the tilt too: the axis of the file's world that is nearest to up counts as up",
    )


def parse_tilt(text: str) -> float | str:
    """The tilt of an argument: degrees, or that of the calibration."""
    if text == CALIBRATION:
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no tilt; give degrees, or {CALIBRATION}") from None
