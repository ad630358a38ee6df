"""3DPW: people outdoors, tracked by inertial sensors and a moving phone.

von Marcard et al., "Recovering accurate 3D human pose in the wild using IMUs and a moving camera", ECCV 2018. The
readme.txt of the download says what the files hold.
"""

from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.data.loading import pick_split, recorded_view
from poselift.data.reading import Shape, Source, check_shape, load_pickle
from poselift.data.views import View
from poselift.skeleton import COCO18, SMPL24

SOURCE = Source(
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
    note="The pictures (imageFiles) are not read.",
)

FPS = 30.0
SPLITS = {"train": "train", "val": "validation", "test": "test"}


def load_pw3d(root: str | Path, split: str = "test") -> list[View]:
    """Reads one split of 3DPW.

    Args:
        root: the folder that holds `sequenceFiles`.
        split: "train", "val" or "test", as the dataset is divided.

    Returns:
        A View for each person of each sequence, named "downtown_walking_00/0". Joints are those of SMPL, and NaN in
        the frames whose camera could not be aligned (`campose_valid`); keypoints are the OpenPose detections that
        the dataset comes with, in COCO's 18 joints.

    Raises:
        InputError: there is no such split, no file of it, or a file is malformed.
    """
    folder = Path(root) / "sequenceFiles" / pick_split(split, SPLITS, SOURCE.name)
    paths = sorted(folder.glob("*.pkl"))
    if not paths:
        raise SOURCE.missing(folder / "*.pkl")
    return [view for path in paths for view in _sequence(path)]


def _sequence(path: Path) -> list[View]:
    data = load_pickle(path, encoding="latin1")
    if not isinstance(data, dict):
        raise InputError(f"{path} holds a {type(data).__name__}, expected a dict of one sequence")
    keypoints_key = "poses2D" if "poses2D" in data else "poses2d"
    people = {key: _list(path, data, key) for key in ("jointPositions", keypoints_key, "campose_valid")}
    count = len(people["jointPositions"])
    for key, values in people.items():
        if len(values) != count:
            raise InputError(f"{path}: {key!r} has {len(values)} people, 'jointPositions' has {count}")
    cameras = _array(path, "cam_poses", _entry(path, data, "cam_poses"), (None, 4, 4))
    K = _array(path, "cam_intrinsics", _entry(path, data, "cam_intrinsics"), (3, 3))
    frames = len(cameras)
    views = []
    for person in range(count):
        world, detected, valid = (
            _array(path, f"{key}[{person}]", people[key][person], shape)
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
                # The phone was held upright or on its side, and looks through the middle of the picture.
                image_size=(1080, 1920) if K[0, 2] < K[1, 2] else (1920, 1080),
                keypoint_skeleton=COCO18,
                skeleton=SMPL24,
                scores=detected[:, 2],
                counted=valid.astype(bool),
                action=path.stem,
            )
        )
    return views


def _entry(path: Path, data: dict[str, Any], key: str) -> Any:
    if key not in data:
        raise InputError(f"{path} has no {key!r}; it has {', '.join(map(str, data))}")
    return data[key]


def _list(path: Path, data: dict[str, Any], key: str) -> list[Any]:
    values = _entry(path, data, key)
    if not isinstance(values, list | np.ndarray):
        raise InputError(f"{path}: {key!r} is a {type(values).__name__}, expected a list with an entry a person")
    return list(values)


def _array(path: Path, key: str, value: Any, shape: Shape) -> np.ndarray:
    return np.asarray(check_shape(path, key, value, shape), np.float64)
