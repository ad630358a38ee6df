"""JSON of MediaPipe's pose landmarks.

It is a list of frames, each with the 33 landmarks of one or several people. MediaPipe itself writes no file. Read are
frames as its results become JSON: a list of `{"x", "y", "z", "visibility"}`, or an object that has it as `landmarks`,
`poseLandmarks`, `pose_landmarks` or `landmark`, alone or in a list of people. A frame may have its number (`frame`,
`frame_id`, `frame_index` or `frame_number`) or its time (`timestamp_ms`). x and y are shares of the picture's width and
height. A frame without people is null or an empty list.

Holistic's frames have one person, and beside it `leftHandLandmarks` and `rightHandLandmarks` (or with underscores), the
21 landmarks of a hand; with `leftHandWorldLandmarks` and `rightHandWorldLandmarks`, metres, the hands are in 3D.

Source: https://ai.google.dev/edge/mediapipe/solutions/vision/pose_landmarker
"""

from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.file_hands import FileHands, make_hands
from poselift.keypoints.input_file import KeypointInput, frame_number, pick, score_of
from poselift.skeleton import COCO_WHOLEBODY23, MEDIAPIPE_LANDMARKS
from poselift.skeleton.hand import SIDES

WHAT = "JSON of MediaPipe's 33 pose landmarks"

_JOINTS = 33
_KEYS = ("landmarks", "poseLandmarks", "pose_landmarks", "landmark", "pose", "keypoints", "results")
_NUMBERS = ("frame", "frame_id", "frame_index", "frame_number")
_PIXELS = 4.0
"""Coordinates that reach further are pixels."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is a list of frames with 33 landmarks. The list may be the file itself, or under "frames"."""
    return any(map(_is_person, (landmarks for frame in _frames(file.json) for landmarks in _people(frame))))


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file.

    Raises:
        InputError: a landmark is damaged, or the frames have no distinct numbers or times.
    """
    places = [MEDIAPIPE_LANDMARKS.get(joint) for joint in COCO_WHOLEBODY23.joints]
    frames: dict[int, list[Observation]] = {}
    times: dict[int, float] = {}
    for index, frame in enumerate(_frames(file.json)):
        number = _number(file, frame, index)
        if number in frames:
            raise file.fail(f"two frames have the number {number}; give each frame its own")
        if not isinstance(frame, list | dict | None):
            raise file.fail(f"frame {number} is {frame!r:.40}; give landmarks, or null for nobody")
        found = _people(frame)
        hands = _hands(file, frame, number) if len(found) == 1 else None
        frames[number] = [_person(file, landmarks, places, number, hands) for landmarks in found]
        time = score_of(frame.get("timestamp_ms")) if isinstance(frame, dict) else None
        if time is not None:
            times[number] = time / 1000
    everything = [person.points[person.seen] for there in frames.values() for person in there]
    reach = max((np.abs(points).max(initial=0.0) for points in everything), default=0.0)
    skeleton = file.skeleton or COCO_WHOLEBODY23
    if skeleton != COCO_WHOLEBODY23:
        raise file.fail(f"its landmarks are MediaPipe's, read as {COCO_WHOLEBODY23.name}; leave --keypoint-set out")
    stamps = times if len(times) == len(frames) and (np.diff([times[n] for n in sorted(times)]) > 0).all() else None
    return KeypointFile(file.path, "mediapipe", skeleton, frames, timestamps=stamps, normalised=bool(reach < _PIXELS))


def _frames(content: Any) -> list[Any]:
    """The frames of the file."""
    if isinstance(content, dict):
        content = content.get("frames")
    return content if isinstance(content, list) else []


def _people(frame: Any) -> list[list[Any]]:
    """The landmarks of each person in a frame."""
    if isinstance(frame, dict):
        return next((people for key in _KEYS if (people := _people(frame.get(key)))), [])
    if not isinstance(frame, list):
        return []
    if any(isinstance(point, dict) and {"x", "y"} & point.keys() for point in frame):
        return [frame]
    return [landmarks for part in frame for landmarks in _people(part)]


def _is_person(landmarks: list[Any]) -> bool:
    """Whether these are the landmarks of a person."""
    return len(landmarks) == _JOINTS and all(isinstance(p, dict) and {"x", "y"} <= p.keys() for p in landmarks)


def _number(file: KeypointInput, frame: Any, index: int) -> int:
    """The frame's own number, or its place in the list."""
    key = next((key for key in _NUMBERS if isinstance(frame, dict) and key in frame), None)
    if key is None:
        return index
    if (number := frame_number(frame[key])) is None:
        raise file.fail(f"frame {index}: {key!r} is {frame[key]!r:.40}; it must be a whole number")
    return number


def _hands(file: KeypointInput, frame: Any, number: int) -> FileHands | None:
    """The hands of the one person of a frame."""

    def landmarks(side: str, kind: str, axes: str) -> np.ndarray | None:
        keys = f"{side}_hand_{kind}landmarks", f"{side}Hand{kind.removesuffix('_').capitalize()}Landmarks"
        places = [frame, frame.get("results")] if isinstance(frame, dict) else []
        values = [part[key] for part in places if isinstance(part, dict) for key in keys if key in part]
        found = [hand for value in values for hand in _people(value)]
        if not found:
            return None
        if not all(isinstance(point, dict) and set(axes) <= point.keys() for point in found[0]):
            raise file.fail(
                f"{keys[0]} in frame {number} has no {', '.join(axes)}; write it again, or null for no hand"
            )
        return file.read_numbers([[point[axis] for axis in axes] for point in found[0]], f"{keys[0]} in frame {number}")

    flat, metric = ([landmarks(side, kind, axes) for side in SIDES] for kind, axes in (("", "xy"), ("world_", "xyz")))
    left, right = (None if hand is None else np.pad(hand, ((0, 0), (0, 1)), constant_values=1.0) for hand in flat)
    try:
        return make_hands(left, right, metric)
    except InputError as error:
        raise file.fail(f"frame {number}: {error}") from None


def _person(
    file: KeypointInput, landmarks: list[Any], places: list[int | None], number: int, hands: FileHands | None
) -> Observation:
    if not _is_person(landmarks):
        raise file.fail(f"frame {number} has no {_JOINTS} landmarks with x and y; write it again, or null for nobody")
    values = file.read_numbers(
        [[point["x"], point["y"], point.get("visibility", 1.0)] for point in landmarks], f"landmarks in frame {number}"
    )
    joints = pick(values, places)
    return Observation(joints[:, :2], np.nan_to_num(joints[:, 2]), hands=hands)
