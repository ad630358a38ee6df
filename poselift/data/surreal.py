"""SURREAL: rendered people of the SMPL body model.

CMU motion capture moves them.

Varol et al., "Learning from synthetic humans", CVPR 2017 (https://github.com/gulvarol/surreal), whose README and
`datageneration/misc/3Dto2D` describe the files and how joints3D relates to joints2D.

The renderer's camera mirrors the world: its rotation has determinant -1. In the picture, and in the camera frame, a
person's left is therefore where the files; this loader swaps the names.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poselift.core.errors import InputError
from poselift.data.loading import TRAIN_VAL_TEST, intrinsics, pick_split, recorded_view
from poselift.data.reading import Layout, load_mat, numbers, put_frames_first
from poselift.data.views import View
from poselift.skeleton import SMPL24

LAYOUT = Layout(
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
    note="Only the *_info.mat files are needed; ROOT is the folder that contains cmu.",
)

IMAGE_SIZE = (320, 240)
K = intrinsics(600.0, 600.0, 160.0, 120.0)
WORLD_TO_CAMERA = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""A reflection, not a rotation; up in the world is -y."""


def load_surreal(
    root: str | Path, split: str = "train", runs: Sequence[int] = (0, 1, 2), fps: float = 25.0
) -> list[View]:
    """The views of one split of SURREAL.

    Args:
        root: folder that contains `cmu`.
        split: "train", "val" (a part of test) or "test", the dataset's own.
        runs: some of the three renderings 0, 1 and 2; their clips overlap by 50, 30 and 70 percent.
        fps: frame rate. The videos have 25 fps and show every fourth frame of motion capture, most of it at 120 Hz:
            30 gives the true speed of most people.

    Returns:
        A View for each clip of at most 100 frames, named "run0/01_01_c0001", with the joints of SMPL. Keypoints
        are whole pixels, as in the files.

    Raises:
        InputError: the split is unknown, a folder is missing, or a file is malformed.
    """
    folder = Path(root) / "cmu" / pick_split(split, TRAIN_VAL_TEST, LAYOUT.name)
    paths = [path for run in runs for path in LAYOUT.require_files(folder / f"run{run}", "*/*_info.mat")]
    return [_load_clip(path, fps) for path in paths]


def _load_clip(path: Path, fps: float) -> View:
    clip = path.name.removesuffix("_info.mat")
    arrays = load_mat(path, {"joints2D": None, "joints3D": None, "camLoc": None})
    pixels = put_frames_first(path, "joints2D", arrays["joints2D"], len(SMPL24), 2)
    world = put_frames_first(path, "joints3D", arrays["joints3D"], len(SMPL24), 3)
    if len(pixels) != len(world):
        raise InputError(f"{path}: 'joints2D' has {len(pixels)} frames, 'joints3D' has {len(world)}")
    camera = numbers(path, "camLoc", arrays["camLoc"], (3, 1))
    points = (world - camera[:, 0]) @ WORLD_TO_CAMERA.T
    mirrored = list(SMPL24.flip_indices)
    return recorded_view(
        f"{path.parent.parent.name}/{clip}",
        path.parent.name.rpartition("_")[0],
        pixels[:, mirrored],
        points[:, mirrored],
        fps=fps,
        K=K,
        image_size=IMAGE_SIZE,
        skeleton=SMPL24,
    )
