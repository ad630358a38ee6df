"""What MMPose's inferencer writes with `pred_out_dir`, and its demos with `--save-predictions`.

Of a video the inferencer writes a list, `[{"frame_id": 0, "instances": [...]}]`; of pictures a list of the people in
each, one file a picture. The demos put the list under "instance_info", count frames from 1, and give the names of
the joints in "meta_info". A person is `{"keypoints": [[x, y], ...], "keypoint_scores": [...],
"bbox": [[x0, y0, x1, y1]], "bbox_score": 0.9}`, some with a "track_id".

Source: https://github.com/open-mmlab/mmpose, mmpose/apis/inferencers and demo/, version 1.3.2
"""

from typing import Any

import numpy as np

from poselift.keypoints.content import KeypointFile, Sight
from poselift.keypoints.source import Source, number_in
from poselift.skeleton import Skeleton


def recognises(source: Source) -> bool:
    """Whether it is one of these."""
    if source.json_files:
        return _are_people(source.read_json(source.json_files[0]))
    if source.path.suffix != ".json":
        return False
    content = source.json
    if isinstance(content, dict):
        content = content.get("instance_info")
    return isinstance(content, list) and (_are_frames(content) or (len(content) > 0 and _are_people(content)))


def _are_frames(content: list[Any]) -> bool:
    return len(content) > 0 and all(isinstance(frame, dict) and "instances" in frame for frame in content)


def _are_people(content: Any) -> bool:
    return isinstance(content, list) and all(
        isinstance(person, dict) and "keypoints" in person and "keypoint_scores" in person for person in content
    )


def read(source: Source) -> KeypointFile:
    """Reads a file, or a folder with one file a picture.

    Raises:
        InputError: a person is damaged, or the joint set is not known.
    """
    skeleton, places = _joint_set(source)
    frames: dict[int, list[Sight]] = {}
    for number, people in _frames(source).items():
        frames[number] = []
        for person in people:
            points, scores = _arrays(source, person, number)
            if skeleton is None:
                skeleton = source.by_count(len(points))
                places = list(range(len(skeleton)))
            if len(points) <= max(places):
                raise source.fail(f"frame {number}: a person has {len(points)} joints, fewer than the others")
            score = person.get("bbox_score")
            name = person.get("track_id", -1)
            frames[number].append(
                Sight(
                    points[places],
                    scores[places],
                    None if name == -1 else str(name),
                    _box(person.get("bbox")),
                    float(np.ravel(score)[0]) if isinstance(score, int | float | list) and np.size(score) else None,
                )
            )
    if skeleton is None:
        raise source.fail("nobody was found in it")
    return KeypointFile(source.path, "mmpose", skeleton, frames)


def _joint_set(source: Source) -> tuple[Skeleton | None, list[int]]:
    """From the names of the joints, where the file has them."""
    meta = source.json.get("meta_info", {}) if not source.json_files and isinstance(source.json, dict) else {}
    names = meta.get("keypoint_id2name") if isinstance(meta, dict) else None
    if not isinstance(names, dict) or source.joint_set is not None:
        return None, []
    skeleton, found = source.by_names([str(names[key]) for key in sorted(names, key=int)])
    # MMPose's joint sets are whole ones.
    if None in found:
        return None, []
    return skeleton, [place for place in found if place is not None]


def _frames(source: Source) -> dict[int, list[Any]]:
    """The people by frame, counted from 0."""
    if source.json_files:
        numbered = {path: number_in(path.name) for path in source.json_files}
        if None in numbered.values() or len(set(numbered.values())) < len(numbered):
            raise source.fail("the names of its files must have the numbers of the frames, each another")
        return {number: source.read_json(path) for path, number in numbered.items() if number is not None}
    content, first = source.json, 0
    if isinstance(content, dict):
        content, first = content["instance_info"], 1
    if not _are_frames(content):
        return {0: content}
    return {int(frame.get("frame_id", index + first)) - first: frame["instances"] for index, frame in enumerate(content)}


def _arrays(source: Source, person: Any, number: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        points = np.asarray(person["keypoints"], float)
        scores = np.asarray(person["keypoint_scores"], float)
    except (TypeError, KeyError, ValueError):
        points = scores = np.zeros(0)
    if points.ndim != 2 or points.shape[1] != 2 or scores.shape != points.shape[:1]:
        raise source.fail(f"frame {number}: a person has no 'keypoints' of x, y with as many 'keypoint_scores'")
    return points, scores


def _box(box: Any) -> np.ndarray | None:
    """x0, y0, x1, y1; MMPose puts them into one more list."""
    try:
        corners = np.asarray(box, float).ravel()
    except (TypeError, ValueError):
        return None
    return corners[:4] if corners.size >= 4 else None
