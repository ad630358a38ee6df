"""The camera in the JSON beside a motion, checked."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.export.sidecar import size_from_json
from poselift.geometry.camera import Camera


def camera_of(about: Mapping[str, Any], path: str | os.PathLike[str]) -> Camera | None:
    """The camera of a sidecar; None if it has no K or no image_size.

    Args:
        about: what `read_sidecar` gives.
        path: the JSON file, for the error.

    Raises:
        InputError: a part of the camera is damaged.
    """
    camera = about.get("camera", {})
    if not isinstance(camera, dict):
        raise InputError(f"{path}: camera {camera!r:.40} is no object; take the JSON that poselift wrote")
    if not {"K", "image_size"} <= set(camera):
        return None
    try:
        K, R = (_read_numbers(camera.get(key, np.eye(3)), (3, 3)) for key in ("K", "R"))
        t = _read_numbers(camera.get("t", np.zeros(3)), (3,))
        origin: Any = "assumed" if camera.get("field_of_view") == "assumed" else "given"
        return Camera(K, size_from_json(camera["image_size"]), origin, R=R, t=t)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{path}: the camera's K, R, t or image_size is damaged; take the JSON that poselift wrote"
        ) from error


def _read_numbers(value: object, shape: tuple[int, ...]) -> np.ndarray:
    """An array of finite numbers; raises an error if the value is no such array."""
    array = np.array(value, np.float64)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"it is no array of {shape}")
    return array
