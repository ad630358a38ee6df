"""C3D: marker positions as biomechanics programs read them (c3d.org), written by ezc3d."""

import os

import numpy as np

from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.markers import markers
from poselift.structures import Motion


def write_c3d(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes joints as points: millimetres, Y up, a constant rate.

    The residual of a point is the radius that holds the joint in 90 % of cases, millimetres; 0 where it is unknown, and
    -1 in empty frames, as the format has it for points that are missing.

    Args:
        path: the file to write.
        motion: one person's motion.

    Raises:
        InputError: ezc3d is not installed, the file cannot be written, or no frame has a pose.
    """
    ezc3d = require("ezc3d", "c3d")
    found = markers(motion)
    file = ezc3d.c3d()
    point = file["parameters"]["POINT"]
    point["RATE"]["value"] = [found.rate]
    point["LABELS"]["value"] = found.names
    point["UNITS"]["value"] = ["mm"]
    file.add_parameter("POINT", "X_SCREEN", ["+X"])
    file.add_parameter("POINT", "Y_SCREEN", ["+Y"])
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
    with atomic_path(path) as temporary:
        file.write(str(temporary))
