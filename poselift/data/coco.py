"""COCO keypoints: people in everyday pictures, 2D only.

Each person has 17 keypoints.

Lin et al., "Microsoft COCO: common objects in context", ECCV 2014; the format is https://cocodataset.org/#format-data.
"""

from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_json, whole_number
from poselift.data.loading import pick_split
from poselift.data.pictures import picture_view
from poselift.data.reading import Layout, check_shape
from poselift.data.views import View
from poselift.skeleton import COCO17

LAYOUT = Layout(
    name="COCO person keypoints",
    tree="""
ROOT/
  annotations/
    person_keypoints_train2017.json
    person_keypoints_val2017.json
""",
    url="https://cocodataset.org/#download",
    note="Only annotations_trainval2017.zip is needed.",
)

_LONGEST_SIDE = 10**6
"""Pixels."""

SPLITS = {"train": "person_keypoints_train2017.json", "val": "person_keypoints_val2017.json"}


def load_coco(root: str | Path, split: str = "val", min_keypoints: int = 1) -> list[View]:
    """The views of one split of COCO.

    Args:
        root: folder that contains `annotations`.
        split: "train" or "val", of 2017.
        min_keypoints: smallest number of labelled keypoints, at least 1. Crowds are always left out.

    Returns:
        A one-frame View for each person, named by the ids of picture and annotation, e.g. "139/1234". All labelled
        keypoints count, visible or not. The camera is assumed, and the 3D is NaN.

    Raises:
        InputError: the split is unknown, the file is missing or malformed, or no person has enough keypoints.
    """
    path = LAYOUT.require_file(Path(root) / "annotations" / pick_split(split, SPLITS, LAYOUT.name))
    content = read_json(path)
    try:
        sizes = {image["id"]: _size(image["width"], image["height"]) for image in content["images"]}
        people = list(content["annotations"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: 'images' or 'annotations' differ from COCO's format ({error!r})") from error
    views = []
    for number, person in enumerate(people):
        try:
            name, size = f"{person['image_id']}/{person['id']}", sizes[person["image_id"]]
            keypoints = np.array(person["keypoints"], np.float64)
            crowd = bool(person["iscrowd"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: annotations[{number}] differs from COCO's format ({error!r})") from error
        check_shape(path, f"keypoints of annotations[{number}]", keypoints, (3 * len(COCO17),))
        x, y, label = keypoints.reshape(-1, 3).T
        known = label > 0
        if not crowd and known.sum() >= max(min_keypoints, 1):
            views.append(picture_view(name, np.stack([x, y], -1), known, size, COCO17))
    if not views:
        raise InputError(f"{path} has no person with data.min_keypoints={min_keypoints} or more; lower it")
    return views


def _size(width: Any, height: Any) -> tuple[int, int]:
    sides = whole_number(width, 1, _LONGEST_SIDE), whole_number(height, 1, _LONGEST_SIDE)
    if sides[0] is None or sides[1] is None:
        raise ValueError(f"a picture of {width} x {height} pixels")
    return sides[0], sides[1]
