"""AIST++: dancers under nine cameras, in the 17 joints of COCO.

Li et al., "AI Choreographer: music conditioned 3D dance generation with AIST++", ICCV 2021; the layout of the
annotations is that of https://github.com/google/aistplusplus_api (aist_plusplus/loader.py). Lengths are in
centimetres, and as true as the cameras' places, which were estimated from the dancers themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from poselift.core.errors import InputError
from poselift.data.loading import pick_split, recorded_view
from poselift.data.reading import Shape, Source, check_shape, load_json, load_pickle
from poselift.data.views import View
from poselift.geometry import axis_angle_to_matrix, project, world_to_camera
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
CAMERAS = tuple(f"c{number:02d}" for number in range(1, 10))
UNUSABLE = (("gBR_sBM_cAll_d04_mBR0_ch01", "c05"), ("gJB_sBM_cAll_d07_mJB3_ch05", "c07"))
"""Views that the dataset's own code sets aside: one video is not synchronous, one of another size."""


@dataclass(frozen=True)
class _Camera:
    """One camera: intrinsics, OpenCV's five distortion coefficients, and R X + t from the world, in metres."""

    name: str
    size: tuple[int, int]
    K: np.ndarray
    R: torch.Tensor
    t: torch.Tensor
    distortion: torch.Tensor


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

    ignored = set(SOURCE.require_file(root / "ignore_list.txt").read_text().split())
    mapping = SOURCE.require_file(root / "cameras" / "mapping.txt")
    settings = dict(line.split()[:2] for line in mapping.read_text().splitlines() if len(line.split()) >= 2)
    rigs: dict[str, dict[str, _Camera]] = {}
    views = []
    for sequence in SOURCE.require_file(root / "splits" / f"pose_{part}.txt").read_text().split():
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


def _sequence_views(root: Path, sequence: str, keypoints: str, cameras: list[_Camera]) -> list[View]:
    path = SOURCE.require_file(root / "keypoints3d" / f"{sequence}.pkl")
    world = _array(path, "keypoints3d_optim", load_pickle(path), (None, len(COCO17), 3)) / 100
    detected = None
    if keypoints == "detected":
        path = SOURCE.require_file(root / "keypoints2d" / f"{sequence}.pkl")
        detected = _array(path, "keypoints2d", load_pickle(path), (len(CAMERAS), len(world), len(COCO17), 3))
    fields = sequence.split("_")
    if len(fields) != 6 or fields[2] != "cAll":
        raise InputError(f"{sequence!r} is not a sequence of AIST++; they are named like gBR_sBM_cAll_d04_mBR0_ch01")
    genre, _, _, dancer, _, _ = fields
    views = []
    for camera in cameras:
        points = world_to_camera(torch.from_numpy(world), camera.R, camera.t)
        if detected is None:
            pixels, scores = project(points, torch.from_numpy(camera.K), camera.distortion).numpy(), None
        else:
            seen = detected[CAMERAS.index(camera.name)]
            pixels, scores = seen[..., :2], np.nan_to_num(seen[..., 2])
        view = recorded_view(
            sequence.replace("cAll", camera.name),
            dancer,
            pixels,
            points.numpy(),
            fps=FPS,
            K=camera.K,
            image_size=camera.size,
            keypoint_skeleton=COCO17,
            skeleton=COCO17,
            scores=scores,
            action=genre,
            camera=camera.name,
        )
        views.append(replace(view, distortion=camera.distortion.float()))
    return views


def _rig(path: Path) -> dict[str, _Camera]:
    """The nine cameras of a setting."""
    content = load_json(path)
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise InputError(f"{path} is not a list of cameras")
    rig = {}
    for number, entry in enumerate(content):
        size, K, rotation, translation, distortion = (
            _array(path, key, entry, shape, of=f"camera {number}: ")
            for key, shape in (
                ("size", (2,)),
                ("matrix", (3, 3)),
                ("rotation", (3,)),
                ("translation", (3,)),
                ("distortions", (5,)),
            )
        )
        rig[str(entry.get("name"))] = _Camera(
            str(entry.get("name")),
            (int(size[0]), int(size[1])),
            K,
            axis_angle_to_matrix(torch.from_numpy(rotation)),
            torch.from_numpy(translation) / 100,
            torch.from_numpy(distortion),
        )
    for name in CAMERAS:
        if name not in rig:
            raise InputError(f"{path} has no camera {name!r}; it has {', '.join(rig)}")
    return rig


def _array(path: Path, key: str, data: Any, shape: Shape, of: str = "") -> np.ndarray:
    """One entry of a dict, as float64."""
    if not isinstance(data, dict) or key not in data:
        raise InputError(f"{path}: {of}no {key!r}; it has {', '.join(map(str, data))}")
    try:
        array = np.asarray(data[key], np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: {of}{key!r} is not an array of numbers ({error})") from error
    return check_shape(path, f"{of}{key}", array, shape)
