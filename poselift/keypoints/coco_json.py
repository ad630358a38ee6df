"""COCO's JSON: annotations (`{"images", "annotations", "categories"}`) or results (a list of detections).

Annotations have a flag for each joint: 0 for unlabelled, 1 for labelled but hidden, 2 for visible. Both labelled kinds
get the score 1. Results have scores instead. Frames are the pictures in the order of `frame_id`, if present, or of the
numbers in their names, or of the list if they have no names; in results `image_id` is the frame number. A person may
have a `track_id`. Joint names are those of the person's category. COCO-WholeBody has the feet in `foot_kpts`, and the
hands in `lefthand_kpts` and `righthand_kpts`.

Sources: https://cocodataset.org/#format-data and #format-results; https://github.com/jin-s13/COCO-WholeBody
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.keypoints.content import KeypointFile, Observation
from poselift.keypoints.file_hands import FileHands, hands_of_whole_body, make_hands
from poselift.keypoints.input_file import (
    LAST_FRAME,
    KeypointInput,
    box_from_corner,
    frame_number,
    pick,
    picture_size,
    score_of,
)
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, Skeleton

WHAT = "COCO's keypoint JSON, annotations or results"

_Categories = dict[Any, list[str] | None]
"""Joint names by id of the category; None for a category without any."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is one of the two kinds."""
    content = file.json
    if isinstance(content, dict):
        return "annotations" in content and "images" in content
    return (
        isinstance(content, list)
        and len(content) > 0
        and isinstance(content[0], dict)
        and isinstance(content[0].get("image_id"), int)
        and "keypoints" in content[0]
    )


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file.

    Raises:
        InputError: an entry is damaged, pictures differ in size, or the skeleton is unknown.
    """
    if isinstance(file.json, list):
        skeleton, frames = _read_people(file, file.json, _numbers_of_results(file, file.json), {})
        return KeypointFile(file.path, "coco", skeleton, frames)
    images, annotations = file.json["images"], file.json["annotations"]
    for key in ("images", "annotations"):
        if not isinstance(file.json[key], list):
            raise file.fail(f"{key!r} is not a list")
    if not all(isinstance(image, dict) and "id" in image for image in images):
        raise file.fail("'images' has a picture without 'id'")
    pairs = [(image["width"], image["height"]) for image in images if "width" in image and "height" in image]
    sizes = {picture_size(*pair) for pair in pairs}
    if None in sizes:
        raise file.fail("'images' has a 'width' or 'height' that is no number of pixels")
    if len(sizes) > 1:
        raise file.fail(f"its 'images' have {len(sizes)} different sizes; give the pictures of one video")
    numbers = _numbers(file, images)
    skeleton, frames = _read_people(file, annotations, numbers, _categories(file))
    frames = {number: frames.get(number, []) for number in numbers.values()}  # pictures may have nobody
    return KeypointFile(file.path, "coco", skeleton, frames, sizes.pop() if sizes else None)


def _numbers(file: KeypointInput, images: list[dict[str, Any]]) -> dict[Any, int]:
    """Frame number by picture id."""
    if not all(isinstance(image["id"], int | str) for image in images):
        raise file.fail("'images' has an 'id' that is neither a number nor text")
    names = [str(image.get("file_name", "")) for image in images]
    numbers = [frame_number(image.get("frame_id")) for image in images]
    # PoseTrack's ids begin with the number of the video.
    if any(names) and any(number is None or number > LAST_FRAME for number in numbers):
        of_name = file.by_name(names, "the file_name")
        numbers = [of_name[name] for name in names]
    elif not any("frame_id" in image for image in images):
        numbers = list(range(len(images)))
    found = {}
    for image, number in zip(images, numbers, strict=True):
        if number is None:
            wrong = image.get("frame_id")
            raise file.fail(f"'images' has 'id' {image['id']!r:.40} with 'frame_id' {wrong!r:.40}; it must be a number")
        found[image["id"]] = number
    if len(set(found.values())) < len(images):
        raise file.fail("two of its 'images' have one frame number, or one 'id'; give the pictures of one video")
    return found


def _numbers_of_results(file: KeypointInput, entries: list[Any]) -> dict[Any, int]:
    """Results' frame numbers by picture id: the id, or within it."""
    ids = [entry.get("image_id") for entry in entries if isinstance(entry, dict)]
    of_name = file.by_name((image for image in ids if isinstance(image, str)), "the image_id")
    return {**of_name, **{image: image for image in ids if isinstance(image, int)}}


