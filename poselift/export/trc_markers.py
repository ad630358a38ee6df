"""TRC: marker positions as text, for OpenSim (its documentation, "Marker (.trc) Files")."""

import os
from pathlib import Path

import numpy as np

from poselift.core.files import atomic_text
from poselift.export.export_options import ExportOptions
from poselift.export.markers import Markers, place_markers
from poselift.structures import Recording


def write_trc(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes joints as markers: millimetres, a constant rate, NaN in empty frames. TRC has no uncertainty.

    Args:
        path: the file to write.
        recording: everybody in the file; see `place_markers`.
        options: the axis that points up, and the names of the markers.

    Raises:
        InputError: the file cannot be written, or as of `place_markers`.
    """
    write_markers(path, place_markers(recording.people, options.up, names_of=options.markers))


def write_markers(path: str | os.PathLike[str], found: Markers, *, skip_empty: bool = False) -> None:
    """Writes markers as TRC.

    Args:
        path: the file to write.
        found: the markers.
        skip_empty: leaves frames without any marker out; OpenSim's inverse kinematics stops at them.
    """
    numbers = np.concatenate([found.times[:, None], found.positions.reshape(len(found.times), -1)], 1)
    if skip_empty:
        numbers = numbers[np.isfinite(numbers[:, 1:]).any(1)]
    frames, count = len(numbers), len(found.names)
    rate = f"{found.rate:.6g}"
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{Path(path).name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\tmm\t{rate}\t1\t{frames}",
        # A name has three columns, the last one too: readers of tables take the first columns away otherwise.
        "Frame#\tTime\t" + "\t\t\t".join(found.names) + "\t\t",
        "\t\t" + "\t".join(f"{axis}{index}" for index in range(1, count + 1) for axis in "XYZ"),
        "",
    ]
    rows = (
        f"{index}\t{row[0]:.6f}\t" + "\t".join("NaN" if value != value else f"{value:.3f}" for value in row[1:])
        for index, row in enumerate(numbers.tolist(), 1)
    )
    with atomic_text(path) as file:
        file.write("\n".join(lines) + "\n")
        file.writelines(f"{row}\n" for row in rows)
