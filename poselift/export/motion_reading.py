"""Reads a motion from its npz and the JSON beside it."""

import os
import re
from pathlib import Path
from typing import TypeGuard, get_args

from poselift.core.bounded import whole_number
from poselift.core.errors import InputError
from poselift.core.kinds import check_kinds
from poselift.export.motion_npz import read_npz
from poselift.export.sidecar import read_sidecar, skeleton_from_json
from poselift.skeleton import Pelvis
from poselift.structures import MOST_PIXELS, THRESHOLD, Height, Keypoints2D, Motion

_PERSON = re.compile(r"person_\d+\.npz")
_MOST_PEOPLE = 10**9
_TALLEST = 10.0
"""Metres."""


def is_person(path: Path) -> bool:
    """Whether a file has the name of a person in the results of `poselift lift`, such as person_1.npz.

    Not person_1_smooth.npz of `poselift smooth`, which is person 1 a second time.
    """
    return _PERSON.fullmatch(path.name) is not None


@check_kinds
def read_motion(npz_path: str | os.PathLike[str]) -> Motion:
    """The motion that `write_npz` and `write_sidecar` wrote.

    Args:
        npz_path: the arrays; the JSON has the same name with the suffix .json.

    Raises:
        InputError: one of the two files is missing or damaged, or they do not belong together.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> from poselift.export import write_npz, write_sidecar
        >>> from poselift.skeleton import H36M17
        >>> times, size = np.arange(2) / 30, (640, 480)
        >>> keypoints = Keypoints2D(np.full((2, 17, 2), 9.0), np.ones((2, 17)), times, H36M17, size)
        >>> joints, root = np.zeros((2, 17, 3)), np.ones((2, 3))
        >>> motion = Motion(joints, root, times, np.zeros(2, bool), H36M17, "camera", keypoints)
        >>> path = Path(tempfile.mkdtemp()) / "person_1.npz"
        >>> write_npz(path, motion)
        >>> write_sidecar(path.with_suffix(".json"), motion, camera={}, weights={})
        >>> read_motion(path).root.tolist()
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    arrays = read_npz(npz_path)
    json_path = Path(npz_path).with_suffix(".json")
    about = read_sidecar(json_path)
    try:
        skeleton = skeleton_from_json(about["skeleton"])
        keypoint_skeleton = skeleton_from_json(about["keypoints"])
        if [*skeleton.parents].count(None) != 1:
            raise ValueError("the skeleton of a motion has one root")  # noqa: TRY301
        size, frame, person = about["keypoints"]["image_size"], about["axes"]["frame"], about["person"]
    except KeyError as error:
        raise InputError(f"{json_path}: the key {error} is missing; take the JSON that poselift wrote") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{json_path}: {error}; take the JSON that poselift wrote") from error
    width, height = (whole_number(side, 1, MOST_PIXELS) for side in size) if _is_pair(size) else (None, None)
    stature = _height(about.get("height"), json_path)
    threshold = about["keypoints"].get("threshold", THRESHOLD)
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise InputError(f"{json_path}: threshold {threshold!r:.40} is not a score; take the JSON that poselift wrote")
    share = _body_share(about.get("uncertainty"), json_path)
    number, pelvis = whole_number(person, 1, _MOST_PEOPLE), about.get("pelvis")
    if width is None or height is None or number is None:
        raise InputError(
            f"{json_path}: person {person!r:.40} or image_size {size!r:.40} is not a person's number or a size in "
            "pixels; take the JSON that poselift wrote"
        )
    if frame not in ("camera", "world") or pelvis not in (None, *get_args(Pelvis)):
        raise InputError(
            f"{json_path}: frame {frame!r:.40} or pelvis {pelvis!r:.40} is unknown; take the JSON that poselift wrote"
        )
    for name, layout in (("joints", skeleton), ("keypoints", keypoint_skeleton)):
        if arrays[name].shape[1] != len(layout):
            raise InputError(
                f"{npz_path}: {name!r} has {arrays[name].shape[1]} joints, but {json_path.name} names "
                f"{len(layout)}; the two files do not belong together"
            )
    try:
        keypoints = Keypoints2D(
            arrays["keypoints"],
            arrays["keypoint_scores"],
            arrays["timestamps"],
            keypoint_skeleton,
            (width, height),
            number,
        )
    except InputError as error:
        raise InputError(f"{npz_path}: {error}") from error
    return Motion(
        arrays["joints"],
        arrays["root"],
        arrays["timestamps"],
        arrays["interpolated"],
        skeleton,
        frame,
        keypoints,
        uncertainty=arrays.get("uncertainty"),
        contacts=arrays.get("contacts"),
        pelvis=pelvis,
        height=stature,
        threshold=float(threshold),
        body_share=share,
    )


def _height(value: object, path: Path) -> Height | None:
    """The height under "height" of a sidecar."""
    if value is None:
        return None
    found = value if isinstance(value, dict) else {}
    metres, spread, origin = (found.get(key) for key in ("metres", "spread", "origin"))
    if not _is_length(metres) or not _is_length(spread) or origin not in ("estimated", "given"):
        raise InputError(
            f"{path}: height {value!r:.80} is not metres, spread and origin; take the JSON that poselift wrote"
        )
    return Height(float(metres), float(spread), origin)


def _body_share(value: object, path: Path) -> float:
    """The share under "uncertainty" of a sidecar; 0 in older ones."""
    share = value.get("body_share") if isinstance(value, dict) else None if value is not None else 0.0
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise InputError(f"{path}: uncertainty {value!r:.80} has no body_share; take the JSON that poselift wrote")
    return float(share)


def _is_length(value: object) -> TypeGuard[float]:
    """Whether a value is a possible height or its spread, metres."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _TALLEST


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2
