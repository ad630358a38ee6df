"""SURREAL: people of the SMPL body model, moved by CMU motion capture and rendered into pictures.

Varol et al., "Learning from synthetic humans", CVPR 2017 (https://github.com/gulvarol/surreal), whose README and
`datageneration/misc/3Dto2D` say what the files hold and how joints3D and joints2D belong together.

The renderer's camera mirrors: its rotation has determinant -1. In the picture, and in the camera frame, a person's
left is therefore where the files have the right, and the names are exchanged here.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poselift.core.errors import InputError
from poselift.data.loading import intrinsics, pick_split, recorded_view
from poselift.data.reading import Source, check_shape, load_mat
from poselift.data.views import View
from poselift.skeleton import SMPL24

SOURCE = Source(
    name="SURREAL",
    tree="""
ROOT/
  cmu/
    train/
      run0/
        01_01/
          01_01_c0001_info.mat
          ...
      run1/ ...
      run2/ ...
    val/ ...
    test/ ...
""",
    url="https://www.di.ens.fr/willow/research/surreal/data/",
    note="Of the download only the *_info.mat files are read; ROOT is the folder that holds cmu.",
)

IMAGE_SIZE = (320, 240)
K = intrinsics(600.0, 600.0, 160.0, 120.0)
WORLD_TO_CAMERA = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""The world's up is -y. A reflection, not a rotation."""


def load_surreal(
    root: str | Path, split: str = "train", runs: Sequence[int] = (0, 1, 2), fps: float = 25.0
) -> list[View]:
    """Reads one split of SURREAL.

    Args:
        root: the folder that holds `cmu`.
        split: "train", "val" (a part of test) or "test", as the dataset is divided.
        runs: which of the three renderings, 0, 1 and 2; their clips overlap by 50, 30 and 70 percent.
        fps: of the videos. They show every fourth frame of the motion capture, which for most sequences was made
            at 120 Hz: give 30 to have them move at the speed of the people.

    Returns:
        A View for each clip of at most 100 frames, named "run0/01_01_c0001", in the joints of SMPL. Keypoints are
        whole pixels, as the files have them.

    Raises:
        InputError: there is no such split, a folder is missing, or a file is malformed.
    """
    folder = Path(root) / "cmu" / pick_split(split, {"train": "train", "val": "val", "test": "test"}, SOURCE.name)
    views = []
    for run in runs:
        paths = sorted((folder / f"run{run}").glob("*/*_info.mat"))
        if not paths:
            raise SOURCE.missing(folder / f"run{run}" / "*" / "*_info.mat")
        views += [_clip(path, fps) for path in paths]
    return views


def _clip(path: Path, fps: float) -> View:
    clip = path.name.removesuffix("_info.mat")
    arrays = load_mat(path, {"joints2D": None, "joints3D": None, "camLoc": (3, 1)})
    pixels = _frames_first(path, "joints2D", arrays["joints2D"], 2)
    world = _frames_first(path, "joints3D", arrays["joints3D"], 3)
    if len(pixels) != len(world):
        raise InputError(f"{path}: 'joints2D' has {len(pixels)} frames, 'joints3D' has {len(world)}")
    points = (world - arrays["camLoc"][:, 0]) @ WORLD_TO_CAMERA.T
    mirrored = list(SMPL24.flip_indices)
    return recorded_view(
        f"{path.parent.parent.name}/{clip}",
        path.parent.name.rpartition("_")[0],
        pixels[:, mirrored],
        points[:, mirrored],
        fps=fps,
        K=K,
        image_size=IMAGE_SIZE,
        keypoint_skeleton=SMPL24,
        skeleton=SMPL24,
    )


def _frames_first(path: Path, key: str, array: np.ndarray, channels: int) -> np.ndarray:
    """(channels, 24, T) as (T, 24, channels); MATLAB drops the last axis where there is one frame."""
    if array.ndim == 2:
        array = array[..., None]
    return check_shape(path, key, array, (channels, len(SMPL24), None)).transpose(2, 1, 0).astype(np.float64)
