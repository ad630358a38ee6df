"""Folders of JSON from OpenPose's `--write_json`, one file per frame; also from Pose2Sim and Sports2D.

`{"people": [{"person_id": [-1], "pose_keypoints_2d": [x0, y0, score0, ...]}]}`; undetected joints are 0, 0, 0.
The file name has the frame number: `clip_000000000012_keypoints.json`, Pose2Sim's `clip_000012.json`.
OpenPose gives BODY_25, BODY_25B or COCO-18, Pose2Sim mostly Halpe-26.

Sources: https://github.com/CMU-Perceptual-Computing-Lab/openpose, doc/02_output.md;
https://github.com/perfanalytics/pose2sim
"""

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.bounded import whole_number
from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput, number_in
from poselift.skeleton import BODY25, Skeleton

WHAT = "a folder of OpenPose's JSON (also Pose2Sim's, and AlphaPose's sep-json)"


def recognises(file: KeypointInput) -> bool:
    """Whether it is a folder of such files."""
    files = file.files(".json")
    return bool(files) and is_frame(file.read_json(files[0]))


def is_frame(content: Any) -> bool:
    """Whether the content of a file is one frame."""
    return isinstance(content, dict) and "people" in content


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the folder.

    Raises:
        InputError: a file is damaged or has no number, or the skeleton is unknown.
    """
    people: dict[int, list[tuple[str | None, np.ndarray]]] = {}
    for path in file.files(".json"):
        content = file.read_json(path)
        number = number_in(path.name)
        if number is None or number in people:
            raise InputError(f"{path}: its name has no number, or that of another file; name it by its frame number")
        if not isinstance(content, dict) or not isinstance(content.get("people"), list):
            raise InputError(f"{path}: it has no list 'people'; remove files of other programs from the folder")
        people[number] = [_person(file, person, path) for person in content["people"]]
    everybody = [points for there in people.values() for _, points in there]
    counts = {len(points) for points in everybody}
    if len(counts) > 1:
        raise file.fail(
            f"its people have {', '.join(map(str, sorted(counts)))} joints; give a folder with one skeleton"
        )
    skeleton = _skeleton(file, everybody)
    joints = len(skeleton)
    frames = {
        number: [
            Observation(points[:joints, :2], points[:joints, 2], name) for name, points in there if points[:, 2].any()
        ]
        for number, there in sorted(people.items())
    }
    return KeypointFile(file.path, "openpose", skeleton, frames)


def _person(file: KeypointInput, person: Any, path: Path) -> tuple[str | None, Float[np.ndarray, "j 3"]]:
    if not isinstance(person, dict) or "pose_keypoints_2d" not in person:
        raise InputError(f"{path}: a person has no 'pose_keypoints_2d'")
    # Older versions write a number, newer ones a list of one; -1 is unknown.
    name = person.get("person_id", -1)
    name = name[0] if isinstance(name, list) and name else name
    number = whole_number(name, 0, 10**9)
    return (None if number is None else str(number)), file.triplets(
        person["pose_keypoints_2d"], f"{path.name}: 'pose_keypoints_2d'"
    )


def _skeleton(file: KeypointInput, people: list[np.ndarray]) -> Skeleton:
    if not people:
        return file.skeleton or BODY25
    return file.by_count(len(people[0]))
