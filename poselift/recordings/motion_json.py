"""The JSON beside a motion's arrays: meaning and provenance."""

import importlib.metadata
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.core.files import format_json
from poselift.core.safe_parsing import read_json
from poselift.export.unseen import unseen_spans
from poselift.geometry.camera import Camera
from poselift.recordings.camera_json import camera_to_json
from poselift.skeleton import Skeleton
from poselift.skeleton.hand import HAND21, SIDES
from poselift.structures import FEET, Hands, Motion

FORMAT = "poselift motion"
FORMAT_VERSION = 1
"""It goes up when readers must change."""

_AXES = {
    "camera": {"x": "right", "y": "down", "z": "forward"},
    "world": {"x": "right", "y": "up", "z": "backward"},
}
_MOST_JOINTS = 500
_NAME = re.compile(r"\w[\w .-]*")
"""They go into tables, pages and formats of others, so that they must not be formulas or markup."""
_PACKAGES = ("poselift", "torch", "numpy", "onnxruntime")


def format_description(path: Path, content: Mapping[str, Any]) -> str:
    """The text of a file with what `describe_motion` gives.

    Args:
        path: of the file, for the error.
        content: as `describe_motion` gives it.

    Raises:
        InputError: a value cannot be written as JSON (NaN, or an unknown type).
    """
    try:
        return format_json(content)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: a value cannot be written as JSON ({error}); leave it out") from error


def describe_motion(
    motion: Motion,
    cameras: Sequence[Camera],
    weights: Mapping[str, Any],
    up_uncertainty: float | None,
    extra: Mapping[str, Any],
) -> dict[str, Any]:
    """The content of the JSON beside a motion's arrays.

    Args:
        motion: the motion to describe.
        cameras: of the videos, with their poses for a motion in the world; may be empty.
        weights: name, `sha256` and further facts by part ("lifter", "detector", ...).
        up_uncertainty: of the direction of up in the world, radians.
        extra: further keys at the top level, such as the name of the video.

    Raises:
        InputError: a key of `extra` is taken.
    """
    shown = [camera_to_json(camera, motion.frame == "world", up_uncertainty) for camera in cameras]
    content: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "person": motion.keypoints.person,
        "frames": len(motion),
        "frames_interpolated": int(motion.interpolated.sum()),
        "skeleton": skeleton_to_json(motion.skeleton),
        "keypoints": {
            **skeleton_to_json(motion.keypoints.skeleton),
            "image_size": motion.keypoints.image_size,
            "threshold": motion.threshold,
        },
        "units": {"joints": "metres", "root": "metres", "timestamps": "seconds", "keypoints": "pixels"},
        "axes": {"frame": motion.frame, **_AXES[motion.frame], "joints": "relative to the root joint"},
        "camera": shown[0] if shown else {},
        "weights": weights,
        "versions": {package: _version(package) for package in _PACKAGES},
    }
    if motion.uncertainty is not None:
        content["units"]["uncertainty"] = "metres; radius of the ball that holds the joint in 90 % of cases"
        content["uncertainty"] = {"body_share": round(motion.body_share, 4)}
    if motion.contacts is not None:
        content["contacts"] = FEET
    if motion.pelvis is not None:
        content["pelvis"] = motion.pelvis
    if motion.height is not None:
        content["height"] = asdict(motion.height)
    if motion.hands is not None:
        content["hands"] = _describe_hands(motion.hands)
    if spans := unseen_spans(motion):
        content["unseen_s"] = spans
    if len(shown) > 1:
        content["cameras"] = shown
    if motion.filters:
        extra = {**extra, "filters": motion.filters}
    for key, value in extra.items():
        if key in content:
            raise InputError(f"the key {key!r} is reserved; choose another name")
        content[key] = value
    plain: dict[str, Any] = _plain(content)
    return plain


@check_annotations
def read_sidecar(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a file that poselift wrote beside an npz.

    Raises:
        InputError: the file is missing, is not JSON, or is not a sidecar of a known version.
    """
    content = read_json(path, "give the JSON that poselift wrote beside the npz", finite=True)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f"{path}: not the JSON of a poselift motion ('format' is not {FORMAT!r}); give the one beside the npz"
        )
    if content.get("format_version") != FORMAT_VERSION:
        raise InputError(
            f"{path}: format_version {content.get('format_version')!r:.40} is unknown, only {FORMAT_VERSION} is known; "
            "read it with the poselift version that wrote it"
        )
    return content


def skeleton_from_json(value: Mapping[str, Any]) -> Skeleton:
    """The skeleton under "skeleton" or "keypoints" of a sidecar.

    Raises:
        ValueError: a value is no name, a name repeats, a parent is unknown, or parents form a loop.
        KeyError: a key is missing.
    """
    joints, parents, name = value["joints"], value["parents"], value["name"]
    if not isinstance(joints, list | tuple) or not 0 < len(joints) <= _MOST_JOINTS:
        raise ValueError(f"joints must be a list of up to {_MOST_JOINTS} names")
    named = all(isinstance(text, str) and _NAME.fullmatch(text) for text in (name, *joints))
    if not named or not isinstance(parents, dict):
        raise ValueError("a skeleton must have names of letters and digits, and the parent of each joint by its name")
    skeleton = Skeleton(name, tuple(joints), tuple(parents[joint] for joint in joints))
    _ = skeleton.topological_order
    return skeleton


def skeleton_to_json(skeleton: Skeleton) -> dict[str, Any]:
    """The value under "skeleton" or "keypoints" of a sidecar."""
    return {
        "name": skeleton.name,
        "joints": skeleton.joints,
        "parents": dict(zip(skeleton.joints, skeleton.parents, strict=True)),
    }


def _describe_hands(hands: Hands) -> dict[str, Any]:
    """The meaning of the hands' arrays, and how often each is seen. With their scores where they are seen."""
    about: dict[str, Any] = {
        **skeleton_to_json(HAND21),
        "in_3d": hands.in_3d,
        "units": {"hand_joints": "metres from the wrist, in the axes of the motion", "hand_keypoints": "pixels"},
    }
    for row, side in enumerate(SIDES):
        seen = hands.scores[:, row] > 0
        mean = round(float(hands.scores[seen, row].mean()), 3) if seen.any() else None
        about[side] = {"seen_share": round(float(seen.mean()), 3), "mean_score": mean}
    return about


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _plain(value: Any) -> Any:
    """The value with numpy arrays, numbers and paths converted to JSON types."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
