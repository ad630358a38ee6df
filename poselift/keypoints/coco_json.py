"""COCO's JSON: annotations (`{"images", "annotations", "categories"}`) or results (a list of what was found).

Annotations have a flag for each joint: 0 where it was not labelled, 1 where it was labelled but hidden, 2 where it was
visible. Somebody put the joint there in either case, so both count fully. Results have scores instead. The frames
are the pictures in the order of `frame_id` where they have it, or of the numbers in their names; in results
`image_id` is the frame's number. A person may have a `track_id`.

Source: https://cocodataset.org/#format-data and #format-results
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.keypoints.content import KeypointFile, Sight
from poselift.keypoints.source import Source, box_from_corner, number_in
from poselift.skeleton import Skeleton


def recognises(source: Source) -> bool:
    """Whether it is one of the two."""
    if source.path.suffix != ".json":
        return False
    content = source.json
    if isinstance(content, dict):
        return isinstance(content.get("annotations"), list) and isinstance(content.get("images"), list)
    return (
        isinstance(content, list)
        and len(content) > 0
        and all(isinstance(entry, dict) and isinstance(entry.get("image_id"), int) for entry in content)
        and "keypoints" in content[0]
    )


def read(source: Source) -> KeypointFile:
    """Reads the file.

    Raises:
        InputError: an entry is damaged, pictures differ in size, or the joint set is not known.
    """
    if isinstance(source.json, list):
        numbers = {entry["image_id"]: entry["image_id"] for entry in source.json}
        return _file(source, source.json, numbers, None, None)
    images = source.json["images"]
    if not all(isinstance(image, dict) and "id" in image for image in images):
        raise source.fail("an image has no 'id'")
    sizes = {(image["width"], image["height"]) for image in images if "width" in image and "height" in image}
    if len(sizes) > 1:
        raise source.fail(f"its pictures have {len(sizes)} different sizes; those of one video have one")
    categories = source.json.get("categories") or [{}]
    names = categories[0].get("keypoints")
    return _file(source, source.json["annotations"], _numbers(images), names, sizes.pop() if sizes else None)


def _numbers(images: list[dict[str, Any]]) -> dict[Any, int]:
    """The frame's number of each picture, by the picture's id."""
    numbers = [image.get("frame_id", number_in(str(image.get("file_name", "")))) for image in images]
    if None in numbers or len(set(numbers)) < len(images):
        # No numbers to go by: the order of the list.
        numbers = list(range(len(images)))
    return {image["id"]: int(number) for image, number in zip(images, numbers, strict=True)}


def _file(
    source: Source,
    entries: list[dict[str, Any]],
    numbers: dict[Any, int],
    names: list[str] | None,
    image_size: tuple[int, int] | None,
) -> KeypointFile:
    frames: dict[int, list[Sight]] = {number: [] for number in numbers.values()}
    found = [_points(source, entry, numbers) for entry in entries]
    # Flags are whole numbers up to 2; a score may be 1 as well.
    flags = names is not None and all(np.isin(points[:, 2], (0, 1, 2)).all() for points in found)
    skeleton: Skeleton | None = None
    for entry, points in zip(entries, found, strict=True):
        if names is not None and len(names) == len(points) and source.joint_set is None:
            chosen, places = source.by_names(names)
            nowhere = np.full(3, np.nan)
            points = np.array([nowhere if place is None else points[place] for place in places])
        else:
            chosen = source.by_count(len(points))
            points = points[: len(chosen)]
        if skeleton is not None and chosen != skeleton:
            raise source.fail(f"its people have different joint sets: {skeleton.name} and {chosen.name}")
        skeleton = chosen
        scores = np.where(np.isfinite(points).all(-1), points[:, 2], 0.0)
        name = entry.get("track_id")
        sight = Sight(
            points[:, :2],
            scores.clip(0, 1) if flags else scores,
            None if name is None else str(name),
            box_from_corner(entry.get("bbox")),
            entry.get("score"),
        )
        if (scores > 0).any():
            frames[numbers[entry["image_id"]]].append(sight)
    if skeleton is None:
        raise source.fail("nobody in it has keypoints")
    return KeypointFile(source.path, "coco", skeleton, frames, image_size)


def _points(source: Source, entry: Any, numbers: dict[Any, int]) -> Float[np.ndarray, "j 3"]:
    if not isinstance(entry, dict) or entry.get("image_id") not in numbers:
        raise source.fail(f"a person is in no picture of the file: {str(entry)[:80]}")
    return source.triplets(entry.get("keypoints"), f"keypoints in image {entry['image_id']}")
