"""Keypoints of Ultralytics' YOLO: `Results.to_json()`, or the folder of `save_txt=True`.

A frame's JSON is a list of `{"name": "person", "confidence": 0.9, "box": {"x1", "y1", "x2", "y2"}, "track_id": 1,
"keypoints": {"x": [...], "y": [...], "visible": [...]}}`; there is one file per frame, or a list of frames in one file.
`visible` is the score. A joint at 0, 0 was not found.

A line of a text file is a person: class, x, y, width and height of the box, then x, y and score of each joint, then
with `save_conf` the score of the person, and with tracking the number. Coordinates are shares of the picture. Files
have the names of the pictures, or of the video with the frame's number from 1; frames without people have no file.

Source: https://github.com/ultralytics/ultralytics, ultralytics/engine/results.py
"""

from dataclasses import replace
from typing import Any

import numpy as np

from poselift.core.safe_parsing import read_text
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.input_file import KeypointInput, read_box, score_of

WHAT = "Ultralytics' JSON (a file, or a folder with one per frame) or folder of text files"

_BOX = 5
"""Numbers before the joints in a line: class and box."""
_SMALLEST = 2.0
"""Coordinates that are all smaller are shares of the picture, as `to_json(normalize=True)` writes them."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is such a file or folder."""
    if file.path.is_dir():
        if files := file.files(".json"):
            # The first frames may have nobody.
            return _is_frame(next((content for path in files if (content := file.read_json(path))), None))
        texts = file.files(".txt")
        return bool(texts) and _looks_like_lines(read_text(texts[0]))
    return isinstance(file.json, list) and (_is_frame(file.json) or any(map(_is_frame, file.json)))


def _is_frame(content: Any) -> bool:
    """Whether it is a list of people, at least one."""
    person = content[0] if isinstance(content, list) and content else None
    joints = person.get("keypoints") if isinstance(person, dict) else None
    return isinstance(joints, dict) and {"x", "y"} <= joints.keys()


def _looks_like_lines(text: str) -> bool:
    """Whether the first line has class, box and joint triplets."""
    cells = text.split("\n", 1)[0].split()
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return False
    return len(numbers) >= _BOX + 3 * 5 and (len(numbers) - _BOX) % 3 in (0, 1, 2)


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file or folder.

    Raises:
        InputError: a person is damaged, or the skeleton is unknown.
    """
    if file.files(".txt") and not file.files(".json"):
        return _of_lines(file)
    frames = {number: [_person(file, person, number) for person in people] for number, people in _frames(file).items()}
    farthest = max((np.abs(person.points).max(initial=0) for there in frames.values() for person in there), default=0.0)
    return _content(file, frames, normalised=bool(0 < farthest < _SMALLEST))


def _content(file: KeypointInput, frames: dict[int, list[Observation]], normalised: bool) -> KeypointFile:
    """The content of the file, with the joints of its skeleton alone."""
    skeleton = file.only_skeleton(file.by_count(len(person.points)) for there in frames.values() for person in there)
    joints = len(skeleton)
    frames = {
        number: [replace(person, points=person.points[:joints], scores=person.scores[:joints]) for person in there]
        for number, there in frames.items()
    }
    return KeypointFile(file.path, "ultralytics", skeleton, frames, normalised=normalised)


def _frames(file: KeypointInput) -> dict[int, list[Any]]:
    """The people by frame."""
    if file.path.is_dir():
        found = {number: file.read_json(path) for number, path in file.numbered_files(".json").items()}
    else:
        found = {0: file.json} if _is_frame(file.json) else dict(enumerate(file.json))
    for number, people in found.items():
        if not isinstance(people, list):
            raise file.fail(f"frame {number} is not a list of people; write the file again")
    return found


def _person(file: KeypointInput, person: Any, number: int) -> Observation:
    joints = person.get("keypoints") if isinstance(person, dict) else None
    if not isinstance(joints, dict):
        raise file.fail(f"frame {number} has an entry without 'keypoints'; write the file with a model for poses")
    x, y = (file.read_numbers(joints.get(axis), f"{axis!r} of the keypoints in frame {number}") for axis in "xy")
    scores = np.ones(len(x))
    if joints.get("visible") is not None:
        scores = file.read_numbers(joints["visible"], f"'visible' in frame {number}")
    if x.ndim != 1 or not len(x) == len(y) == len(scores):
        raise file.fail(f"frame {number}: 'x', 'y' and 'visible' differ in length; write the file again")
    points = np.stack([x, y], -1)
    box = person.get("box")
    return Observation(
        points,
        np.where(points.any(-1), scores, 0.0),
        file.person_name(person.get("track_id"), f"'track_id' in frame {number}"),
        read_box([box.get(key) for key in ("x1", "y1", "x2", "y2")]) if isinstance(box, dict) else None,
        score_of(person.get("confidence")),
    )


def _of_lines(file: KeypointInput) -> KeypointFile:
    """The file from a folder of text."""
    frames: dict[int, list[Observation]] = {}
    for number, path in file.numbered_files(".txt").items():
        there = frames[number] = []
        for line, text in enumerate(read_text(path).splitlines(), start=1):
            try:
                cells = np.array([float(cell) for cell in text.split()])
            except ValueError:
                raise file.fail(f"{path.name}, line {line}: a cell is not a number; write the file again") from None
            joints = (len(cells) - _BOX) // 3
            if joints < 1 or not np.isfinite(cells).all():
                raise file.fail(f"{path.name}, line {line}: no class, box and joints; write the file again")
            triplets, more = cells[_BOX : _BOX + 3 * joints].reshape(-1, 3), cells[_BOX + 3 * joints :].tolist()
            # One number more is a score if it has a point, else the number of a person.
            tracked = len(more) == 2 or (len(more) == 1 and "." not in text.split()[-1])
            there.append(
                Observation(
                    triplets[:, :2],
                    np.where(triplets[:, :2].any(-1), triplets[:, 2], 0.0),
                    str(int(more[-1])) if tracked else None,
                    None,
                    more[0] if len(more) > tracked else None,
                )
            )
    return _content(file, frames, normalised=True)
