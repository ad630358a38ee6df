"""AlphaPose's `alphapose-results.json`: COCO-17, Halpe-26, Halpe-136 or COCO-WholeBody.

A list with one entry per person and frame: `{"image_id": "12.jpg", "keypoints": [x0, y0, score0, ...], "score": 2.9,
"box": [x, y, width, height], "idx": 1}`. For a video, `image_id` is the frame number; `idx` is the person's number, or
0 for everybody without tracking. PoseFlow's `alphapose-results-forvis-tracked.json` is a dict of lists by picture,
`{"12.jpg": [{"keypoints": [...], "scores": 2.9, "idx": 1}]}`. With `--format open` or `cmu` it is a dict of
OpenPose-like people by picture, `{"12.jpg": {"version": "AlphaPose v0.3", "people": [{"pose_keypoints_2d": [...]}]}}`
or `"bodies"` with `"joints"`, in the order of COCO-18.

Source: https://github.com/MVIG-SJTU/AlphaPose, docs/output.md and write_json in alphapose/utils/pPose_nms.py
"""

from collections.abc import Iterator
from typing import Any

from poselift.core.safe_parsing import whole_number
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.file_hands import hands_of_whole_body
from poselift.keypoints.input_file import KeypointInput, box_from_corner, score_of

WHAT = "AlphaPose's JSON"

_Entry = tuple[str, str, dict[str, Any]]
"""Picture, key of the joints, person."""
_LISTS = {"people": "pose_keypoints_2d", "bodies": "joints"}
"""Key of the people of a picture -> key of their joints, in the formats `open` and `cmu`."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is AlphaPose's JSON. Its list has names of pictures where COCO's results have numbers."""
    content = file.json
    if isinstance(content, dict):
        return _is_tracked(content) or any(map(_people_key, content.values()))
    return (
        isinstance(content, list)
        and len(content) > 0
        and isinstance(content[0], dict)
        and isinstance(content[0].get("image_id"), str)
    )


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file.

    Raises:
        InputError: an entry is damaged, or the skeleton is unknown.
    """
    entries = list(_by_picture(file) if isinstance(file.json, dict) else _read_list(file))
    numbers = file.by_name((picture for picture, _, _ in entries), "the image_id")
    followed = any(_number_of(entry.get("idx")) not in (None, 0) for _, _, entry in entries)
    skeletons = []
    frames: dict[int, list[Observation]] = {}
    for picture, key, entry in entries:
        points = file.read_triplets(entry.get(key), f"{key!r} of {picture}")
        skeletons.append(file.by_count(len(points)))
        joints = len(skeletons[-1])
        idx = _number_of(entry.get("idx")) if followed else None
        observation = Observation(
            points[:joints, :2],
            points[:joints, 2],
            None if idx is None else str(idx),
            box_from_corner(entry.get("box")),
            # A sum of several scores, not a probability; values above 1 become 1.
            score_of(entry.get("score", entry.get("scores"))),
            hands_of_whole_body(points),
        )
        frames.setdefault(numbers[picture], []).append(observation)
    return KeypointFile(file.path, "alphapose", file.only_skeleton(skeletons), frames)


def _read_list(file: KeypointInput) -> Iterator[_Entry]:
    """The people of a list."""
    for index, entry in enumerate(file.json):
        if not isinstance(entry, dict) or not isinstance(entry.get("image_id"), str):
            raise file.fail(f"entry {index} has no 'image_id' with a picture's name")
        yield entry["image_id"], "keypoints", entry


def _by_picture(file: KeypointInput) -> Iterator[_Entry]:
    """The people by picture, of `open`, `cmu` or PoseFlow."""
    tracked = _is_tracked(file.json)
    for picture, frame in file.json.items():
        key = "the list" if tracked else _people_key(frame)
        if key is None:
            raise file.fail(f"{picture} has no list 'people' or 'bodies'; write the file again")
        for person in frame if tracked else frame[key]:
            if not isinstance(person, dict):
                raise file.fail(f"{key!r} of {picture} has an entry that is not a person")
            yield picture, "keypoints" if tracked else _LISTS[key], person


def _is_tracked(content: dict[str, Any]) -> bool:
    """Whether it is PoseFlow's dict of lists of people."""
    people = [person for frame in content.values() if isinstance(frame, list) for person in frame]
    lists = all(isinstance(frame, list) for frame in content.values())
    return lists and bool(people) and isinstance(people[0], dict) and {"keypoints", "idx"} <= people[0].keys()


def _people_key(frame: Any) -> str | None:
    """Key of a picture's people in the formats `open` and `cmu`."""
    return next((key for key in _LISTS if isinstance(frame, dict) and isinstance(frame.get(key), list)), None)


def _number_of(idx: Any) -> int | None:
    """The number in `idx`, which may be in a list."""
    while isinstance(idx, list) and idx:
        idx = idx[0]
    return whole_number(idx, -(10**9), 10**9)
