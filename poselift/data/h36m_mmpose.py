"""Human3.6M in the layout of MMPose.

In https://github.com/open-mmlab/mmpose, tools/dataset_converters/preprocess_h36m.py makes the files from the download,
and mmpose/datasets/datasets/body3d/h36m_dataset.py reads them.
"""

import itertools
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.core.npz import npy_array
from poselift.data.h36m import GUIDE, SUBJECTS, URL, action_name
from poselift.data.h36m_cameras import H36MLens
from poselift.data.loading import pick_split, recorded_view
from poselift.data.reading import Layout, check_shape, load_arrays, load_pickle, numbers
from poselift.data.views import View
from poselift.skeleton import H36M17

LAYOUT = Layout(
    name="Human3.6M in MMPose's layout",
    tree="""
ROOT/
  annotation_body3d/
    cameras.pkl
    fps50/
      h36m_train.npz
      h36m_test.npz
  joint_2d_det_files/
    cpn_ft_h36m_dbb_train.npy     (for keypoints=cpn_ft_h36m_dbb)
    cpn_ft_h36m_dbb_test.npy
""",
    url=URL,
    note=f"MMPose's tools/dataset_converters/preprocess_h36m.py makes the files. {GUIDE}",
)

_IMAGE_NAME = re.compile(r"(?:.*/)?(S\d+)_(\w+)\.(\d+)_\d+\.\w+")


def load_h36m_mmpose(
    root: str | Path, split: str = "test", keypoints: str = "gt", fps: int = 50, skip: Collection[str] = ()
) -> list[View]:
    """The views of one split of Human3.6M.

    Args:
        root: folder that contains annotation_body3d.
        split: "train" (S1, S5, S6, S7, S8) or "test" (S9, S11).
        keypoints: "gt" for the 2D of the annotations, or the prefix of a file in joint_2d_det_files.
        fps: frame rate of the annotations, 50 or 10.
        skip: takes that do not count, by subject and action as in MMPose's `skip_list`: "S9_Greeting". Their 3D is NaN.

    Returns:
        A View for each video, named "S9/Walking 1/54138969".

    Raises:
        InputError: the split or a take to skip is unknown, or a file is missing, malformed, or contains more than
            arrays.
    """
    root = Path(root)
    pick_split(split, SUBJECTS, LAYOUT.name)
    annotations = root / "annotation_body3d"
    path = LAYOUT.require_file(annotations / f"fps{fps}" / f"h36m_{split}.npz")
    joints = len(H36M17)
    arrays = load_arrays(path, {"imgname": (None,), "part": (None, joints, 3), "S": (None, joints, 4)}, LAYOUT.name)
    names, points = arrays["imgname"], arrays["S"]
    frames = len(names)
    if frames == 0:
        raise InputError(f"{path} holds no frames")
    check_shape(path, "S", points, (frames, joints, 4))
    pixels = check_shape(path, "part", arrays["part"], (frames, joints, 3))
    if keypoints != "gt":
        pixels = _read_detections(root / "joint_2d_det_files" / f"{keypoints}_{split}.npy", frames)
    path_cameras = LAYOUT.require_file(annotations / "cameras.pkl")
    cameras = load_pickle(path_cameras)

    views = []
    videos = np.array([name.rpartition("_")[0] for name in names.tolist()])
    cuts = [0, *(np.flatnonzero(videos[1:] != videos[:-1]) + 1).tolist(), frames]
    for first, last in itertools.pairwise(cuts):
        video = slice(first, last)
        parts = _IMAGE_NAME.fullmatch(str(names[first]))
        if parts is None:
            raise InputError(
                f"{path}: 'imgname' has {str(names[first])!r}, expected S1_Directions_1.54138969_000001.jpg"
            )
        subject, take, camera_name = parts[1], parts[2].replace("_", " "), parts[3]
        camera = _read_lens(path_cameras, cameras, subject, camera_name).camera(camera_name)
        views.append(
            recorded_view(
                f"{subject}/{take}/{camera_name}",
                subject,
                pixels[video, :, :2].astype(np.float64),
                np.where(points[video, :, 3:] > 0, points[video, :, :3], np.nan),
                fps=float(fps),
                K=camera.K,
                image_size=camera.image_size,
                skeleton=H36M17,
                scores=pixels[video, :, 2].astype(np.float64).clip(0, 1),
                counted=np.full(last - first, f"{subject}_{parts[2]}" not in skip),
                action=action_name(take),
                camera=camera_name,
                distortion=camera.distortion,
            )
        )
    known = {view.name.rpartition("/")[0].replace("/", "_").replace(" ", "_") for view in views}
    if strays := sorted(set(skip) - known):
        raise InputError(f"data.skip: {path} has no take {strays[0]}; takes are named like {min(known)}")
    return views


def _read_detections(path: Path, frames: int) -> np.ndarray:
    """Pixels and scores of a detector in each frame of the annotations."""
    array = npy_array(LAYOUT.require_file(path))
    return check_shape(path, "keypoints", array, (frames, len(H36M17), 3))


def _read_lens(path: Path, cameras: Any, subject: str, name: str) -> H36MLens:
    """The lens of a camera of cameras.pkl."""
    entry = cameras.get((subject, name)) if isinstance(cameras, dict) else None
    if not isinstance(entry, dict):
        raise InputError(f"{path} has no camera {(subject, name)}; expected a dict of cameras by subject and name")

    def values(key: str, *shape: int) -> torch.Tensor:
        array = numbers(path, f"{subject} {name} {key}", entry.get(key), shape)
        return torch.from_numpy(array).reshape(-1 if shape[-1] == 1 else shape)

    width, height = entry.get("w"), entry.get("h")
    if not isinstance(width, int | np.integer) or not isinstance(height, int | np.integer):
        raise InputError(f"{path}: {(subject, name)} has no whole numbers 'w' and 'h'")
    # Its p is the dataset's, first down, then across.
    return H36MLens(
        image_size=(int(width), int(height)),
        focal=values("f", 2, 1),
        centre=values("c", 2, 1),
        radial=values("k", 3, 1),
        tangential=values("p", 2, 1).flip(0),
    )
