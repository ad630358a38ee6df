"""AIST++: dancers under nine cameras, in the 17 joints of COCO.

Li et al., "AI Choreographer: music conditioned 3D dance generation with AIST++", ICCV 2021; the layout of the
annotations is that of https://github.com/google/aistplusplus_api (aist_plusplus/loader.py). Lengths are in
centimetres, and as true as the cameras' places, which were estimated from the dancers themselves.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.loading import pick_split
from poselift.data.reading import Shape, Source, check_shape, load_json, load_pickle
from poselift.data.still_camera import StillCamera
from poselift.data.views import View
from poselift.geometry import axis_angle_to_matrix
from poselift.skeleton import COCO17

SOURCE = Source(
    name="AIST++",
    tree="""
ROOT/
  keypoints3d/
    gBR_sBM_cAll_d04_mBR0_ch01.pkl
    ...
  keypoints2d/ ...                     (for keypoints=detected)
  cameras/
    mapping.txt
    setting1.json
    ...
  splits/
    pose_train.txt
    pose_val.txt
    pose_test.txt
  ignore_list.txt
""",
    url="https://google.github.io/aistplusplus_dataset/download.html",
    note="ROOT is the extracted folder of the full annotations; the videos are not read.",
)

FPS = 60.0
CENTIMETRE = 0.01
"""Metres; the files are in centimetres."""
CAMERAS = tuple(f"c{number:02d}" for number in range(1, 10))
UNUSABLE = (("gBR_sBM_cAll_d04_mBR0_ch01", "c05"), ("gJB_sBM_cAll_d07_mJB3_ch05", "c07"))
"""Views that the dataset's own code sets aside (its processing/run_estimate_keypoints.py): one video is not
synchronous with the others, one is of another size."""


def load_aist(
    root: str | Path, split: str = "test", keypoints: str = "gt", cameras: Sequence[str] | None = None
) -> list[View]:
    """Reads one split of AIST++.

    Args:
        root: the folder of the annotations.
        split: "train", "val" or "test", the dataset's own for pose estimation.
        keypoints: "gt" for exact projections, lens distortion and all, or "detected" for the detections that the
            dataset comes with.
        cameras: which of "c01" to "c09"; all if left out.

    Returns:
        A View for each camera of each sequence that the dataset does not say to ignore, named by its video, such
        as "gBR_sBM_c01_d04_mBR0_ch01". The subject is the dancer and the action the genre. 3D is the dataset's own
        after its optimisation over time; the root is the middle of the hips.

    Raises:
        InputError: there is no such split, camera or kind of keypoints, a file is missing or malformed, or holds
            more than arrays.
    """
    root = Path(root)
    part = pick_split(split, {"train": "train", "val": "val", "test": "test"}, SOURCE.name)
    if keypoints not in ("gt", "detected"):
        raise InputError(f"data.keypoints={keypoints} is not known; choose gt or detected")
    chosen = CAMERAS if cameras is None else tuple(cameras)
    for name in chosen:
        if name not in CAMERAS:
            raise InputError(f"data.cameras={[*chosen]}: AIST++ has no camera {name!r}; it has {', '.join(CAMERAS)}")

    ignored = set(_words(root / "ignore_list.txt"))
    mapping = root / "cameras" / "mapping.txt"
    words = _words(mapping)
    settings = dict(zip(words[::2], words[1::2], strict=False))
    rigs: dict[str, dict[str, StillCamera]] = {}
    views = []
    for sequence in _words(root / "splits" / f"pose_{part}.txt"):
        if sequence in ignored:
            continue
        if sequence not in settings:
            raise InputError(f"{mapping} does not say which cameras {sequence} was filmed with")
        setting = settings[sequence]
        if setting not in rigs:
            rigs[setting] = _rig(SOURCE.require_file(root / "cameras" / f"{setting}.json"))
        usable = [rigs[setting][name] for name in chosen if (sequence, name) not in UNUSABLE]
        views += _sequence_views(root, sequence, keypoints, usable)
    return views


def _sequence_views(root: Path, sequence: str, keypoints: str, cameras: list[StillCamera]) -> list[View]:
    fields = sequence.split("_")
    if len(fields) != 6 or fields[2] != "cAll":
        raise InputError(f"{sequence!r} is not a sequence of AIST++; they are named like gBR_sBM_cAll_d04_mBR0_ch01")
    genre, _, _, dancer, _, _ = fields
    path = SOURCE.require_file(root / "keypoints3d" / f"{sequence}.pkl")
    world = _array(path, "keypoints3d_optim", load_pickle(path), (None, len(COCO17), 3)) * CENTIMETRE
    detected = None
    if keypoints == "detected":
        path = SOURCE.require_file(root / "keypoints2d" / f"{sequence}.pkl")
        detected = _array(path, "keypoints2d", load_pickle(path), (len(CAMERAS), len(world), len(COCO17), 3))
    return [
        camera.view(
            sequence.replace("cAll", camera.name),
            dancer,
            world,
            COCO17,
            fps=FPS,
            action=genre,
            detected=None if detected is None else detected[CAMERAS.index(camera.name)],
        )
        for camera in cameras
    ]


def _rig(path: Path) -> dict[str, StillCamera]:
    """The nine cameras of a setting."""
    content = load_json(path)
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise InputError(f"{path} is not a list of cameras")
    rig = {str(entry.get("name")): entry for entry in content}
    for name in CAMERAS:
        if name not in rig:
            raise InputError(f"{path} has no camera {name!r}; it has {', '.join(rig)}")
    return {name: _camera(path, name, rig[name]) for name in CAMERAS}


def _camera(path: Path, name: str, entry: dict[str, Any]) -> StillCamera:
    size, K, rotation, translation, distortion = (
        _array(path, key, entry, shape, of=f"camera {name}: ")
        for key, shape in (
            ("size", (2,)),
            ("matrix", (3, 3)),
            ("rotation", (3,)),
            ("translation", (3,)),
            ("distortions", (5,)),
        )
    )
    return StillCamera(
        name=name,
        image_size=(int(size[0]), int(size[1])),
        K=torch.from_numpy(K),
        R=axis_angle_to_matrix(torch.from_numpy(rotation)),
        t=torch.from_numpy(translation) * CENTIMETRE,
        distortion=torch.from_numpy(distortion),
    )


def _words(path: Path) -> list[str]:
    return SOURCE.require_file(path).read_text(encoding="utf-8", errors="replace").split()


def _array(path: Path, key: str, data: Any, shape: Shape, of: str = "") -> np.ndarray:
    """One entry of a dict, as float64."""
    if not isinstance(data, dict):
        raise InputError(f"{path} holds a {type(data).__name__}, expected a dict with {key!r}")
    if key not in data:
        raise InputError(f"{path}: {of}no {key!r}; it has {', '.join(map(str, data))}")
    try:
        array = np.array(data[key], np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: {of}{key!r} is not an array of numbers ({error})") from error
    return check_shape(path, f"{of}{key}", array, shape)
