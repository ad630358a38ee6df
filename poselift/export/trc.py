"""TRC: marker positions as text, for OpenSim (its documentation, "Marker (.trc) Files")."""

import os
from pathlib import Path

import numpy as np

from poselift.core.files import atomic_path
from poselift.export.markers import markers
from poselift.structures import Motion


def write_trc(path: str | os.PathLike[str], motion: Motion, *, skip_empty: bool = False) -> None:
    """Writes joints as markers: millimetres, Y up, a constant rate, NaN in empty frames. TRC has no uncertainty.

    Args:
        path: the file to write.
        motion: one person's motion.
        skip_empty: leaves empty frames out; OpenSim's inverse kinematics stops at a frame without any marker.

    Raises:
        InputError: the file cannot be written, or no frame has a pose.
    """
    found = markers(motion)
    numbers = np.concatenate([found.times[:, None], found.positions.reshape(len(found.times), -1)], 1)
    if skip_empty:
        numbers = numbers[np.isfinite(numbers).all(1)]
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
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(lines) + "\n")
        file.writelines(f"{row}\n" for row in rows)
