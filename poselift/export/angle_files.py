"""Joint angles as a table, and as a motion file that OpenSim plays on a model."""

import csv
import os
from pathlib import Path

import numpy as np

from poselift.core.files import atomic_text
from poselift.kinematics import RiggedMotion, coordinates, joint_angles, solve
from poselift.structures import Motion


def write_angles_csv(path: str | os.PathLike[str], motion: Motion | RiggedMotion) -> None:
    """Writes one row per frame: `time_s`, then `<angle>_deg` for each angle of `joint_angles`.

    Degrees are rounded to 0.01; unknown values are empty cells.

    Args:
        path: the file to write.
        motion: one person's motion, or what `solve` made of it.

    Raises:
        InputError: the file cannot be written, the skeleton lacks joints, or no frame has a pose.
    """
    angles = joint_angles(motion)
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time_s", *(f"{name}_deg" for name in angles.names)])
        for time, row in zip(angles.timestamps, angles.degrees.tolist(), strict=True):
            writer.writerow([f"{time:.6f}", *("" if value != value else f"{value:z.2f}" for value in row)])


def write_angles_mot(path: str | os.PathLike[str], motion: Motion | RiggedMotion) -> None:
    """Writes the coordinates of OpenSim's full-body model (`poselift.kinematics.coordinates`), in degrees and metres.

    Empty frames are left out, as OpenSim has no gaps in a motion.

    Args:
        path: the file to write.
        motion: one person's motion, or what `solve` made of it.

    Raises:
        InputError: the file cannot be written, the skeleton lacks joints, or no frame has a pose.
    """
    rigged = motion if isinstance(motion, RiggedMotion) else solve(motion)
    columns = coordinates(rigged)
    table = np.stack([rigged.timestamps, *columns.values()], 1)
    table = table[np.isfinite(table).all(1)]
    header = [Path(path).stem, "version=1", f"nRows={len(table)}", f"nColumns={table.shape[1]}", "inDegrees=yes"]
    with atomic_text(path) as file:
        file.write("\n".join([*header, "endheader", "\t".join(["time", *columns])]) + "\n")
        np.savetxt(file, table, fmt="%.6f", delimiter="\t")
