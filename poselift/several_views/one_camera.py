"""Lens and tilt of a single camera, from the calibration of one or several."""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.several_views.calibration_files import read_calibration

CALIBRATION = "calibration"
"""What `--tilt` is given to take it from the file of `--calibration`."""

LENS = ("fov", "intrinsics", "distortion", "fisheye")
"""Options that describe a lens; a calibration, or a row of a batch, replaces all of them."""


def take_calibration(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of options, with lens and tilt of the file of `--calibration` as if they had been given.

    Raises:
        InputError: the file is no calibration, another option gives a lens too, or the tilt has no file.
    """
    values = dict(given)
    file, tilt = values.pop("calibration", None), values.get("tilt")
    if file is None:
        if tilt == CALIBRATION:
            raise InputError("--tilt calibration needs the file; give --calibration FILE too")
        return values
    if both := [name for name in LENS if values.get(name) is not None]:
        raise InputError(f"--calibration and --{both[0]} are both given; the calibration has the lens")
    camera = read_lens(file, placed=tilt == CALIBRATION)
    values["intrinsics"] = tuple(float(camera.K[row, column]) for row, column in ((0, 0), (1, 1), (0, 2), (1, 2)))
    values["lens_size"] = camera.image_size
    for name, lens in (("distortion", camera.distortion), ("fisheye", camera.fisheye)):
        values[name] = None if lens is None else tuple(lens.tolist())
    if tilt == CALIBRATION:
        values["tilt"] = tilt_of(camera)
    return values


def read_lens(named: str | os.PathLike[str], placed: bool) -> Camera:
    """One camera of a calibration.

    Args:
        named: the file, and after a colon the camera's name where the file has several.
        placed: whether its place is needed; without, intrinsics alone will do.

    Raises:
        InputError: see `read_calibration`; or no camera has this name.
    """
    path, name = Path(named), ""
    if not path.exists() and ":" in path.name:
        whole, _, name = os.fspath(named).rpartition(":")
        path = Path(whole)
    cameras = read_calibration([path], placed)
    if (name and name not in cameras) or (not name and len(cameras) > 1):
        raise InputError(
            f"{path} has the cameras {', '.join(cameras)}; give one of them as {path}:{next(iter(cameras))}"
        )
    return cameras[name] if name else next(iter(cameras.values()))


def tilt_of(camera: Camera) -> float:
    """By how much a calibrated camera looks down, degrees, if the axis of its world that is nearest to up is up."""
    axes = np.concatenate([camera.R, -camera.R])
    up = axes[int((axes @ [0.0, -1.0, 0.0]).argmax())]
    return math.degrees(math.asin(float(np.clip(-up[2], -1, 1))))
