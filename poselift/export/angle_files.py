"""Joint angles as a table, and as a motion for OpenSim."""

import os
from pathlib import Path

import numpy as np

from poselift.core.annotations import check_annotations
from poselift.core.files import atomic_text
from poselift.export.csv_files import write_rows
from poselift.export.export_options import ExportOptions
from poselift.kinematics import (
    RiggedMotion,
    add_uncertainty,
    compute_coordinates,
    face_along_x,
    legs_as_seen,
    measure_joint_angles,
    measure_segment_angles,
    solve,
)
from poselift.kinematics.angles import Shown, joints_of
from poselift.structures import Motion, Recording


@check_annotations
def write_angles_csv(
    path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()
) -> None:
    """Writes one row per frame: `time_s`, angles, then their uncertainty.

    `<angle>_deg` for each angle, then `<angle>_90_deg` if it is known. The angles are those of `measure_joint_angles`
    and then of `measure_segment_angles`. `<angle>_90_deg` is the half-width of the 90 % interval. Degrees are rounded
    to 0.01; unknown values are empty cells.

    Args:
        path: the file to write.
        recording: one person's. With one camera, the legs turn to its picture (`legs_as_seen`).
        options: none is used.

    Raises:
        InputError: the file cannot be written, the skeleton lacks joints, or no frame has a pose.
    """
    [motion] = legs_as_seen(recording).people
    measures, cameras = (measure_joint_angles, measure_segment_angles), len(recording.cameras)
    found = [add_uncertainty(angles_of, motion, cameras) for angles_of in measures]
    table = {"time_s": motion.timestamps}
    for angles in found:
        table |= zip((f"{name}_deg" for name in angles.names), angles.degrees.T, strict=True)
    for angles in found:
        if angles.uncertainty is not None:
            table |= zip((f"{name}_90_deg" for name in angles.names), angles.uncertainty.T, strict=True)
    write_rows(path, table, digits=2)


@check_annotations
def write_angles_mot(
    path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()
) -> None:
    """Writes the coordinates of OpenSim's full-body model, in degrees and metres.

    They are those of `poselift.kinematics.compute_coordinates`. The motion is turned about the vertical so
    that the person faces along +X (`face_along_x`): the model's pelvis tilt and list are those of the person only then.
    Empty frames are left out, as OpenSim has no gaps in a motion, and so are coordinates of joints that no keypoint
    ever shows.

    Args:
        path: the file to write.
        recording: one person's.
        options: none is used.

    Raises:
        InputError: the file cannot be written, the skeleton lacks joints, or no frame has a pose.
    """
    [motion] = recording.people
    write_coordinates(path, motion, solve(face_along_x(motion)))


def write_coordinates(path: str | os.PathLike[str], motion: Motion, rigged: RiggedMotion) -> None:
    """Writes the coordinates of a solved motion.

    Args:
        path: the file to write.
        motion: tells which joints keypoints show.
        rigged: what `solve` made of the motion after `face_along_x`.
    """
    shown = Shown(motion)
    columns = {
        name: values for name, values in compute_coordinates(rigged).items() if shown.all(_list_joints(name)).any()
    }
    table = np.stack([rigged.timestamps, *columns.values()], 1)
    table = table[np.isfinite(table).all(1)]
    header = [Path(path).stem, "version=1", f"nRows={len(table)}", f"nColumns={table.shape[1]}", "inDegrees=yes"]
    with atomic_text(path) as file:
        file.write("\n".join([*header, "endheader", "\t".join(["time", *columns])]) + "\n")
        np.savetxt(file, table, fmt="%.6f", delimiter="\t")


_PARTS = {"hip": "hip", "knee": "knee", "ankle": "ankle", "arm": "shoulder", "elbow": "elbow", "lumbar": "trunk"}
"""Our joint of the model's coordinates; those of the pelvis are always written."""


def _list_joints(coordinate: str) -> tuple[str, ...]:
    """The joints that a coordinate of the model needs."""
    part, _, rest = coordinate.partition("_")
    if part not in _PARTS:
        return ()
    side = {"l": "left_", "r": "right_"}.get(rest.rpartition("_")[2], "")
    return joints_of(f"{side}{_PARTS[part]}_flexion")
