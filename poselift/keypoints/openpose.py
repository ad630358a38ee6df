"""JSON of OpenPose's `--write_json`, one file per frame.

Pose2Sim and Sports2D write it too. DWPose's lists of frames are read likewise.

`{"people": [{"person_id": [-1], "pose_keypoints_2d": [x0, y0, score0, ...]}]}`; undetected joints are 0, 0, 0.
The file name has the frame number: `clip_000000000012_keypoints.json`, Pose2Sim's `clip_000012.json`.
OpenPose gives BODY_25, BODY_25B or COCO-18, Pose2Sim mostly Halpe-26. The nodes for DWPose and OpenPose of
controlnet_aux write a list of such frames into one file, each with `canvas_width` and `canvas_height`.

Sources: https://github.com/CMU-Perceptual-Computing-Lab/openpose, doc/02_output.md;
https://github.com/perfanalytics/pose2sim; https://github.com/Fannovel16/comfyui_controlnet_aux
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.file_hands import FileHands, hands_of_whole_body, make_hands
from poselift.keypoints.input_file import KeypointInput, picture_size, unwrap
from poselift.skeleton import BODY25
from poselift.skeleton.hand import SIDES

WHAT = "a folder of OpenPose's JSON (also Pose2Sim's, and AlphaPose's sep-json), or DWPose's list of frames"


def recognises(file: KeypointInput) -> bool:
    """Whether it is a folder of such files, or frames listed."""
    if files := file.files(".json"):
        return is_frame(unwrap(file.read_json(files[0])))
    return isinstance(file.json, list) and len(file.json) > 0 and is_frame(file.json[0])


def is_frame(content: Any) -> bool:
    """Whether the content of a file is one frame."""
    return isinstance(content, dict) and "people" in content


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the folder or the list.

    Raises:
        InputError: a file is damaged or has no number, or the skeleton is unknown.
    """
    people: dict[int, list[tuple[str | None, np.ndarray, FileHands | None]]] = {}
    sizes = set()
    for number, where, content in _frames(file):
        if not isinstance(content, dict) or not isinstance(content.get("people"), list):
            raise InputError(f"{where}: it has no list 'people'; remove what other programs wrote")
        people[number] = [found for person in content["people"] if (found := _person(file, person, where))]
        sizes.add(picture_size(content.get("canvas_width"), content.get("canvas_height")))
    counts = {len(points) for there in people.values() for _, points, _ in there}
    skeleton = file.only_skeleton(map(file.by_count, sorted(counts))) if counts else file.skeleton or BODY25
    joints = len(skeleton)
    frames = {
        number: [
            Observation(points[:joints, :2], points[:joints, 2], name, hands=hands) for name, points, hands in there
        ]
        for number, there in sorted(people.items())
    }
    if len(sizes) > 1:
        raise file.fail(f"its frames have {len(sizes)} sizes of the canvas; give the frames of one video")
    return KeypointFile(file.path, "openpose", skeleton, frames, sizes.pop() if sizes else None)


def _frames(file: KeypointInput) -> Iterator[tuple[int, str, Any]]:
    """Number, place for messages, and content of each frame."""
    if not file.path.is_dir():
        for number, content in enumerate(file.json):
            yield number, f"{file.path}, frame {number}", content
        return
    for number, path in file.numbered_files(".json").items():
        yield number, str(path), unwrap(file.read_json(path))  # controlnet_aux saves single frames as lists of one


def _person(
    file: KeypointInput, person: Any, where: str
) -> tuple[str | None, Float[np.ndarray, "j 3"], FileHands | None] | None:
    """A person's name, joints and hands; None without a body."""
    if not isinstance(person, dict) or "pose_keypoints_2d" not in person:
        raise InputError(f"{where}: a person has no 'pose_keypoints_2d'")
    if person["pose_keypoints_2d"] in (None, []):
        return None
    # Older versions write a number, newer ones a list of one; -1 is unknown.
    name = file.person_name(person.get("person_id"), f"{Path(where).name}: 'person_id'")
    points = file.read_triplets(person["pose_keypoints_2d"], f"{Path(where).name}: 'pose_keypoints_2d'")
    keys = [f"hand_{side}_keypoints_2d" for side in SIDES]
    left, right = (
        file.read_triplets(person[key], f"{Path(where).name}: {key!r}") if person.get(key) else None for key in keys
    )
    try:
        return name, points, make_hands(left, right) or hands_of_whole_body(points)
    except InputError as error:
        raise InputError(f"{where}: {error}; write the file again") from None
