"""An input file or folder, whose format is not known yet."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError, shorten
from poselift.core.frame_numbers import frame_numbers
from poselift.core.publishing import find_published, list_published
from poselift.core.safe_parsing import read_json, whole_number
from poselift.geometry.camera import MOST_PIXELS
from poselift.skeleton import BODY25, COCO17, COCO18, COCO_WHOLEBODY23, HALPE26, SKELETONS, Skeleton, closest_skeleton
from poselift.skeleton.naming import find_places, spell_name, translate_name

_BY_COUNT = {17: COCO17, 18: COCO18, 25: BODY25, 26: HALPE26, 133: COCO_WHOLEBODY23, 136: HALPE26}
"""Skeleton by number of joints, unless the user names one. 133 is COCO-WholeBody and 136 is Halpe with faces and hands;
their first joints are body and feet."""
_FEWEST = 6
"""Least number of known names if the user names the skeleton; with fewer, the joints are in its order."""

_JOINTS = {joint for skeleton in SKELETONS.values() for joint in skeleton.joints}

LAST_FRAME = 10**9
"""Largest number of a frame of a video."""
_MOST_FRAMES = 10**18
"""Numbers of frames may be times in nanoseconds."""
_MOST_NAMES = 2000
"""Largest number of joint names."""


class KeypointInput:
    """A file or folder of keypoints, given by the user.

    Args:
        path: the file or folder.
        skeleton: skeleton of the keypoints; recognised if None.

    Raises:
        InputError: the path does not exist.
    """

    def __init__(self, path: str | Path, skeleton: Skeleton | None = None) -> None:
        self.path = Path(path)
        self.skeleton = skeleton
        self.counted = False
        """Whether a reader found the skeleton by the number of joints alone."""
        if not (find_published(self.path).is_file() or self.path.is_dir()):
            raise InputError(f"{path}: there is no such file or folder; check the path")

    @cached_property
    def json(self) -> Any:
        """The file's JSON; None if its name does not end in .json.

        Raises:
            InputError: the file is not JSON.
        """
        return self.read_json(self.path) if self.path.suffix == ".json" and not self.path.is_dir() else None

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes of the file; none of a folder."""
        place = find_published(self.path)
        if not place.is_file():
            return b""
        with open(place, "rb") as file:
            return file.read(16)

    def files(self, suffix: str) -> list[Path]:
        """A folder's files with a suffix, sorted by name; else none."""
        if not self.path.is_dir():
            return []
        named = (path for path in list_published(self.path) if path.name.endswith(suffix))
        return [path for path in named if path.is_file() or find_published(path).is_file()]

    def numbered_files(self, suffix: str) -> dict[int, Path]:
        """A folder's files with a suffix, by frame number in their names.

        Raises:
            InputError: as of `by_name`.
        """
        files = self.files(suffix)
        numbers = self.by_name((path.name for path in files), "the file")
        return {numbers[path.name]: path for path in files}

    def read_json(self, path: Path) -> Any:
        """The content of a JSON file.

        Raises:
            InputError: the file is not JSON.
        """
        return read_json(path, "copy it again if it is incomplete; write one list if it has an object a line")

    def fail(self, what: str) -> InputError:
        """The error for unusable content."""
        return InputError(f"{self.path}: {what}")

    def by_name(self, names: Iterable[str], what: str) -> dict[str, int]:
        """The frame number of each name.

        Args:
            names: of pictures or files; they may repeat.
            what: they are, for the message.

        Raises:
            InputError: a name has no number, or no number is distinct and runs on (`frame_numbers`).
        """
        distinct = list(dict.fromkeys(names))
        if not distinct:
            return {}
        if bare := [name for name in distinct if not re.search(r"\d", Path(name).stem)]:
            raise self.fail(f"{what} {shorten(repr(bare[0]))} has no number; name it by its frame number")
        numbers = frame_numbers(distinct)
        if numbers is None:
            examples = " and ".join(shorten(repr(name)) for name in distinct[:2])
            raise self.fail(
                f"which number in {what} is the frame's? In names such as {examples} none is different in each "
                "and counts frames; name them by their frame numbers"
            )
        return dict(zip(distinct, numbers, strict=True))

    def by_count(self, count: int) -> Skeleton:
        """The skeleton with a number of joints.

        Some formats have more joints after those of the skeleton.

        Raises:
            InputError: the number is unknown, or does not fit the skeleton that the user named.
        """
        if self.skeleton is not None:
            if count != len(self.skeleton) and _BY_COUNT.get(count) != self.skeleton:
                raise self.fail(
                    f"it has {count} joints, but {self.skeleton.name} has {len(self.skeleton)}; fix --keypoint-set"
                )
            return self.skeleton
        if count not in _BY_COUNT:
            known = ", ".join(f"{number} ({skeleton.name})" for number, skeleton in _BY_COUNT.items())
            raise self.fail(
                f"people of {count} joints are unknown, only {known} are known; name the skeleton with --keypoint-set"
            )
        self.counted = True
        return _BY_COUNT[count]

    def only_skeleton(self, found: Iterable[Skeleton]) -> Skeleton:
        """The skeleton of all people.

        Raises:
            InputError: there is nobody, or people have different skeletons.
        """
        skeletons = list(dict.fromkeys(found))
        if not skeletons:
            raise self.fail("it has no people; give a file with detections")
        if len(skeletons) > 1:
            names = " and ".join(skeleton.name for skeleton in skeletons)
            raise self.fail(f"its people have different skeletons, {names}; give a file with one")
        return skeletons[0]

    def by_names(self, names: list[str]) -> tuple[Skeleton, list[int | None]]:
        """The skeleton with these joint names, and their indices.

        If the user named the skeleton and the names are unknown, the joints are in its order.

        Raises:
            InputError: too few names are known, one is misspelt, or two are of one joint.
        """
        if len(names) > _MOST_NAMES:
            raise self.fail(f"it names {len(names)} joints; give a file of people")
        found = closest_skeleton(names)
        if self.skeleton is not None:
            found = self.skeleton, find_places(self.skeleton, names)
            if sum(place is not None for place in found[1]) < _FEWEST:
                found = (self.skeleton, list(range(len(names)))) if len(names) == len(self.skeleton) else None
        if found is None:
            raise self.fail(
                f"its joints {', '.join(names[:20])} are not those of a person; use names such as left_knee or LKnee, "
                "or give all joints of a skeleton in its order, and name it with --keypoint-set"
            )
        spelt = list(map(spell_name, names))
        if twice := [names[place] for place in found[1] if place is not None and spelt.count(spelt[place]) > 1]:
            raise self.fail(f"it names the joint {shorten(repr(twice[0]))} twice; give each joint a name of its own")
        missing = [joint for joint, place in zip(found[0].joints, found[1], strict=True) if place is None]
        for name, unknown in zip(names, map(translate_name, names), strict=True):
            if unknown not in _JOINTS and (meant := [joint for joint in missing if _is_misspelt(unknown, joint)]):
                raise self.fail(f"it names a joint {shorten(repr(name))}; did you mean {meant[0]!r}?")
        return found

    def read_triplets(self, values: Any, where: str) -> Float[np.ndarray, "j 3"]:
        """Each joint's x, y and score, from a flat list.

        Most JSON formats have such lists.

        Raises:
            InputError: it is not a list of numbers, or not of triplets.
        """
        flat = self.read_numbers(values, where)
        if flat.ndim != 1 or len(flat) % 3 or not len(flat):
            raise self.fail(f"{where}: not a list of x, y, score for each joint; write the file again")
        return flat.reshape(-1, 3)

    def read_numbers(self, values: Any, where: str) -> np.ndarray:
        """An array of finite numbers.

        Raises:
            InputError: the value is something else.
        """
        try:
            array = np.asarray(values, float) if isinstance(values, list) else None
        except (TypeError, ValueError, OverflowError):
            array = None
        if array is None:
            raise self.fail(f"{where}: missing, or not a list of numbers; write the file again")
        if not np.isfinite(array).all():
            raise self.fail(f"{where}: has NaN or infinity; give undetected joints the score 0")
        return array

    def person_name(self, value: Any, where: str) -> str | None:
        """A person's name: text or whole number, else None.

        A negative number or NaN is no name either.

        Raises:
            InputError: it is something else.
        """
        value = unwrap(value)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        if isinstance(value, str):
            return value
        if (number := whole_number(value, -_MOST_FRAMES, _MOST_FRAMES)) is None:
            raise self.fail(f"{where} is {value!r:.40}; give each person a whole number, or a name")
        return str(number) if number >= 0 else None


