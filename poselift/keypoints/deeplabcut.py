"""DeepLabCut's CSV and HDF5, with one or several individuals.

The table has a row for each frame and a column for each coordinate. Columns have three or four levels: scorer,
individuals (if there are several), bodyparts, coords (x, y, likelihood). Undetected joints are empty or NaN. The label
of a row is the frame number, or the name of a picture in labelled data, which has no likelihood: its joints get the
score 1.

Source: https://deeplabcut.github.io/DeepLabCut/docs/standardDeepLabCut_UserGuide.html
"""

import csv
import io
from collections import Counter
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import reason, shorten
from poselift.core.safe_parsing import read_text
from poselift.data.hdf5_file import is_hdf5
from poselift.data.pandas_hdf5 import read_frame
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.input_file import KeypointInput
from poselift.keypoints.tracked_array import read_tracks

WHAT = "DeepLabCut's CSV or HDF5"

_COORDS = ("x", "y", "likelihood")
_SPARSE = 20
"""Largest number of places for joints, per column."""


@dataclass(frozen=True)
class _Table:
    """Values, column labels from scorer to coords, and rows' frame numbers."""

    columns: list[tuple[str, ...]]
    numbers: list[int]
    values: Float[np.ndarray, "t c"]


def recognises(file: KeypointInput) -> bool:
    """Whether it is HDF5, or a CSV that starts like DeepLabCut's."""
    if file.path.suffix == ".csv":
        return file.beginning.decode("utf-8-sig", errors="replace").lower().startswith("scorer,")
    return is_hdf5(file.path)


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file.

    Raises:
        InputError: the table is damaged, its joints are not a person's, or h5py is missing for HDF5.
    """
    table = _from_csv(file) if file.path.suffix == ".csv" else _from_hdf5(file)
    labels = [column[1:] for column in table.columns]
    (label, count), *_ = Counter(labels).most_common(1) or [((), 0)]
    if count > 1:
        raise file.fail(f"it has two columns of {shorten(' '.join(label))}; give the table of one scorer")
    bodyparts = list(dict.fromkeys(column[-2] for column in table.columns))
    people = list(dict.fromkeys(column[-3] if len(column) == 4 else "1" for column in table.columns))
    if len(people) * len(bodyparts) > _SPARSE * len(table.columns):
        raise file.fail(f"its {len(people)} individuals share few of its {len(bodyparts)} bodyparts; export it again")
    found = np.full((len(table.numbers), len(people), len(bodyparts), 3), np.nan)
    found[..., 2] = 1.0
    for column, values in zip(table.columns, table.values.T, strict=True):
        if column[-1] not in _COORDS:
            raise file.fail(f"'coords' has {shorten(column[-1])!r}, expected x, y and likelihood")
        person = people.index(column[-3]) if len(column) == 4 else 0
        found[:, person, bodyparts.index(column[-2]), _COORDS.index(column[-1])] = values
    points, scores = found[..., :2], np.nan_to_num(found[..., 2])
    return read_tracks(file, "deeplabcut", points, scores, bodyparts, people, numbers=table.numbers)


def _from_csv(file: KeypointInput) -> _Table:
    try:
        rows = [row for row in csv.reader(io.StringIO(read_text(file.path), newline="")) if row]
    except csv.Error as error:
        raise file.fail(f"not readable as CSV ({reason(error)}); export it again") from error
    head: dict[str, list[str]] = {}
    while rows and rows[0][0].lower() in ("scorer", "individuals", "bodyparts", "coords"):
        head[rows[0][0].lower()] = rows[0]
        rows = rows[1:]
    for key in ("bodyparts", "coords"):
        if key not in head:
            raise file.fail(f"the header has no row {key!r}")
    levels = [head[key] for key in ("scorer", "individuals", "bodyparts", "coords") if key in head]
    # Labelled data may have three columns for the name of a picture, one for each folder.
    first = next((place for place, coord in enumerate(head["coords"]) if place and coord), 1)
    columns = list(zip(*(level[first:] for level in levels), strict=False))
    values = []
    for line, row in enumerate(rows, start=len(levels) + 1):
        try:
            values.append([float(cell) if cell else np.nan for cell in row[first:]])
        except ValueError:
            raise file.fail(f"line {line}: a cell is not a number") from None
        if len(values[-1]) != len(columns):
            raise file.fail(f"line {line} has {len(row)} cells, the header {first + len(columns)}")
    if not values:
        raise file.fail("it has a header, but no rows; export it again")
    labels = [row[first - 1] for row in rows]
    numbers = file.by_name(labels, "the row")
    return _Table(columns, _check_distinct(file, [numbers[label] for label in labels]), np.array(values))


def _from_hdf5(file: KeypointInput) -> _Table:
    columns, index, values = read_frame(file.path)
    if any(len(column) not in (3, 4) for column in columns) or not len(values):
        raise file.fail("its table has no columns labelled by scorer, bodyparts and coords, or no rows")
    return _Table(columns, _check_distinct(file, list(range(len(values))) if index is None else index), values)


def _check_distinct(file: KeypointInput, numbers: list[int]) -> list[int]:
    """The frame numbers of the rows, after checking that they are distinct."""
    if len(set(numbers)) < len(numbers):
        raise file.fail("its rows have no distinct frame numbers; export it again")
    return numbers
