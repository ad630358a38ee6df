"""AlphaPose's `alphapose-results.json`: COCO-17, Halpe-26, Halpe-136 or COCO-WholeBody.

A list with one entry a person and frame: `{"image_id": "12.jpg", "keypoints": [x0, y0, score0, ...], "score": 2.9,
"box": [x, y, width, height], "idx": 1}`. Of a video, `image_id` is the frame's number; `idx` is who it is, and 0 for
everybody where nobody was followed.

Source: https://github.com/MVIG-SJTU/AlphaPose, docs/output.md
"""

from typing import Any

from poselift.keypoints.content import KeypointFile, Sight
from poselift.keypoints.source import Source, box_from_corner, number_in


def recognises(source: Source) -> bool:
    """Whether it is such a list: names of pictures tell it from COCO's results, which have numbers."""
    if source.path.suffix != ".json":
        return False
    return (
        isinstance(source.json, list)
        and len(source.json) > 0
        and all(isinstance(entry, dict) and isinstance(entry.get("image_id"), str) for entry in source.json)
        and "keypoints" in source.json[0]
    )


def read(source: Source) -> KeypointFile:
    """Reads the file.

    Raises:
        InputError: an entry is damaged, or the joint set is not known.
    """
    skeleton, frames = None, {}
    for entry in source.json:
        number = number_in(entry["image_id"])
        if number is None:
            raise source.fail(f"the image_id {entry['image_id']!r} has no number; it must be the frame's")
        points = source.triplets(entry.get("keypoints"), f"keypoints of {entry['image_id']}")
        found = source.by_count(len(points))
        if skeleton is not None and found != skeleton:
            raise source.fail(f"its people have different joint sets: {skeleton.name} and {found.name}")
        skeleton = found
        sight = Sight(
            points[: len(found), :2],
            points[: len(found), 2],
            _person(entry.get("idx")),
            box_from_corner(entry.get("box")),
            # Not a probability: it is added up of several scores. More than 1 is taken for 1.
            entry.get("score"),
        )
        frames.setdefault(number, []).append(sight)
    assert skeleton is not None
    return KeypointFile(source.path, "alphapose", skeleton, frames)


def _person(idx: Any) -> str | None:
    """`idx` is a number, or a list of one; 0 where nobody was followed."""
    while isinstance(idx, list) and idx:
        idx = idx[0]
    return str(int(idx)) if isinstance(idx, int | float) and idx > 0 else None
