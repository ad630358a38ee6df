"""A motion as a table for spreadsheets, R and pandas: one row per frame, one column per coordinate."""

import csv
import math
import os

import numpy as np

from poselift.core.files import atomic_path
from poselift.structures import FEET, Motion


def write_csv(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes one row per frame.

    Columns: `time_s`, `interpolated` (0 or 1), `root_x_m`, `root_y_m`, `root_z_m`, then for each joint `<joint>_x_m`,
    `<joint>_y_m`, `<joint>_z_m` relative to the root joint. If known, `<joint>_uncertainty_m` and `left_foot_contact`,
    `right_foot_contact` (0 or 1) follow. Metres are rounded to 0.01 mm. Unknown values are empty cells, which readers
    take as missing.

    Args:
        path: the file to write.
        motion: one person's motion.

    Raises:
        InputError: the file cannot be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from poselift.skeleton import H36M17
        >>> from poselift.structures import Keypoints2D
        >>> times, size = np.arange(2) / 30, (640, 480)
        >>> keypoints = Keypoints2D(np.full((2, 17, 2), 9.0), np.ones((2, 17)), times, H36M17, size)
        >>> joints, root = np.zeros((2, 17, 3)), np.ones((2, 3))
        >>> motion = Motion(joints, root, times, np.zeros(2, bool), H36M17, "camera", keypoints)
        >>> path = Path(tempfile.mkdtemp()) / "person_1.csv"
        >>> write_csv(path, motion)
        >>> path.read_text().splitlines()[1][:35]
        '0.000000,0,1.00000,1.00000,1.00000,'
    """
    places = ["root", *motion.skeleton.joints]
    header = ["time_s", "interpolated", *(f"{place}_{axis}_m" for place in places for axis in "xyz")]
    metres = np.concatenate([motion.root[:, None], motion.joints], axis=1).reshape(len(motion), -1)
    if motion.uncertainty is not None:
        header += [f"{joint}_uncertainty_m" for joint in motion.skeleton.joints]
        metres = np.concatenate([metres, motion.uncertainty], axis=1)
    contacts = np.zeros((len(motion), 0), bool) if motion.contacts is None else motion.contacts
    if motion.contacts is not None:
        header += [f"{foot}_contact" for foot in FEET]
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row, (time, interpolated) in enumerate(zip(motion.timestamps, motion.interpolated, strict=True)):
            cells = [_cell(value) for value in metres[row].tolist()]
            writer.writerow([f"{time:.6f}", int(interpolated), *cells, *contacts[row].astype(int).tolist()])


def _cell(metres: float) -> str:
    """Five decimals without a negative zero; empty if unknown."""
    return f"{metres:z.5f}" if math.isfinite(metres) else ""
