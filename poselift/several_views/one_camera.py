"""Lens and tilt of one camera, from a calibration."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.publishing import find_published
from poselift.geometry.camera import Camera
from poselift.several_views.calibration_files import read_calibration

CALIBRATION = "calibration"
"""What `--tilt` is given to take it from the file of `--calibration`."""

_LOOKS_UP, _ON_ITS_SIDE = math.radians(25), math.sin(math.radians(50))
"""Angle by which calibrated cameras look up, at most, and the sine of their roll."""

_SAME = 1e-6
"""Largest difference of a rotation from none, for axes that are defined as those of a camera."""

LENS = ("fov", "intrinsics", "distortion", "fisheye")
"""Options that describe a lens; a calibration, or a row of a batch, replaces all of them."""


def take_calibration(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options with the lens and tilt of `--calibration`'s file.

    As if they had been given.

    Raises:
        InputError: the file is no calibration, another option gives a lens too, or the tilt has no file or is not in
            it.
    """
    values = dict(given)
    file, tilt = values.pop("calibration", None), values.get("tilt")
    if file is None:
        if tilt == CALIBRATION:
            raise InputError("--tilt calibration needs the file; give --calibration FILE too")
        return values
    if both := [name for name in LENS if values.get(name) is not None]:
        raise InputError(f"--calibration and --{both[0]} are both given; the calibration has the lens")
    camera, cameras = _choose_camera(file, placed=tilt == CALIBRATION)
    values["intrinsics"] = tuple(float(camera.K[row, column]) for row, column in ((0, 0), (1, 1), (0, 2), (1, 2)))
    values["lens_size"] = camera.image_size
    for name, lens in (("distortion", camera.distortion), ("fisheye", camera.fisheye)):
        values[name] = None if lens is None else tuple(lens.tolist())
    if tilt == CALIBRATION:
        values["tilt"] = tilt_of(camera, cameras)
    return values


def _choose_camera(named: str | os.PathLike[str], placed: bool) -> tuple[Camera, list[Camera]]:
    """One camera of a calibration, and all of the file.

    Args:
        named: the file, and after a colon the camera's name where the file has several.
        placed: whether its place is needed; without, intrinsics alone will do.

    Raises:
        InputError: see `read_calibration`; or no camera has this name.
    """
    path, name = Path(named), ""
    if not find_published(path).exists() and ":" in path.name:
        whole, _, name = os.fspath(named).rpartition(":")
        path = Path(whole)
    cameras = read_calibration([path], placed)
    if (name and name not in cameras) or (not name and len(cameras) > 1):
        raise InputError(
            f"{path} has the cameras {', '.join(cameras)}; give one of them as {path}:{next(iter(cameras))}"
        )
    return cameras[name] if name else next(iter(cameras.values())), list(cameras.values())


def tilt_of(camera: Camera, cameras: Sequence[Camera]) -> float:
    """By how much a calibrated camera looks down, degrees.

    Up is an axis of the calibration's world under which no camera looks far up or is on its side. Of several, it is one
    under which the cameras are above the world's origin, and then the one that is nearest to their own up.

    Args:
        camera: one of them.
        cameras: of the calibration, with poses.

    Raises:
        InputError: the world's axes are those of one of its cameras, or none of them can be up.
    """
    for one in cameras:
        if np.abs(one.R - np.eye(3)).max() < _SAME:
            raise InputError(
                f"--tilt calibration: the file's world has the axes of its camera {one.name or 1}, so it does not tell "
                "how cameras are tilted; give --tilt DEG"
            )
    axes = np.array([np.concatenate([one.R, -one.R]) for one in cameras])
    places = np.mean([one.t for one in cameras], axis=0)
    tilts = np.arcsin(-axes[..., 2].clip(-1, 1))
    held = (tilts > -_LOOKS_UP).all(0) & (np.abs(axes[..., 0]) < _ON_ITS_SIDE).all(0) & (axes[..., 1] < 0).all(0)
    if not held.any():
        raise InputError("--tilt calibration: no axis of the file's world points up; give --tilt DEG")
    above = np.concatenate([places, -places]) > 0
    best = int(np.lexsort((-axes[..., 1].mean(0), above, held))[-1])
    return math.degrees(tilts[[one is camera for one in cameras].index(True), best])
