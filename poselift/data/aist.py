"""AIST++: dancers under nine cameras, with the 17 joints of COCO.

Li et al., "AI Choreographer: music conditioned 3D dance generation with AIST++", ICCV 2021. The layout is that of
https://github.com/google/aistplusplus_api (aist_plusplus/loader.py). Lengths are in centimetres; their scale is as
accurate as the camera positions, which AIST++ estimated from the dancers themselves.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_json, read_lenient_text
from poselift.data.camera_views import view_of
from poselift.data.loading import TRAIN_VAL_TEST, pick_names, pick_split
from poselift.data.reading import Layout, Shape, entry, load_pickle, numbers
from poselift.data.views import View
from poselift.geometry import axis_angle_to_matrix
from poselift.geometry.camera import Camera
from poselift.skeleton import COCO17

LAYOUT = Layout(
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
    note="ROOT is the extracted folder of the full annotations; the videos are not needed.",
)

FPS = 60.0
CENTIMETRE = 0.01
"""Metres."""
CAMERAS = tuple(f"c{number:02d}" for number in range(1, 10))
UNUSABLE = (("gBR_sBM_cAll_d04_mBR0_ch01", "c05"), ("gJB_sBM_cAll_d07_mJB3_ch05", "c07"))
"""Views that the dataset's own code excludes (processing/run_estimate_keypoints.py): one video is out of sync with the
others, one has another size."""


def load_aist(
    root: str | Path, split: str = "test", keypoints: str = "gt", cameras: Sequence[str] | None = None
) -> list[View]:
    """The views of one split of AIST++.

    Args:
        root: folder of the annotations.
        split: "train", "val" or "test", the dataset's own for pose estimation.
        keypoints: "gt" for exact projections with lens distortion, or "detected" for the dataset's own detections.
        cameras: some of "c01" to "c09"; None takes all.

    Returns:
        A View for each camera of each sequence that the dataset does not exclude. It has the name of its video, such
        as "gBR_sBM_c01_d04_mBR0_ch01"; the subject is the dancer and the action the genre. The 3D is the dataset's
        result of optimisation over time; the root is the middle of the hips.

    Raises:
        InputError: the split, a camera or the kind of keypoints is unknown, or a file is missing, malformed, or
            contains more than arrays.
    """
    root = Path(root)
    pick_split(split, TRAIN_VAL_TEST, LAYOUT.name)
    pick_names(keypoints, ("gt", "detected"), "data.keypoints", LAYOUT.name)
    chosen = pick_names(cameras, CAMERAS, "data.cameras", LAYOUT.name)
    excluded = set(_read_words(root / "ignore_list.txt"))
    mapping = root / "cameras" / "mapping.txt"
    words = _read_words(mapping)
    settings = dict(zip(words[::2], words[1::2], strict=False))
    rigs: dict[str, dict[str, Camera]] = {}
    views = []
    for sequence in _read_words(root / "splits" / f"pose_{split}.txt"):
        if sequence in excluded:
            continue
        if sequence not in settings:
            raise InputError(f"{mapping} has no cameras for {sequence}; download the annotations again")
        setting = settings[sequence]
        if setting not in rigs:
            rigs[setting] = _read_rig(LAYOUT.require_file(root / "cameras" / f"{setting}.json"))
        usable = [rigs[setting][name] for name in chosen if (sequence, name) not in UNUSABLE]
        views += _load_sequence(root, sequence, keypoints, usable)
    return views


def _load_sequence(root: Path, sequence: str, keypoints: str, cameras: list[Camera]) -> list[View]:
    fields = sequence.split("_")
    if len(fields) != 6 or fields[2] != "cAll":
        raise InputError(f"{sequence!r} is not a sequence of AIST++; their names are like gBR_sBM_cAll_d04_mBR0_ch01")
    genre, _, _, dancer, _, _ = fields
    path = LAYOUT.require_file(root / "keypoints3d" / f"{sequence}.pkl")
    world = _entry(path, load_pickle(path), "keypoints3d_optim", (None, len(COCO17), 3)) * CENTIMETRE
    detected = None
    if keypoints == "detected":
        path = LAYOUT.require_file(root / "keypoints2d" / f"{sequence}.pkl")
        detected = _entry(path, load_pickle(path), "keypoints2d", (len(CAMERAS), len(world), len(COCO17), 3))
    return [
        view_of(
            camera,
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


def _read_rig(path: Path) -> dict[str, Camera]:
    """The nine cameras of a setting, by name."""
    content = read_json(path)
    if not isinstance(content, list) or not all(isinstance(camera, dict) for camera in content):
        raise InputError(f"{path} is not a list of cameras; download the annotations again")
    rig = {str(camera.get("name")): camera for camera in content}
    return {name: _read_camera(f"{path}: camera {name}", name, entry(path, rig, name)) for name in CAMERAS}


def _read_camera(where: str, name: str, content: dict[str, Any]) -> Camera:
    shapes = {"size": (2,), "matrix": (3, 3), "rotation": (3,), "translation": (3,), "distortions": (5,)}
    size, K, rotation, translation, distortion = (_entry(where, content, key, shape) for key, shape in shapes.items())
    if not all(np.isfinite(values).all() for values in (size, K, rotation, translation, distortion)):
        raise InputError(f"{where} has numbers that are not finite; download the annotations again")
    return Camera.from_extrinsics(
        K,
        (int(size[0]), int(size[1])),
        axis_angle_to_matrix(rotation),
        translation * CENTIMETRE,
        distortion,
        name,
    )


def _read_words(path: Path) -> list[str]:
    return read_lenient_text(LAYOUT.require_file(path)).split()


def _entry(where: str | Path, data: Any, key: str, shape: Shape) -> np.ndarray:
    """One entry of a dict, as float64."""
    return numbers(where, key, entry(where, data, key), shape)
