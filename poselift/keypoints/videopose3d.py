"""The npz files of VideoPose3D.

They hold Detectron2's detections in a video, or custom datasets.

`inference/infer_video_d2.py` writes for each frame `boxes[frame][1]`, n times x0, y0, x1, y1, score, and
`keypoints[frame][1]`, (n, 4, 17): rows of x, y, logit and probability of COCO's joints; and the size of the video in
`metadata`. `data/prepare_data_2d_custom.py` keeps the person with the best box of each frame, without scores, as
`positions_2d[video]["custom"][0]`, (frames, 17, 2); frames without people are interpolated.

Source: https://github.com/facebookresearch/VideoPose3D, INFERENCE.md
"""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError, reason
from poselift.core.npz import npz_names
from poselift.core.publishing import find_published
from poselift.data.reading import load_object_npz
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput, picture_size
from poselift.skeleton import COCO17, H36M17

WHAT = "VideoPose3D's npz, from Detectron2 or of a custom data set"

_LAYOUTS = {"coco": COCO17, "h36m": H36M17}
_SCALE = 4.0
"""Factor on Detectron2's joint scores, which are the share of the heat map at one pixel, and small. Detectron2 draws
joints from 0.05 on (KEYPOINT_THRESHOLD in detectron2/utils/visualizer.py); this becomes 0.2, our default threshold."""
_LOGIT = 2.0
"""The threshold of the first Detectron (its kp_thresh); only its files have logits other than 0."""


def arrays_of(path: Path) -> set[str]:
    """Names of the arrays in an npz; empty for other files."""
    return set(npz_names(path)) if path.suffix == ".npz" and zipfile.is_zipfile(find_published(path)) else set()


def recognises(file: KeypointInput) -> bool:
    """Whether it is one of the two kinds."""
    names = arrays_of(file.path)
    return {"boxes", "keypoints"} <= names or "positions_2d" in names


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file, without unsafe unpickling.

    Only numpy arrays and plain containers are unpickled.

    Raises:
        InputError: the file is damaged, has other pickled objects, or more than one clip.
    """
    try:
        return _custom(file) if "positions_2d" in arrays_of(file.path) else _detections(file)
    except InputError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:  # any pickled containers
        raise file.fail(f"its arrays are not in VideoPose3D's form ({reason(error)}); write the file again") from error


def _detections(file: KeypointInput) -> KeypointFile:
    boxes, keypoints = (load_object_npz(file.path, key) for key in ("boxes", "keypoints"))
    metadata = load_object_npz(file.path, "metadata")
    if len(boxes) != len(keypoints):
        raise file.fail(f"'boxes' has {len(boxes)} frames, 'keypoints' {len(keypoints)}")
    skeleton = file.by_count(17)
    frames: dict[int, list[Observation]] = {}
    for number in range(len(keypoints)):
        people = _of_person(file, "keypoints", keypoints[number], number, (4, len(skeleton)))
        corners = _of_person(file, "boxes", boxes[number], number, (5,))
        if len(people) != len(corners):
            raise file.fail(f"frame {number}: {len(people)} people in 'keypoints', {len(corners)} in 'boxes'")
        frames[number] = [
            Observation(person[:2].T, _scores(person[2], person[3]), None, box[:4], float(box[4]))
            for person, box in zip(people, corners, strict=True)
        ]
    return KeypointFile(file.path, "videopose3d", skeleton, frames, _size(metadata))


def _of_person(file: KeypointInput, key: str, frame: Any, number: int, shape: tuple[int, ...]) -> np.ndarray:
    """The people of a frame. The second of two lists, because the first is the background's."""
    try:
        people = np.asarray(frame[1], float)
    except (TypeError, ValueError, IndexError, KeyError):
        raise file.fail(f"{key!r} has no list of people in frame {number}") from None
    if people.size == 0:
        return np.zeros((0, *shape))
    if people.shape[1:] != shape:
        raise file.fail(f"{key!r} has the shape {people.shape} in frame {number}, expected (people, {shape})")
    return people


def _scores(logits: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    if logits.any():
        return (logits > _LOGIT).astype(float)
    return np.clip(probabilities * _SCALE, 0, 1)


def _custom(file: KeypointInput) -> KeypointFile:
    positions, metadata = (load_object_npz(file.path, key) for key in ("positions_2d", "metadata"))
    clips = [
        (video, camera)
        for video, actions in (positions.items() if isinstance(positions, dict) else ())
        for cameras in (actions.values() if isinstance(actions, dict) else ())
        for camera in cameras
    ]
    if len(clips) != 1:
        raise file.fail(f"'positions_2d' has {len(clips)} clips; make a file of one video")
    video, points = clips[0][0], np.asarray(clips[0][1], float)
    if points.ndim != 3 or points.shape[2] != 2:
        raise file.fail(f"'positions_2d' has the shape {points.shape}, expected (frames, joints, 2)")
    layout = _LAYOUTS.get(metadata.get("layout_name", "")) if isinstance(metadata, dict) else None
    known = layout if layout is not None and file.skeleton is None else file.by_count(points.shape[1])
    if len(known) != points.shape[1]:
        raise file.fail(f"'positions_2d' has {points.shape[1]} joints, its layout {known.name} has {len(known)}")
    frames = {number: [Observation(joints, np.ones(len(joints)), "1")] for number, joints in enumerate(points)}
    videos = metadata.get("video_metadata") if isinstance(metadata, dict) else None
    size = _size(videos.get(video)) if isinstance(videos, dict) else None
    return KeypointFile(file.path, "videopose3d", known, frames, size)


def _size(metadata: Any) -> tuple[int, int] | None:
    """(width, height) of the video."""
    return picture_size(metadata.get("w"), metadata.get("h")) if isinstance(metadata, dict) else None
