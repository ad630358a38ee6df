"""A file or folder while its format is found out and it is read."""

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.skeleton import BODY25, COCO17, COCO18, COCO_WHOLEBODY23, HALPE26, Skeleton, closest_joint_set
from poselift.skeleton.naming import places

_BY_COUNT = {17: COCO17, 18: COCO18, 25: BODY25, 26: HALPE26, 133: COCO_WHOLEBODY23, 136: HALPE26}
"""What so many joints are, unless the user says otherwise. 133 are COCO-WholeBody and 136 Halpe with faces and hands,
whose first joints are those of the body and the feet."""


class Source:
    """One file or folder that the user gave.

    Args:
        path: of it.
        joint_set: the one that the user says it has; None to recognise it.

    Raises:
        InputError: there is nothing at this path.
    """

    def __init__(self, path: str | Path, joint_set: Skeleton | None = None) -> None:
        self.path = Path(path)
        self.joint_set = joint_set
        if not self.path.exists():
            raise InputError(f"{path}: there is no such file or folder")

    @cached_property
    def json(self) -> Any:
        """What the file holds as JSON.

        Raises:
            InputError: it is not JSON.
        """
        return self.read_json(self.path)

    @cached_property
    def json_files(self) -> list[Path]:
        """The JSON files of the folder, by their names; none where it is no folder."""
        return sorted(path for path in self.path.glob("*.json") if path.is_file()) if self.path.is_dir() else []

    def read_json(self, path: Path) -> Any:
        """What a JSON file holds.

        Raises:
            InputError: it is not JSON.
        """
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{path}: not readable as JSON ({error})") from error

    def fail(self, what: str) -> InputError:
        """The error for something in it that cannot be used."""
        return InputError(f"{self.path}: {what}")

    def by_count(self, count: int) -> Skeleton:
        """The joint set of people with so many joints; what they have beyond it is left out.

        Raises:
            InputError: the number is not that of the set that the user named, or is not known.
        """
        if self.joint_set is not None:
            if count != len(self.joint_set) and _BY_COUNT.get(count) != self.joint_set:
                raise self.fail(f"it has {count} joints, but {self.joint_set.name} has {len(self.joint_set)}")
            return self.joint_set
        if count not in _BY_COUNT:
            known = ", ".join(f"{number} ({skeleton.name})" for number, skeleton in _BY_COUNT.items())
            raise self.fail(
                f"people of {count} joints are not known, only of {known}; name the joint set with --keypoint-set"
            )
        return _BY_COUNT[count]

    def by_names(self, names: list[str]) -> tuple[Skeleton, list[int | None]]:
        """The joint set of joints with these names, and for each of its joints the place among them.

        Raises:
            InputError: too few of the names are known.
        """
        found = closest_joint_set(names)
        if self.joint_set is not None:
            found = self.joint_set, places(self.joint_set, names)
        if found is None or all(place is None for place in found[1]):
            raise self.fail(
                f"its joints {', '.join(names[:20])} are not those of a person; names such as left_knee or LKnee are "
                "understood"
            )
        return found

    def triplets(self, values: Any, where: str) -> Float[np.ndarray, "j 3"]:
        """x, y and score of each joint, from the flat list that most JSON formats have.

        Raises:
            InputError: it is no such list.
        """
        try:
            flat = np.asarray(values, float)
        except (TypeError, ValueError):
            flat = np.zeros((1, 1))
        if flat.ndim != 1 or len(flat) % 3:
            raise self.fail(f"{where} is not a list of x, y, score for each joint")
        return flat.reshape(-1, 3)


def box_from_corner(box: Any) -> Float[np.ndarray, "4"] | None:
    """x0, y0, x1, y1 of COCO's x0, y0, width, height; None where there is none."""
    try:
        x, y, width, height = (float(value) for value in box)
    except (TypeError, ValueError):
        return None
    return np.array([x, y, x + width, y + height])


def number_in(name: str) -> int | None:
    """The last number in a file's name, its folder and suffix left out: the frame's; None where there is none."""
    numbers = re.findall(r"\d+", re.sub(r"_keypoints$", "", Path(name).stem))
    return int(numbers[-1]) if numbers else None
