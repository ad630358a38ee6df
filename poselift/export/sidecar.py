"""The JSON beside a motion's arrays: what they mean, and what they were made with."""

import importlib.metadata
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.files import write_json
from poselift.skeleton import Skeleton
from poselift.structures import FEET, Motion

FORMAT = "poselift motion"
FORMAT_VERSION = 1

_AXES = {
    "camera": {"x": "right", "y": "down", "z": "forward"},
    "world": {"x": "right", "y": "up", "z": "backward"},
}
_POSE = "R x + t takes a place x of the camera frame (x right, y down, z forward) to the world, metres"
_PACKAGES = ("poselift", "torch", "numpy", "onnxruntime")


def write_sidecar(
    path: str | os.PathLike[str],
    motion: Motion,
    *,
    camera: Mapping[str, Any],
    weights: Mapping[str, Any],
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Writes what a reader needs to know about a motion's arrays.

    Args:
        path: the JSON file to write.
        motion: the motion that is described.
        camera: the camera that was used: `K` (3 x 3), `image_size` (width, height) in pixels, `field_of_view`
            ("given" or "assumed"), and what else is known of it; for a motion in the world frame also `R` (3 x 3)
            and `t`, which take a place in the camera frame to the world: R x + t.
        weights: by part ("lifter", "detector", ...) its name, `sha256` and what else tells it from others.
        extra: further keys at the top level, such as the source video.

    Raises:
        InputError: a key of `extra` is taken, or a value cannot be written as JSON (NaN, or an unknown type).
    """
    content: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "person": motion.keypoints.person,
        "frames": len(motion),
        "frames_interpolated": int(motion.interpolated.sum()),
        "skeleton": _skeleton_to_json(motion.skeleton),
        "keypoints": {
            **_skeleton_to_json(motion.keypoints.skeleton),
            "image_size": motion.keypoints.image_size,
        },
        "units": {"joints": "metres", "root": "metres", "timestamps": "seconds", "keypoints": "pixels"},
        "axes": {"frame": motion.frame, **_AXES[motion.frame], "joints": "relative to the root joint"},
        "camera": {**camera, **({"pose": _POSE} if "R" in camera else {})},
        "weights": weights,
        "versions": {package: _version(package) for package in _PACKAGES},
    }
    if motion.uncertainty is not None:
        content["units"]["uncertainty"] = "metres; meant to hold the true joint in 9 of 10 cases"
    if motion.contacts is not None:
        content["contacts"] = FEET
    for key, value in (extra or {}).items():
        if key in content:
            raise InputError(f"{path}: the key {key!r} is the format's own; choose another name")
        content[key] = value
    try:
        write_json(path, _plain(content))
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: a value cannot be written as JSON ({error})") from error


def read_sidecar(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads what `write_sidecar` wrote.

    Raises:
        InputError: the file is missing, is not JSON, or is not a sidecar of a version that is known here.
    """
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; the JSON belongs beside the npz") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{path}: not the JSON of a poselift motion ('format' is not {FORMAT!r})")
    if content.get("format_version") != FORMAT_VERSION:
        raise InputError(
            f"{path}: format_version {content.get('format_version')} is not known here, only {FORMAT_VERSION}; "
            "read it with the poselift that wrote it"
        )
    return content


def skeleton_from_json(value: Mapping[str, Any]) -> Skeleton:
    """The skeleton that a sidecar describes under "skeleton" or "keypoints".

    Raises:
        ValueError: names repeat or a parent is unknown.
        KeyError: a key is missing.
    """
    joints = tuple(value["joints"])
    return Skeleton(value["name"], joints, tuple(value["parents"][joint] for joint in joints))


def _skeleton_to_json(skeleton: Skeleton) -> dict[str, Any]:
    return {
        "name": skeleton.name,
        "joints": skeleton.joints,
        "parents": dict(zip(skeleton.joints, skeleton.parents, strict=True)),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _plain(value: Any) -> Any:
    """The value with numpy's arrays and numbers, and paths, as JSON knows them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
