"""C3D: marker positions as biomechanics programs read them (c3d.org), written by ezc3d."""

import errno
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.markers import markers
from poselift.structures import Motion

MOST_FRAMES = 65_535
"""Largest number of frames that the format itself can say."""
_BLOCK, _NUMBER = 512, 4
"""Bytes of a block of the format, and of a number."""


def write_c3d(
    path: str | os.PathLike[str], motions: Sequence[Motion], up: str = "y", start: float | None = None
) -> None:
    """Writes joints as points: millimetres, a constant rate.

    The residual of a point is the radius that holds the joint in 90 % of cases, millimetres; 0 where it is unknown, and
    -1 in empty frames, as the format has it for points that are missing. The group SUBJECTS has USED, NAMES, and if all
    heights are known HEIGHTS, metres, and HEIGHT_ORIGINS, given or estimated. Files of more than 65,535 frames have
    POINT:LONG_FRAMES and TRIAL:ACTUAL_END_FIELD (https://c3d.org, "Reading the frame count"); some readers ignore both.

    Args:
        path: the file to write.
        motions: everybody in the file; see `markers`.
        up: the axis that points up, "y" or "z".
        start: time of the file's first frame; see `markers`.

    Raises:
        InputError: ezc3d is not installed, the file cannot be written, the people do not fit together, or somebody has
            no frame with a pose.
    """
    ezc3d = require("ezc3d", "c3d")
    found = markers(motions, up, start)
    file = ezc3d.c3d()
    point = file["parameters"]["POINT"]
    point["RATE"]["value"] = [found.rate]
    point["LABELS"]["value"] = found.names
    point["UNITS"]["value"] = ["mm"]
    file.add_parameter("POINT", "X_SCREEN", ["+X"])
    file.add_parameter("POINT", "Y_SCREEN", [f"+{up.upper()}"])
    file.add_parameter("SUBJECTS", "USED", [len(motions)])
    file.add_parameter("SUBJECTS", "NAMES", [f"person_{motion.keypoints.person}" for motion in motions])
    heights = [motion.height for motion in motions if motion.height is not None]
    if len(heights) == len(motions):
        file.add_parameter("SUBJECTS", "HEIGHTS", [height.metres for height in heights])
        file.add_parameter("SUBJECTS", "HEIGHT_ORIGINS", [height.origin for height in heights])
    if (frames := len(found.positions)) > MOST_FRAMES:
        # POINT:FRAMES has 16 bits; readers that know one of these find the others.
        file.add_parameter("POINT", "LONG_FRAMES", [float(frames)])
        file.add_parameter("TRIAL", "ACTUAL_START_FIELD", [1, 0])
        file.add_parameter("TRIAL", "ACTUAL_END_FIELD", [frames % (1 << 16), frames >> 16])
    missing = np.isnan(found.positions).any(-1).T
    points = np.ones((4, *missing.shape))
    points[:3] = found.positions.transpose(2, 1, 0)
    points[:3, missing] = np.nan
    file["data"]["points"] = points
    residuals = np.where(missing, -1.0, np.nan_to_num(found.radii.T))
    file["data"]["meta_points"] = {
        "residuals": residuals[None],
        "camera_masks": np.zeros((7, *missing.shape), dtype=bool),
    }
    # By way of another folder, because ezc3d takes no path that is not UTF-8.
    with atomic_path(path) as temporary, tempfile.TemporaryDirectory() as folder:
        file.write(f"{folder}/motion.c3d")
        content = Path(folder, "motion.c3d").read_bytes()
        # Word 9 of the header is the first block of the data. ezc3d says nothing where the disk is full.
        if len(content) < (int.from_bytes(content[16:18], "little") - 1) * _BLOCK + points.size * _NUMBER:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        temporary.write_bytes(content)
