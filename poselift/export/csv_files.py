"""A motion as a table for spreadsheets, R and pandas. It has a row for each frame and a column for each coordinate."""

import csv
import os

import numpy as np
from jaxtyping import Shaped

from poselift.core.annotations import check_annotations
from poselift.core.cells import format_cell
from poselift.core.files import atomic_text
from poselift.export.export_options import ExportOptions
from poselift.export.table import make_columns
from poselift.structures import Recording


@check_annotations
def write_csv(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes one row per frame.

    Columns: those of `poselift.export.table`. Flags are 0 or 1, metres are rounded to 0.01 mm. Unknown values are empty
    cells, which readers take as missing.

    Args:
        path: the file to write.
        recording: one person's.
        options: none is used.

    Raises:
        InputError: the file cannot be written.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> from pathlib import Path
        >>> from poselift.skeleton import H36M17
        >>> from poselift.structures import Clock, Keypoints2D, Motion, Origin
        >>> times, size = np.arange(2) / 30, (640, 480)
        >>> keypoints = Keypoints2D(np.full((2, 17, 2), 9.0), np.ones((2, 17)), times, H36M17, size)
        >>> joints, root = np.zeros((2, 17, 3)), np.ones((2, 3))
        >>> motion = Motion(joints, root, times, np.zeros(2, bool), H36M17, "camera", keypoints)
        >>> recording = Recording((motion,), (), Clock(30.0, 2, (0.0, 1 / 30)), Origin(None))
        >>> path = Path(tempfile.mkdtemp()) / "person_1.csv"
        >>> write_csv(path, recording)
        >>> path.read_text().splitlines()[1][:35]
        '0.000000,0,1.00000,1.00000,1.00000,'
    """
    [motion] = recording.people
    write_rows(path, make_columns(motion), digits=5)


def write_rows(path: str | os.PathLike[str], table: dict[str, Shaped[np.ndarray, " t"]], digits: int) -> None:
    """Writes a table of numbers, whose first column is seconds.

    Args:
        path: the file to write.
        table: columns by name.
        digits: after the point, of all but the seconds.

    Raises:
        InputError: the file cannot be written.
    """
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        for seconds, *row in zip(*(values.tolist() for values in table.values()), strict=True):
            writer.writerow([f"{seconds:.6f}", *(format_cell(value, digits) for value in row)])