def pick(values: np.ndarray, joints: list[int | None]) -> np.ndarray:
    """Values of some joints along the second last axis; NaN for None."""
    picked = np.full((*values.shape[:-2], len(joints), values.shape[-1]), np.nan)
    for to, at in enumerate(joints):
        if at is not None:
            picked[..., to, :] = values[..., at, :]
    return picked


def score_of(value: Any) -> float | None:
    """The score of a person; None if absent."""
    return float(value) if isinstance(value, int | float) and abs(value) < math.inf else None


def unwrap(value: Any) -> Any:
    """The value in a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def read_box(box: Any) -> Float[np.ndarray, "4"] | None:
    """A box as four finite numbers; None if absent. It may be a list or a list of lists."""
    try:
        numbers = np.asarray(box, float).ravel()[:4]
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if numbers.shape == (4,) and np.isfinite(numbers).all() else None


def box_from_corner(box: Any) -> Float[np.ndarray, "4"] | None:
    """x0, y0, x1, y1 from COCO's x0, y0, width, height, or None."""
    numbers = read_box(box)
    if numbers is None:
        return None
    with np.errstate(over="ignore"):
        corners = np.concatenate([numbers[:2], numbers[:2] + numbers[2:]])
    return corners if np.isfinite(corners).all() else None


def picture_size(width: Any, height: Any) -> tuple[int, int] | None:
    """A file's (width, height) of pictures; None if not in pixels."""
    sides = whole_number(width, 1, MOST_PIXELS), whole_number(height, 1, MOST_PIXELS)
    return None if sides[0] is None or sides[1] is None else (sides[0], sides[1])


def frame_number(value: Any) -> int | None:
    """The number of a frame in JSON; None for anything else."""
    return whole_number(value, -_MOST_FRAMES, _MOST_FRAMES) if isinstance(value, int) else None


def _is_misspelt(name: str, joint: str) -> bool:
    """Whether a name misspells the joint's.

    The name has the joint's letters in another order, or lacks one of them. A longer name may be another marker's.
    """
    return not Counter(name) - Counter(joint) and len(joint) - len(name) <= 1
