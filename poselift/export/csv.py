"""A motion as a table for spreadsheets, R and pandas: one row a frame, one named column a coordinate."""

import csv
import math
import os

import numpy as np

from poselift.core.files import atomic_path
from poselift.structures import FEET, Motion


def write_csv(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes one row a frame.

    Columns: `time_s`, `interpolated` (0 or 1), `root_x_m`, `root_y_m`,
    `root_z_m`, then for each joint `<joint>_x_m`, `<joint>_y_m`, `<joint>_z_m` relative to the root joint; where
    the lifter tells how far off it may be, `<joint>_uncertainty_m`; and, where contacts are known, `left_foot_contact`,
    `right_foot_contact` (0 or 1).
    Metres are rounded to 0.01 mm. What is not known is an empty cell, which readers take as missing.

    Args:
        path: the file to write.
        motion: one person's motion.

    Raises:
        InputError: the file cannot be written.
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
    """Five decimals, without a minus before zero; empty where the value is not known."""
    return f"{metres:z.5f}" if math.isfinite(metres) else ""
