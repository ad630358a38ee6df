"""3DPW: people outdoors, tracked by inertial sensors and a moving phone.

von Marcard et al., "Recovering accurate 3D human pose in the wild using IMUs and a moving camera", ECCV 2018. The
readme.txt of the download describes the files.
"""

from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.data.loading import pick_split, recorded_view
from poselift.data.reading import Layout, entry, load_pickle, numbers
from poselift.data.views import View
from poselift.skeleton import COCO18, SMPL24

LAYOUT = Layout(
    name="3DPW",
    tree="""
ROOT/
  sequenceFiles/
    train/
      courtyard_arguing_00.pkl
      ...
    validation/ ...
    test/ ...
""",
    url="https://virtualhumans.mpi-inf.mpg.de/3DPW/license.html",
    note="The pictures (imageFiles) are not needed.",
)

FPS = 30.0
SPLITS = {"train": "train", "val": "validation", "test": "test"}


def load_pw3d(root: str | Path, split: str = "test") -> list[View]:
    """The views of one split of 3DPW.

    Args:
        root: folder that contains `sequenceFiles`.
        split: "train", "val" or "test", the dataset's own.

    Returns:
        A View for each person of each sequence, named "downtown_walking_00/0". Joints are those of SMPL, and NaN in
        frames that the official evaluation leaves out: those whose camera is not aligned (`campose_valid`) or whose
        2D pose is all zero. Keypoints are the OpenPose detections of the dataset,
        with COCO's 18 joints.

    Raises:
        InputError: the split is unknown, or its files are missing or malformed.
    """
    folder = Path(root) / "sequenceFiles" / pick_split(split, SPLITS, LAYOUT.name)
    return [view for path in LAYOUT.require_files(folder, "*.pkl") for view in _load_sequence(path)]


def _load_sequence(path: Path) -> list[View]:
    data = load_pickle(path, encoding="latin1")
    keypoints_key = "poses2D" if isinstance(data, dict) and "poses2D" in data else "poses2d"
    people = {key: _people(path, data, key) for key in ("jointPositions", keypoints_key, "campose_valid")}
    count = len(people["jointPositions"])
    for key, values in people.items():
        if len(values) != count:
            raise InputError(f"{path}: {key!r} has {len(values)} people, 'jointPositions' has {count}")
    cameras = numbers(path, "cam_poses", entry(path, data, "cam_poses"), (None, 4, 4))
    K = numbers(path, "cam_intrinsics", entry(path, data, "cam_intrinsics"), (3, 3))
    frames = len(cameras)
    views = []
    for person in range(count):
        world, detected, valid = (
            numbers(path, f"{key}[{person}]", people[key][person], shape)
            for key, shape in (
                ("jointPositions", (frames, 3 * len(SMPL24))),
                (keypoints_key, (frames, 3, len(COCO18))),
                ("campose_valid", (frames,)),
            )
        )
        world = world.reshape(frames, -1, 3)
        points = np.einsum("tij,tnj->tni", cameras[:, :3, :3], world) + cameras[:, None, :3, 3]
        views.append(
            recorded_view(
                f"{path.stem}/{person}",
                f"{path.stem}/{person}",
                detected[:, :2].transpose(0, 2, 1),
                points,
                fps=FPS,
                K=K,
                # The phone was held upright or on its side; its principal point is near the picture's middle.
                image_size=(1080, 1920) if K[0, 2] < K[1, 2] else (1920, 1080),
                keypoint_skeleton=COCO18,
                skeleton=SMPL24,
                scores=detected[:, 2],
                counted=valid.astype(bool) & detected.any((1, 2)),
                action=path.stem,
            )
        )
    return views


def _people(path: Path, data: Any, key: str) -> list[Any]:
    """The values of all people."""
    values = entry(path, data, key)
    if not isinstance(values, list | np.ndarray):
        raise InputError(f"{path}: {key!r} is a {type(values).__name__}, expected a list with one entry per person")
    return list(values)
