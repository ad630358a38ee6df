"""A motion's arrays as one compressed .npz file, without pickled objects.

| array | dtype, shape | meaning |
|---|---|---|
| `joints` | float32 (t, j, 3) | metres, relative to the root joint; NaN in frames left empty |
| `root` | float32 (t, 3) | the root joint's place, metres; NaN in frames left empty |
| `timestamps` | float64 (t,) | seconds |
| `keypoints` | float32 (t, j2, 2) | pixels, as detected; NaN where a joint was not seen |
| `keypoint_scores` | float32 (t, j2) | 0 to 1 |
| `interpolated` | bool (t,) | nothing was seen in the frame, and it was bridged |
| `uncertainty` | float32 (t, j) | metres: meant to hold the true joint in 9 of 10 cases; absent if the lifter tells none |
| `contacts` | bool (t, 2) | the left and the right foot are on the ground; absent where nobody asked |

Joint names, axes and units are in the JSON beside it (`poselift.export.sidecar`).
"""

import os
import zipfile

import numpy as np

from poselift.core.errors import InputError, why_unreadable
from poselift.core.files import atomic_path
from poselift.structures import Motion

_DTYPES = {
    "joints": np.float32,
    "root": np.float32,
    "timestamps": np.float64,
    "keypoints": np.float32,
    "keypoint_scores": np.float32,
    "interpolated": np.bool_,
    "uncertainty": np.float32,
    "contacts": np.bool_,
}
_OPTIONAL = ("uncertainty", "contacts")
_LAST_AXES: dict[str, tuple[int, tuple[int, ...]]] = {
    # For each array its number of axes, and the sizes of the last ones that are fixed.
    "joints": (3, (3,)),
    "root": (2, (3,)),
    "timestamps": (1, ()),
    "keypoints": (3, (2,)),
    "keypoint_scores": (2, ()),
    "interpolated": (1, ()),
    "uncertainty": (2, ()),
    "contacts": (2, (2,)),
}


def write_npz(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes the arrays of a motion.

    Args:
        path: the file to write.
        motion: one person's motion.

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
    values |= {name: value for name in _OPTIONAL if (value := getattr(motion, name)) is not None}
    arrays: dict[str, np.ndarray] = {name: value.astype(_DTYPES[name]) for name, value in values.items()}
    # An open file, because numpy appends ".npz" to a path that ends in something else.
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read_npz(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Reads the arrays that `write_npz` wrote.

    Raises:
        InputError: the file is missing, is not an npz, lacks an array that is not optional, or has one of another
            shape.
    """
    try:
        # Opened here, because numpy leaves the file open where it cannot read it.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _DTYPES if name in stored.files}
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        # numpy answers a damaged file or a bare .npy with any of these.
        raise InputError(
            f"{path}: not a readable npz ({why_unreadable(error)}); give an npz that poselift wrote"
        ) from error
    for name in _DTYPES:
        if name not in arrays and name not in _OPTIONAL:
            raise InputError(f"{path}: array {name!r} is missing; give an npz that poselift wrote")
    frames = len(arrays["joints"]) if arrays["joints"].ndim else 0
    for name, array in arrays.items():
        axes, fixed = _LAST_AXES[name]
        if array.ndim != axes or len(array) != frames or array.shape[axes - len(fixed) :] != fixed:
            raise InputError(f"{path}: array {name!r} has the shape {array.shape}, which does not fit {frames} frames")
        if array.dtype != _DTYPES[name]:
            raise InputError(f"{path}: array {name!r} is {array.dtype}, not {np.dtype(_DTYPES[name])}")
    if arrays["keypoint_scores"].shape != arrays["keypoints"].shape[:2]:
        raise InputError(f"{path}: 'keypoint_scores' and 'keypoints' differ in their number of joints")
    if "uncertainty" in arrays and arrays["uncertainty"].shape != arrays["joints"].shape[:2]:
        raise InputError(f"{path}: 'uncertainty' and 'joints' differ in their number of joints")
    return arrays
