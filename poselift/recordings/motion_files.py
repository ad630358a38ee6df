"""A motion as an npz and its JSON, read and written."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.core.files import atomic_files, write_text
from poselift.core.publishing import read_whole
from poselift.core.safe_parsing import whole_number
from poselift.geometry.camera import Camera
from poselift.recordings.camera_json import cameras_from_json, size_from_json
from poselift.recordings.motion_arrays import HAND_ARRAYS, read_npz, write_npz
from poselift.recordings.motion_json import describe_motion, format_description, read_sidecar, skeleton_from_json
from poselift.skeleton import Pelvis
from poselift.structures import MOST_PEOPLE, THRESHOLD, Hands, Height, Keypoints2D, Motion

_PERSON = re.compile(r"person_\d+\.npz")
_TALLEST = 10.0
"""Metres."""


def is_person(path: Path) -> bool:
    """Whether a file is named as a person's, such as person_1.npz.

    Not person_1_smooth.npz of `poselift smooth`, which is person 1 a second time.
    """
    return _PERSON.fullmatch(path.name) is not None


@check_annotations
def read_motion(npz_path: str | os.PathLike[str]) -> Motion:
    """The motion that `write_npz` and `write_sidecar` wrote.

    Args:
        npz_path: the arrays; the JSON has the same name with the suffix .json.

    Raises:
        InputError: one of the two files is missing or damaged, or they do not belong together.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> from poselift.skeleton import H36M17
        >>> times, size = np.arange(2) / 30, (640, 480)
        >>> keypoints = Keypoints2D(np.full((2, 17, 2), 9.0), np.ones((2, 17)), times, H36M17, size)
        >>> joints, root = np.zeros((2, 17, 3)), np.ones((2, 3))
        >>> motion = Motion(joints, root, times, np.zeros(2, bool), H36M17, "camera", keypoints)
        >>> path = Path(tempfile.mkdtemp()) / "person_1.npz"
        >>> write_motion(path, motion)
        >>> read_motion(path).root.tolist()
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    json_path = Path(npz_path).with_suffix(".json")
    arrays, about = read_whole([Path(npz_path), json_path], lambda: (read_npz(npz_path), read_sidecar(json_path)))
    try:
        facts, detected = _read_facts(about)
    except KeyError as error:
        raise InputError(f"{json_path}: the key {error} is missing; take the JSON that poselift wrote") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{json_path}: {error}; take the JSON that poselift wrote") from error
    for name, layout in (("joints", facts["skeleton"]), ("keypoints", detected["skeleton"])):
        if arrays[name].shape[1] != len(layout):
            raise InputError(
                f"{npz_path}: {name!r} has {arrays[name].shape[1]} joints, but {json_path.name} names "
                f"{len(layout)}; the two files do not belong together"
            )
    pixels, scores, times = (arrays.pop(name) for name in ("keypoints", "keypoint_scores", "timestamps"))
    try:
        keypoints = Keypoints2D(pixels, scores, times, **detected)
        parts = {field: arrays.pop(name) for name, field in HAND_ARRAYS.items() if name in arrays}
        hands = Hands(**parts) if parts else None
        return Motion(timestamps=times, keypoints=keypoints, hands=hands, **(facts | arrays))
    except InputError as error:
        raise InputError(f"{npz_path}: {error}") from error


def _read_facts(about: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A sidecar's facts about motion and keypoints, by field name.

    Raises:
        KeyError: something is missing.
        TypeError, ValueError: something cannot be.
    """
    detected, frame, pelvis = about["keypoints"], about["axes"]["frame"], about.get("pelvis")
    layout = skeleton_from_json(detected)
    skeleton, person = skeleton_from_json(about["skeleton"]), whole_number(about["person"], 1, MOST_PEOPLE)
    if [*skeleton.parents].count(None) != 1:
        raise ValueError("the skeleton of a motion has one root")
    if person is None:
        raise ValueError(f"person {about['person']!r:.40} is not a person's number, 1 to {MOST_PEOPLE:,}")
    if frame not in ("camera", "world") or pelvis not in (None, *get_args(Pelvis)):
        raise ValueError(f"frame {frame!r:.40} or pelvis {pelvis!r:.40} is unknown")
    height, uncertainty = about.get("height"), about.get("uncertainty")
    for name, value in (("height", height), ("uncertainty", uncertainty)):
        if not isinstance(value, dict | None):
            raise ValueError(f"{name} {value!r:.40} is not a group of keys")  # noqa: TRY004 - as the others
    if height is not None:
        if height["origin"] not in ("estimated", "given"):
            raise ValueError(f"the origin of the height {height['origin']!r:.40} is unknown")
        metres, spread = (_read_number(key, height[key], _TALLEST) for key in ("metres", "spread"))
        height = Height(metres, spread, height["origin"])
    filters = about.get("filters", [])
    if not isinstance(filters, list) or not all(isinstance(each, dict) for each in filters):
        raise ValueError(f"filters {filters!r:.40} is not a list of groups of keys")
    facts = {
        "filters": tuple(filters),
        "skeleton": skeleton,
        "frame": frame,
        "pelvis": pelvis,
        "height": height,
        "threshold": _read_number("threshold", detected.get("threshold", THRESHOLD), 1.0),
        # Older files have none.
        "body_share": 0.0 if uncertainty is None else _read_number("body_share", uncertainty["body_share"], 1.0),
    }
    size = size_from_json(detected["image_size"])
    return facts, {"skeleton": layout, "image_size": size, "person": person}


def _read_number(name: str, value: object, most: float) -> float:
    """A number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"{name} {value!r:.40} is not a number from 0 to {most:g}")
    return float(value)


@check_annotations
def write_motion(
    npz_path: str | os.PathLike[str],
    motion: Motion,
    cameras: Sequence[Camera] = (),
    weights: Mapping[str, Any] = MappingProxyType({}),
    up_uncertainty: float | None = None,
    extra: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Writes the arrays of a motion and the JSON beside them.

    Both are published together; see `atomic_files`.

    Args:
        npz_path: the arrays; the JSON has the same name with the suffix .json.
        motion: one person's motion.
        cameras: of the videos.
        weights: name, `sha256` and further facts by part ("lifter", "detector", ...).
        up_uncertainty: of the direction of up in the world, radians.
        extra: further keys of the JSON, such as the name of the video.

    Raises:
        InputError: a file cannot be written, or a value cannot be written as JSON.
    """
    write_pair(Path(npz_path), motion, describe_motion(motion, cameras, weights, up_uncertainty, extra))


def write_pair(npz_path: Path, motion: Motion, about: Mapping[str, Any]) -> None:
    """Writes a motion's arrays, and its JSON with this content."""
    json_path = npz_path.with_suffix(".json")
    text = format_description(json_path, about)
    changes = "cameras" not in about and "times" in about.get("camera", {})
    camera = cameras_from_json(dict(about), json_path)[0] if changes else None
    with atomic_files(npz_path.parent, json_path.name) as folder:
        write_npz(folder / npz_path.name, motion, camera)
        write_text(folder / json_path.name, text)