def _categories(file: KeypointInput) -> _Categories:
    """Joint names by category id. Under None, those of the first category that has any."""
    categories = file.json.get("categories") or []
    if not isinstance(categories, list) or not all(isinstance(category, dict) for category in categories):
        raise file.fail("'categories' is not a list of objects")
    found: _Categories = {}
    for category in categories:
        names = category.get("keypoints")
        if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise file.fail("'categories' has 'keypoints' that are no list of names")
        if isinstance(category.get("id"), int | str):
            found[category["id"]] = names or None
    found[None] = next((category["keypoints"] for category in categories if category.get("keypoints")), None)
    return found


def _read_people(
    file: KeypointInput, entries: list[Any], numbers: dict[Any, int], categories: _Categories
) -> tuple[Skeleton, dict[int, list[Observation]]]:
    """Skeleton and people by frame. `numbers` has the frame of each picture id, and results have no categories."""
    frames: dict[int, list[Observation]] = {}
    skeletons = []
    for index, entry in enumerate(entries):
        image = entry.get("image_id") if isinstance(entry, dict) else None
        if not isinstance(image, int | str) or image not in numbers:
            raise file.fail(f"person {index} has no 'image_id', or that of no picture of the file")
        kind = entry.get("category_id")
        names = categories.get(kind if isinstance(kind, int | str) and kind in categories else None)
        if names is None and categories.get(None) and "keypoints" not in entry:
            continue  # a thing: another category has the joints
        points = file.read_triplets(entry.get("keypoints"), f"'keypoints' of person {index}, image {image}")
        if "foot_kpts" in entry and len(points) == len(COCO17):
            feet = file.read_triplets(entry["foot_kpts"], f"'foot_kpts' of person {index}, image {image}")
            points, names = np.concatenate([points, feet]), list(COCO_WHOLEBODY23.joints)
        hands = _hands(file, entry, points, f"of person {index}, image {image}")
        chosen, points = _by_name_or_count(file, points, names)
        skeletons.append(chosen)
        scores = np.nan_to_num(points[:, 2])
        observation = Observation(
            points[:, :2],
            # Flags are 0, 1 or 2.
            (scores > 0).astype(float) if categories else scores,
            file.person_name(entry.get("track_id"), f"'track_id' of person {index}"),
            box_from_corner(entry.get("bbox")),
            score_of(entry.get("score")),
            hands,
        )
        frames.setdefault(numbers[image], []).append(observation)
    return file.only_skeleton(skeletons), frames


def _hands(file: KeypointInput, entry: dict[str, Any], points: np.ndarray, where: str) -> FileHands | None:
    """The hands of COCO-WholeBody's annotations, or among many joints."""
    left, right = (
        file.read_triplets(entry[key], f"{key!r} {where}") if entry.get(key) else None
        for key in ("lefthand_kpts", "righthand_kpts")
    )
    try:
        return make_hands(left, right) or hands_of_whole_body(points)
    except InputError as error:
        raise file.fail(f"{error}, {where}") from None


def _by_name_or_count(
    file: KeypointInput, points: Float[np.ndarray, "k 3"], names: list[str] | None
) -> tuple[Skeleton, Float[np.ndarray, "j 3"]]:
    """A person's skeleton, by joint names or number, and its joints. The joints are in the skeleton's order."""
    if names is not None and len(names) == len(points):
        skeleton, places = file.by_names(names)
        return skeleton, pick(points, places)
    skeleton = file.by_count(len(points))
    return skeleton, points[: len(skeleton)]
