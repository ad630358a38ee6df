"""MPI-INF-3DHP in the two npz files that the field passes around, first of P-STMO.

Shan et al., "P-STMO: Pre-trained spatial temporal many-to-one model for 3D human pose estimation", ECCV 2022
(https://github.com/paTRICK-swk/P-STMO). They hold annot2 and univ_annot3 of the download, in px and mm, and no
cameras. univ_annot3 is scaled to one height of people, and so does not say how far away they are.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.loading import intrinsics, pick_split, recorded_view
from poselift.data.mpi_inf_3dhp import TEST_CLIPS, TEST_FPS, TRAIN_SIZE
from poselift.data.reading import Source, check_shape, load_object_npz
from poselift.data.views import View
from poselift.skeleton import MPI_INF_3DHP17

SOURCE = Source(
    name="MPI-INF-3DHP, the npz of the field",
    tree="""
ROOT/
  data_train_3dhp.npz
  data_test_3dhp.npz
""",
    url="https://vcai.mpi-inf.mpg.de/3dhp-dataset/",
    note="P-STMO's scripts make them from the download, which data=mpi_inf_3dhp reads as it is.",
)

TRAIN_INTRINSICS = {
    "0": intrinsics(1497.693, 1497.103, 1024.704, 1051.394),
    "1": intrinsics(1495.217, 1495.52, 1030.519, 1052.626),
    "2": intrinsics(1495.587, 1497.828, 983.8873, 987.5902),
    "4": intrinsics(1490.952, 1491.108, 987.6075, 1019.069),
    "5": intrinsics(1500.414, 1499.971, 1012.331, 998.5009),
    "6": intrinsics(1498.471, 1498.8, 999.7319, 1010.251),
    "7": intrinsics(1498.831, 1499.674, 987.2716, 976.8773),
    "8": intrinsics(1500.172, 1500.837, 1017.387, 1043.032),
}
"""K of the training cameras, as camera.calibration of the download has them."""

FILES = {"train": "data_train_3dhp.npz", "test": "data_test_3dhp.npz"}


def load_mpi_inf_3dhp_npz(root: str | Path, split: str = "test") -> list[View]:
    """Reads one of the two npz files.

    Args:
        root: the folder that holds them.
        split: "train" or "test".

    Returns:
        Views as `load_mpi_inf_3dhp` gives them, but without the root, which the files do not say.

    Raises:
        InputError: there is no such split, its file is missing or malformed, or holds more than arrays.
    """
    path = SOURCE.require_file(Path(root) / pick_split(split, FILES, SOURCE.name))
    data = _dict(str(path), load_object_npz(path, "data"))
    if split == "test":
        return [_test_clip(path, name, clip) for name, clip in data.items()]
    return [view for name, entry in data.items() for view in _train_sequence(path, name, entry)]


def _train_sequence(path: Path, name: str, entry: Any) -> list[View]:
    subject, _, sequence = name.partition(" ")
    if not isinstance(entry, list | tuple | np.ndarray) or len(entry) != 2:
        raise InputError(f"{path}: {name!r} is not a pair of cameras and frames a second")
    cameras, fps = _dict(f"{path}: {name!r}", entry[0]), float(entry[1])
    views = []
    for camera, clip in cameras.items():
        if camera not in TRAIN_INTRINSICS:
            raise InputError(f"{path}: {name!r} has a camera {camera!r}; expected {', '.join(TRAIN_INTRINSICS)}")
        pixels, points = _arrays(path, f"{name} {camera}", clip)
        views.append(
            _without_root(
                recorded_view(
                    f"{subject}/{sequence}/{camera}",
                    subject,
                    pixels,
                    points,
                    fps=fps,
                    K=TRAIN_INTRINSICS[camera],
                    image_size=TRAIN_SIZE,
                    keypoint_skeleton=MPI_INF_3DHP17,
                    skeleton=MPI_INF_3DHP17,
                    action=sequence,
                    camera=camera,
                )
            )
        )
    return views


def _test_clip(path: Path, name: str, clip: Any) -> View:
    if name not in TEST_CLIPS:
        raise InputError(f"{path} has a clip {name!r}; expected {', '.join(TEST_CLIPS)}")
    pixels, points = _arrays(path, name, clip)
    if "valid" not in clip:
        raise InputError(f"{path}: {name!r} has no 'valid'")
    valid = check_shape(path, f"{name} valid", np.asarray(clip["valid"]).ravel(), (len(pixels),))
    setting, image_size, K = TEST_CLIPS[name]
    return _without_root(
        recorded_view(
            name,
            name,
            pixels,
            points,
            fps=TEST_FPS,
            K=K,
            image_size=image_size,
            keypoint_skeleton=MPI_INF_3DHP17,
            skeleton=MPI_INF_3DHP17,
            counted=valid.astype(bool),
            action=setting,
        )
    )


def _arrays(path: Path, name: str, clip: Any) -> tuple[np.ndarray, np.ndarray]:
    """Keypoints in pixels and joints in metres."""
    clip = _dict(f"{path}: {name!r}", clip)
    for key in ("data_2d", "data_3d"):
        if key not in clip:
            raise InputError(f"{path}: {name!r} has no {key!r}")
    pixels = check_shape(path, f"{name} data_2d", clip["data_2d"], (None, len(MPI_INF_3DHP17), 2))
    points = check_shape(path, f"{name} data_3d", clip["data_3d"], (len(pixels), len(MPI_INF_3DHP17), 3))
    return np.asarray(pixels, np.float64), np.asarray(points, np.float64) / 1000


def _dict(what: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} is a {type(value).__name__}, expected a dict")
    return value


def _without_root(view: View) -> View:
    return replace(view, root=torch.full_like(view.root, torch.nan))
