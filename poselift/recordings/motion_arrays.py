"""A motion's arrays as a compressed .npz without pickles.

| array | dtype, shape | meaning |
|---|---|---|
| `joints` | float32 (t, j, 3) | metres, relative to the root joint; NaN in empty frames |
| `root` | float32 (t, 3) | position of the root joint, metres; NaN in empty frames |
| `timestamps` | float64 (t,) | seconds |
| `keypoints` | float32 (t, j2, 2) | pixels, as detected; NaN for unseen joints |
| `keypoint_scores` | float32 (t, j2) | 0 to 1 |
| `interpolated` | bool (t,) | no detection in this frame; the lifter interpolated it |
| `uncertainty` | float32 (t, j) | metres; radius of the ball that holds the joint in 90 % of cases; absent if unknown |
| `contacts` | bool (t, 2) | left and right foot are on the ground; absent if unknown |
| `hand_joints` | float32 (t, 2, 21, 3) | left, right: metres from the wrist, in the axes of the motion; NaN if unseen |
| `hand_keypoints` | float32 (t, 2, 21, 2) | pixels; NaN likewise |
| `hand_scores` | float32 (t, 2) | how sure each hand is, 0 to 1; 0 where none is seen |

The arrays of hands are absent if nobody looked for hands.

The JSON beside it has joint names, axes and units (`poselift.recordings.motion_json`).
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.npz import npz_arrays
from poselift.geometry.camera import Camera
from poselift.skeleton.hand import HAND21
from poselift.structures import Motion

_ARRAYS: dict[str, tuple[type[np.generic], int, tuple[int, ...]]] = {
    # The dtype, the number of axes, and the fixed sizes of the last ones.
    "joints": (np.float32, 3, (3,)),
    "root": (np.float32, 2, (3,)),
    "timestamps": (np.float64, 1, ()),
    "keypoints": (np.float32, 3, (2,)),
    "keypoint_scores": (np.float32, 2, ()),
    "interpolated": (np.bool_, 1, ()),
    "uncertainty": (np.float32, 2, ()),
    "contacts": (np.bool_, 2, (2,)),
    "hand_joints": (np.float32, 4, (2, len(HAND21), 3)),
    "hand_keypoints": (np.float32, 4, (2, len(HAND21), 2)),
    "hand_scores": (np.float32, 2, (2,)),
}
HAND_ARRAYS = {"hand_joints": "joints", "hand_keypoints": "keypoints", "hand_scores": "scores"}
"""The field of `Hands` of each array of hands; all of them are there, or none."""
_OPTIONAL = ("uncertainty", "contacts", *HAND_ARRAYS)


@check_annotations
def write_npz(path: str | os.PathLike[str], motion: Motion, camera: Camera | None = None) -> None:
    """Writes the arrays of a motion as npz.

    Args:
        path: the file to write.
        motion: one person's motion.
        camera: one that changes with time is written as `camera_K`, `camera_R` and `camera_t` in the motion's frames.

    Raises:
        InputError: the file cannot be written.
    """
    values = {
        "joints": motion.joints,
        "root": motion.root,
        "timestamps": motion.timestamps,
        "keypoints": motion.keypoints.keypoints,
        "keypoint_scores": motion.keypoints.scores,
        "interpolated": motion.interpolated,
    }
    values |= {name: value for name in ("uncertainty", "contacts") if (value := getattr(motion, name)) is not None}
    if motion.hands is not None:
        values |= {name: getattr(motion.hands, field) for name, field in HAND_ARRAYS.items()}
    arrays: dict[str, Any] = {name: value.astype(_ARRAYS[name][0]) for name, value in values.items()}
    if camera is not None and camera.times is not None:
        frames, there = len(motion), camera.at(motion.timestamps)
        for name, value, each in (("K", there.K, (3, 3)), ("R", there.R, (3, 3)), ("t", there.t, (3,))):
            arrays[f"camera_{name}"] = np.broadcast_to(value, (frames, *each)).astype(np.float64)
    # An open file, because numpy appends ".npz" to a path with another ending.
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)


@check_annotations
def read_npz(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The arrays that `write_npz` wrote, by name.

    Raises:
        InputError: the file is missing, a folder or no npz, lacks a required array, or has one with another shape.
    """
    if Path(path).is_dir():
        example = min(Path(path).glob("person_*.npz"), default=Path(path) / "person_1.npz")
        raise InputError(f"{path} is a folder; give a person's npz, such as {example}")
    arrays = npz_arrays(path, _ARRAYS, "give an npz that poselift wrote")
    for name in _ARRAYS:
        if name not in arrays and name not in _OPTIONAL:
            raise InputError(f"{path}: array {name!r} is missing; give an npz that poselift wrote")
    hands = [name for name in HAND_ARRAYS if name in arrays]
    if hands and (missing := [name for name in HAND_ARRAYS if name not in arrays]):
        raise InputError(f"{path}: array {missing[0]!r} is missing beside {hands[0]!r}; write the file again")
    frames = len(arrays["joints"]) if arrays["joints"].ndim else 0
    for name, array in arrays.items():
        dtype, axes, fixed = _ARRAYS[name]
        if array.ndim != axes or len(array) != frames or array.shape[axes - len(fixed) :] != fixed:
            raise InputError(
                f"{path}: array {name!r} has the shape {array.shape}, not that of {frames} frames; write it again"
            )
        if array.dtype != dtype:
            raise InputError(f"{path}: array {name!r} is {array.dtype}, not {np.dtype(dtype)}; convert it")
    if arrays["keypoint_scores"].shape != arrays["keypoints"].shape[:2]:
        raise InputError(
            f"{path}: 'keypoint_scores' and 'keypoints' have different numbers of joints; write the file again"
        )
    if "uncertainty" in arrays and arrays["uncertainty"].shape != arrays["joints"].shape[:2]:
        raise InputError(f"{path}: 'uncertainty' and 'joints' have different numbers of joints; write the file again")
    return arrays
