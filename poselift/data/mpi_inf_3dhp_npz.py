"""MPI-INF-3DHP in two npz files that many papers use.

They were first made for P-STMO.

Shan et al., "P-STMO: Pre-trained spatial temporal many-to-one model for 3D human pose estimation", ECCV 2022
(https://github.com/paTRICK-swk/P-STMO). They contain annot2 and univ_annot3 of the download, in px and mm, and no
cameras. univ_annot3 scales all people to one height, so that it does not give their distance.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.loading import intrinsics, pick_split
from poselift.data.mpi_inf_3dhp import TEST_CLIPS, clip_view, sequence_view
from poselift.data.reading import Layout, entry, load_object_npz, numbers
from poselift.data.views import View
from poselift.skeleton import MPI_INF_3DHP17

LAYOUT = Layout(
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
"""K of the training cameras, from camera.calibration of the download."""

FILES = {"train": "data_train_3dhp.npz", "test": "data_test_3dhp.npz"}


def load_mpi_inf_3dhp_npz(root: str | Path, split: str = "test") -> list[View]:
    """The views of one of the two npz files.

    Args:
        root: folder that contains the files.
        split: "train" or "test".

    Returns:
        Views as from `load_mpi_inf_3dhp`, with a root of NaN, because the files have none.

    Raises:
        InputError: the split is unknown, or its file is missing, malformed, or contains more than arrays.
    """
    path = LAYOUT.require_file(Path(root) / pick_split(split, FILES, LAYOUT.name))
    data = _read_dict(str(path), load_object_npz(path, "data"))
    if split == "test":
        return [_load_test_clip(path, name, clip) for name, clip in data.items()]
    return [view for name, pair in data.items() for view in _load_train_sequence(path, name, pair)]


def _load_train_sequence(path: Path, name: str, pair: Any) -> list[View]:
    subject, _, sequence = name.partition(" ")
    if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
        raise InputError(f"{path}: {name!r} is not a pair of cameras and frame rate")
    cameras, fps = _read_dict(f"{path}: {name!r}", pair[0]), float(pair[1])
    views = []
    for camera, clip in cameras.items():
        if camera not in TRAIN_INTRINSICS:
            raise InputError(f"{path}: {name!r} has a camera {camera!r}; expected {', '.join(TRAIN_INTRINSICS)}")
        pixels, points = _read_arrays(path, f"{name} {camera}", clip)
        view = sequence_view(subject, sequence, camera, pixels, points, fps, TRAIN_INTRINSICS[camera])
        views.append(_remove_root(view))
    return views


def _load_test_clip(path: Path, name: str, clip: Any) -> View:
    if name not in TEST_CLIPS:
        raise InputError(f"{path} has a clip {name!r}; expected {', '.join(TEST_CLIPS)}")
    pixels, points = _read_arrays(path, name, clip)
    valid = np.asarray(entry(f"{path}: {name!r}", clip, "valid"))
    return _remove_root(clip_view(path, name, pixels, points, valid))


def _read_arrays(path: Path, name: str, clip: Any) -> tuple[np.ndarray, np.ndarray]:
    """Keypoints in pixels and joints in metres."""
    seen, known = (entry(f"{path}: {name!r}", clip, key) for key in ("data_2d", "data_3d"))
    pixels = numbers(path, f"{name} data_2d", seen, (None, len(MPI_INF_3DHP17), 2))
    points = numbers(path, f"{name} data_3d", known, (len(pixels), len(MPI_INF_3DHP17), 3))
    return pixels, points / 1000


def _read_dict(what: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} is a {type(value).__name__}, expected a dict")
    return value


def _remove_root(view: View) -> View:
    return replace(view, root=torch.full_like(view.root, torch.nan))
