"""A file or folder while its format is found out and it is read."""

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.skeleton import BODY25, COCO17, COCO18, COCO_WHOLEBODY23, HALPE26, Skeleton, closest_skeleton
from poselift.skeleton.naming import places

_BY_COUNT = {17: COCO17, 18: COCO18, 25: BODY25, 26: HALPE26, 133: COCO_WHOLEBODY23, 136: HALPE26}
"""What so many joints are, unless the user says otherwise. 133 are COCO-WholeBody and 136 Halpe with faces and hands,
whose first joints are those of the body and the feet."""
_FEWEST = 6
"""Names that must be understood where the user has named the joint set: with fewer, its order is believed."""


class KeypointInput:
    """One file or folder that the user gave.

    Args:
        path: of it.
        skeleton: the one that the user says it has; None to recognise it.

    Raises:
        InputError: there is nothing at this path.
    """

    def __init__(self, path: str | Path, skeleton: Skeleton | None = None) -> None:
        self.path = Path(path)
        self.skeleton = skeleton
        if not self.path.exists():
            raise InputError(f"{path}: there is no such file or folder")

    @cached_property
    def json(self) -> Any:
        """What the file holds as JSON.

        Raises:
            InputError: it is not JSON.
        """
        return self.read_json(self.path)

    def files(self, suffix: str) -> list[Path]:
        """The files of the folder with this suffix, by their names; none where it is no folder."""
        return sorted(path for path in self.path.glob(f"*{suffix}") if path.is_file()) if self.path.is_dir() else []

    def read_json(self, path: Path) -> Any:
        """What a JSON file holds.

        Raises:
            InputError: it is not JSON.
        """
        try:
            return json.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{path}: not readable as JSON ({error}); is it complete?") from error

    def fail(self, what: str) -> InputError:
        """The error for something in it that cannot be used."""
        return InputError(f"{self.path}: {what}")

    def by_count(self, count: int) -> Skeleton:
        """The joint set of people with so many joints; what they have beyond it is left out.

        Raises:
            InputError: the number is not that of the set that the user named, or is not known.
        """
        if self.skeleton is not None:
            if count != len(self.skeleton) and _BY_COUNT.get(count) != self.skeleton:
                raise self.fail(f"it has {count} joints, but {self.skeleton.name} has {len(self.skeleton)}")
            return self.skeleton
        if count not in _BY_COUNT:
            known = ", ".join(f"{number} ({skeleton.name})" for number, skeleton in _BY_COUNT.items())
            raise self.fail(
                f"people of {count} joints are not known, only of {known}; name the joint set with --keypoint-set"
            )
        return _BY_COUNT[count]

    def by_names(self, names: list[str]) -> tuple[Skeleton, list[int | None]]:
        """The joint set of joints with these names, and for each of its joints the place among them.

        Where the user has named the joint set and the names say nothing, they stand in its order.

        Raises:
            InputError: too few of the names are known.
        """
        found = closest_skeleton(names)
        if self.skeleton is not None:
            found = self.skeleton, places(self.skeleton, names)
            if sum(place is not None for place in found[1]) < _FEWEST:
                found = (self.skeleton, list(range(len(names)))) if len(names) == len(self.skeleton) else None
        if found is None:
            raise self.fail(
                f"its joints {', '.join(names[:20])} are not those of a person; names such as left_knee or LKnee are "
                "understood, or give as many joints as a set has, in its order, and name it with --keypoint-set"
            )
        return found

    def triplets(self, values: Any, where: str) -> Float[np.ndarray, "j 3"]:
        """x, y and score of each joint, from the flat list that most JSON formats have.

        Raises:
            InputError: it is no such list, or not all are numbers.
        """
        flat = self.numbers(values, where)
        if flat.ndim != 1 or len(flat) % 3 or not len(flat):
            raise self.fail(f"{where}: not a list of x, y, score for each joint")
        return flat.reshape(-1, 3)

    def numbers(self, values: Any, where: str) -> np.ndarray:
        """An array of finite numbers.

        Raises:
            InputError: it is something else.
        """
        try:
            array = np.asarray(values, float) if isinstance(values, list) else None
        except (TypeError, ValueError):
            array = None
        if array is None:
            raise self.fail(f"{where}: missing, or not a list of numbers")
        if not np.isfinite(array).all():
            raise self.fail(f"{where}: holds NaN or infinity; a joint that was not found has the score 0")
        return array


def pick(values: np.ndarray, joints: list[int | None]) -> np.ndarray:
    """The values of a joint set's joints from those of a file's, along the second last axis; NaN for None."""
    picked = np.full((*values.shape[:-2], len(joints), values.shape[-1]), np.nan)
    for to, at in enumerate(joints):
        if at is not None:
            picked[..., to, :] = values[..., at, :]
    return picked


def score_of(value: Any) -> float | None:
    """A person's score; None where there is none."""
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else None


def box_from_corner(box: Any) -> Float[np.ndarray, "4"] | None:
    """x0, y0, x1, y1 of COCO's x0, y0, width, height; None where there is none."""
    try:
        x, y, width, height = (float(value) for value in box)
    except (TypeError, ValueError):
        return None
    box = np.array([x, y, x + width, y + height])
    return box if np.isfinite(box).all() else None


def number_in(name: str) -> int | None:
    """The last number in a file's name, its folder and suffix left out: the frame's; None where there is none."""
    numbers = re.findall(r"\d+", re.sub(r"_keypoints$", "", Path(name).stem))
    return int(numbers[-1]) if numbers else None
