"""JSON of MMPose's inferencer (`pred_out_dir`) and of its demos (`--save-predictions`).

For a video the inferencer writes a list, `[{"frame_id": 0, "instances": [...]}]`; for pictures one file per picture,
with a list of its people. The demos write the list under "instance_info", count frames from 1, and have the joint names
in "meta_info". A person is `{"keypoints": [[x, y], ...], "keypoint_scores": [...],
"bbox": [[x0, y0, x1, y1]], "bbox_score": 0.9}`, some with a "track_id".

Source: https://github.com/open-mmlab/mmpose, mmpose/apis/inferencers and demo/, version 1.3.2
"""

from typing import Any

import numpy as np

from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.file_hands import hands_of_whole_body
from poselift.keypoints.input_file import KeypointInput, frame_number, pick, read_box, score_of, unwrap
from poselift.skeleton import Skeleton

WHAT = "the JSON of MMPose's inferencer or demos"

_DIGITS = 9
"""Fewer digits have the numbers of joints."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is one of these kinds."""
    if files := file.files(".json"):
        return _are_people(file.read_json(files[0]))
    content = file.json
    if isinstance(content, dict):
        return isinstance(content.get("instance_info"), list)
    return isinstance(content, list) and (_are_frames(content) or (len(content) > 0 and _are_people(content)))


def _are_frames(content: list[Any]) -> bool:
    return len(content) > 0 and isinstance(content[0], dict) and "instances" in content[0]


def _are_people(content: Any) -> bool:
    return isinstance(content, list) and all(
        isinstance(person, dict) and "keypoints" in person and "keypoint_scores" in person for person in content
    )


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of a file, or of a folder's files by picture.

    Raises:
        InputError: a person is damaged, or the skeleton is unknown.
    """
    skeleton, joints = _by_names(file)
    named = skeleton is not None
    frames: dict[int, list[Observation]] = {}
    for number, people in _frames(file).items():
        frames[number] = []
        for person in people:
            points, scores = _arrays(file, person, number)
            if not named:
                chosen = file.by_count(len(points))
                skeleton = file.only_skeleton([skeleton or chosen, chosen])
                joints = list(range(len(skeleton)))
            elif len(points) <= max(joint for joint in joints if joint is not None):
                raise file.fail(
                    f"frame {number}: 'keypoints' has {len(points)} joints, fewer than others; write the file again"
                )
            frames[number].append(
                Observation(
                    pick(points, joints),
                    np.nan_to_num(pick(scores[:, None], joints)[:, 0]),
                    file.person_name(person.get("track_id"), f"'track_id' in frame {number}"),
                    read_box(person.get("bbox")),
                    score_of(unwrap(person.get("bbox_score"))),
                    hands_of_whole_body(np.concatenate([points, scores[:, None]], 1)),
                )
            )
    if skeleton is None:
        raise file.fail("it has no people; give a file with detections")
    return KeypointFile(file.path, "mmpose", skeleton, frames)


def _by_names(file: KeypointInput) -> tuple[Skeleton | None, list[int | None]]:
    """The skeleton from joint names, if the file has them."""
    meta = file.json.get("meta_info") if isinstance(file.json, dict) else None
    names = meta.get("keypoint_id2name") if isinstance(meta, dict) else None
    if not isinstance(names, dict):
        return None, []
    if not all(str(key).isdecimal() and len(key) < _DIGITS for key in names):
        raise file.fail("'keypoint_id2name' has keys that are not numbers; write the file again")
    return file.by_names([str(names[key]) for key in sorted(names, key=int)])


def _frames(file: KeypointInput) -> dict[int, list[Any]]:
    """The people by frame, counted from 0."""
    frames: dict[int, list[Any]] = {}
    if file.path.is_dir():
        for number, path in file.numbered_files(".json").items():
            content = file.read_json(path)
            if not _are_people(content):
                raise file.fail(f"{path.name}: not a list of people with 'keypoints' and 'keypoint_scores'")
            frames[number] = content
        return frames
    content, first = file.json, 0
    if isinstance(content, dict):
        content = content["instance_info"]
        first = int(not any(isinstance(frame, dict) and frame.get("frame_id") == 0 for frame in content))
    elif not _are_frames(content):
        return {0: content}
    for index, frame in enumerate(content):
        if not isinstance(frame, dict) or not isinstance(frame.get("instances"), list):
            raise file.fail(f"frame {index} has no list 'instances'")
        number = frame.get("frame_id", index + first)
        if frame_number(number) is None or number - first in frames:
            raise file.fail(f"frame {index}: 'frame_id' is {number!r:.40}; give each frame its own number")
        frames[number - first] = frame["instances"]
    return frames


def _arrays(file: KeypointInput, person: Any, number: int) -> tuple[np.ndarray, np.ndarray]:
    """A person's joints and their scores."""
    if not isinstance(person, dict):
        raise file.fail(f"frame {number}: 'instances' has an entry that is not a person")
    points = file.read_numbers(person.get("keypoints"), f"'keypoints' in frame {number}")
    scores = file.read_numbers(person.get("keypoint_scores"), f"'keypoint_scores' in frame {number}")
    if points.ndim != 2 or points.shape[1] != 2 or scores.shape != points.shape[:1]:
        raise file.fail(f"frame {number}: 'keypoints' must be pairs x, y, and 'keypoint_scores' one for each")
    return points, scores
