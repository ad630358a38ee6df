"""The camera in the JSON beside a motion, checked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.export.sidecar import size_from_json


@dataclass(frozen=True)
class SidecarCamera:
    """The camera of a clip.

    Attributes:
        K: intrinsics, pixels.
        image_size: width and height, pixels.
        R: from the camera frame to that of the motion: a place x is at R x + t.
        t: likewise, metres.
    """

    K: Float[np.ndarray, "3 3"]
    image_size: tuple[int, int]
    R: Float[np.ndarray, "3 3"]
    t: Float[np.ndarray, "3"]


def camera_of(about: Mapping[str, Any], path: str | os.PathLike[str]) -> SidecarCamera | None:
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
        return SidecarCamera(K, size_from_json(camera["image_size"]), R, t)
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
