"""A camera as JSON beside a motion has it, written and checked.

| key | meaning |
|---|---|
| `K` | 3 x 3 intrinsics, pixels; a list of them for a camera that zooms |
| `image_size` | width and height, pixels |
| `field_of_view` | "given" or "assumed" |
| `fov_degrees` | across the longer side of the picture |
| `R`, `t` | of a motion in the world: R x + t is the world position of a place x of the camera frame, metres; lists of them for a camera that turns or moves |
| `times` | seconds, one for each entry of such a list |
| `distortion` | k1, k2, p1, p2, k3; absent for a lens without distortion |
| `fisheye` | k1, k2, k3, k4 of a fisheye lens; absent for others |
| `name` | of one camera of several |
| `up_uncertainty_degrees` | standard deviation of the direction of up in the world |
"""  # noqa: E501 - a row of the table is one line

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.safe_parsing import whole_number
from poselift.geometry.camera import MOST_PIXELS, Camera

_POSE = "R x + t is the world position of the point x in the camera frame (x right, y down, z forward), metres"


def camera_to_json(camera: Camera, in_world: bool, up_uncertainty: float | None = None) -> dict[str, Any]:
    """The value under "camera".

    Args:
        camera: of the motion.
        in_world: whether the motion is in the world, so that the camera has a pose.
        up_uncertainty: of the direction of up, radians.
    """
    value: dict[str, Any] = {
        "K": camera.K.tolist(),
        "image_size": list(camera.image_size),
        "field_of_view": camera.origin,
        "fov_degrees": round(camera.fov, 3),
    }
    if in_world:
        value |= {"R": camera.R.tolist(), "t": camera.t.tolist()}
    if up_uncertainty is not None:
        value["up_uncertainty_degrees"] = round(math.degrees(up_uncertainty), 2)
    if camera.times is not None:
        value["times"] = camera.times.tolist()
    if camera.distortion is not None:
        value["distortion"] = camera.distortion.tolist()
    if camera.fisheye is not None:
        value["fisheye"] = camera.fisheye.tolist()
    if camera.name:
        value["name"] = camera.name
    return {**value, **({"pose": _POSE} if in_world else {})}


def cameras_from_json(about: Mapping[str, Any], path: str | os.PathLike[str]) -> tuple[Camera, ...]:
    """A sidecar's cameras; none without K or image_size.

    Args:
        about: what `read_sidecar` gives.
        path: the JSON file, for the error.

    Raises:
        InputError: a part of a camera is damaged.
    """
    values = about.get("cameras", [about.get("camera", {})])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise InputError(f"{path}: camera {values!r:.40} is no object; take the JSON that poselift wrote")
    return tuple(_read(value, path) for value in values if {"K", "image_size"} <= set(value))


def size_from_json(value: object) -> tuple[int, int]:
    """The width and height under "image_size" of a sidecar, pixels.

    Raises:
        ValueError: it is no size of a picture.
    """
    sides = [whole_number(side, 1, MOST_PIXELS) for side in value] if isinstance(value, list) else []
    match sides:
        case [int(width), int(height)]:
            return width, height
    raise ValueError(f"image_size {value!r:.40} is not a size in pixels")


def _read(value: Mapping[str, Any], path: str | os.PathLike[str]) -> Camera:
    """One camera."""
    try:
        times = _numbers(value["times"], (None,)) if "times" in value else None
        count = None if times is None else len(times)
        lens = _numbers(value["distortion"], (5,)) if value.get("distortion") is not None else None
        fisheye = _numbers(value["fisheye"], (4,)) if value.get("fisheye") is not None else None
        return Camera(
            _numbers(value["K"], (3, 3), count),
            size_from_json(value["image_size"]),
            "assumed" if value.get("field_of_view") == "assumed" else "given",
            lens,
            _numbers(value.get("R", np.eye(3)), (3, 3), count),
            _numbers(value.get("t", np.zeros(3)), (3,), count),
            times,
            str(value.get("name", "")),
            fisheye,
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{path}: the camera's K, R, t or image_size is damaged; take the JSON that poselift wrote"
        ) from error


def _numbers(value: object, shape: tuple[int | None, ...], count: int | None = None) -> np.ndarray:
    """Arrays of finite numbers of a shape; anything else raises an error."""
    array = np.array(value, np.float64)
    own = array.shape[1:] if count is not None and array.ndim == len(shape) + 1 else array.shape
    fits = len(own) == len(shape) and all(most is None or side == most for side, most in zip(own, shape, strict=True))
    if not fits or not np.isfinite(array).all():
        raise ValueError(f"it is no array of {shape}")
    return array
