"""TRC files in pixels, one per person, or their folder.

Sports2D writes such files (`VIDEO_px_person00.trc`). Five header lines, of which the fourth has the marker names, then
one row per frame, separated by tabs: frame number, time in seconds, and x, y, z of each marker. Sports2D's x and y are
pixels, y down, and z is 0. Undetected joints are empty or NaN, or 0, 0 with Sports2D's option to fill gaps with zeros.
There are no scores: all others get the score 1.

Sources: https://github.com/davidpagnon/Sports2D;
https://opensimconfluence.atlassian.net/wiki/spaces/OpenSim/pages/53089972/Marker+.trc+Files
"""

import re
from pathlib import Path

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import read_text
from poselift.keypoints.content import KeypointFile, Observation, frames_by_time
from poselift.keypoints.input_file import KeypointInput, pick

WHAT = "Sports2D's TRC in pixels, or its folder of them"

_HEADER = 5
"""Lines before the first frame."""
_DIGITS = 9
"""Digits of a person's number at most; more are a date or a hash."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is a TRC file, or a folder with such files."""
    return file.path.suffix == ".trc" or bool(file.files(".trc"))


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of a file, or of a folder's files.

    Those with `_px` in their names, or all if none has.

    Raises:
        InputError: a file is damaged, its markers are not a person's joints, or two files have one person.
    """
    files = file.files(".trc") or [file.path]
    files = [path for path in files if "_px" in path.stem] or files
    skeletons = []
    people = {}
    for path in files:
        names, times, points = _read(path)
        found, places = file.by_names(names)
        skeletons.append(found)
        joints = pick(points, places)
        scores = (joints != 0).any(-1).astype(float)
        person = _person(path)
        if person in people:
            raise file.fail(f"{path.name} is a second file of person {person}; give the files of one clip")
        people[person] = times, [Observation(*frame, person) for frame in zip(joints, scores, strict=True)]
    frames, timestamps = frames_by_time(people)
    return KeypointFile(file.path, "trc", file.only_skeleton(skeletons), frames, timestamps=timestamps)


def _person(path: Path) -> str:
    """The person's number from 1, or the file name. Sports2D counts from 0."""
    number = re.search(r"person(\d+)", path.stem)
    return str(int(number[1]) + 1) if number and len(number[1]) <= _DIGITS else path.stem


def _read(path: Path) -> tuple[list[str], Float[np.ndarray, " t"], Float[np.ndarray, "t k 2"]]:
    """Marker names, times, and x and y."""
    lines = read_text(path).splitlines()
    if len(lines) < _HEADER or not lines[0].startswith("PathFileType") or not lines[3].startswith("Frame#"):
        raise InputError(f"{path}: not a TRC file: five lines of header, 'PathFileType' first and 'Frame#' fourth")
    names = [name.strip() for name in lines[3].split("\t")[2:] if name.strip()]
    cells = 2 + 3 * len(names)
    rows = []
    for number, line in enumerate(lines[_HEADER:], start=_HEADER + 1):
        if not line.strip():
            continue
        row = line.split("\t")
        if len(row) < cells or any(cell.strip() for cell in row[cells:]):
            raise InputError(f"{path}, line {number}: has {len(row)} cells, expected {cells} for {len(names)} markers")
        try:
            rows.append([float(cell) if cell.strip() else np.nan for cell in row[1:cells]])
        except ValueError:
            raise InputError(f"{path}, line {number}: a cell is not a number") from None
    table = np.array(rows).reshape(-1, cells - 1)
    times = table[:, 0]
    if not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise InputError(f"{path}: 'Time' does not increase from row to row")
    points = table[:, 1:].reshape(len(table), -1, 3)
    if np.nan_to_num(points[..., 2]).any():
        raise InputError(
            f"{path}: its markers have a z, so they are not pixels; give those (Sports2D: the file with _px_)"
        )
    return names, times, points[..., :2]
