"""netCDF in the layout of movement's poses, for xarray and movement (https://movement.neuroinformatics.dev)."""

import os

import numpy as np
from scipy.io import netcdf_file

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.times import usual_interval
from poselift.structures import Motion


def write_netcdf(path: str | os.PathLike[str], motion: Motion) -> None:
    """Writes a netCDF 3 file as xarray writes movement's datasets.

    Variables: `position` (time, space, keypoints, individuals), metres, root plus joint; `confidence` (time, keypoints,
    individuals), the detector's scores of the keypoints of the same names; and beyond movement's own `uncertainty`
    (time, keypoints, individuals), metres, if it is known. Unknown values are NaN. Coordinates: `time` in seconds,
    `space`, `keypoints` and `individuals` by name. Attributes: movement's, and `frame`, camera or world.

    Args:
        path: the file to write.
        motion: one person's motion.

    Raises:
        InputError: the file cannot be written, or no frame has a pose.
    """
    if np.isnan(motion.joints).all():
        raise InputError("the motion has no frame with a pose; lift the person again")
    joints, interval = motion.skeleton.joints, usual_interval(motion.timestamps)
    person = motion.keypoints.person
    confidence = np.full((len(motion), len(joints)), np.nan, np.float32)
    for row, joint in enumerate(joints):
        if joint in motion.keypoints.skeleton.joints:
            confidence[:, row] = motion.keypoints.scores[:, motion.keypoints.skeleton.index(joint)]
    where = ("time", "keypoints", "individuals")
    variables = {
        "position": ((motion.joints + motion.root[:, None]).swapaxes(1, 2)[..., None], ("time", "space", *where[1:])),
        "confidence": (confidence[..., None], where),
    }
    if motion.uncertainty is not None:
        variables["uncertainty"] = (motion.uncertainty[..., None], where)
    names = {"space": ["x", "y", "z"], "keypoints": list(joints), "individuals": [f"person_{person or 1}"]}
    with atomic_path(path) as temporary, netcdf_file(str(temporary), "w", version=2) as file:
        file.createDimension("time", len(motion))
        time = file.createVariable("time", "f8", ("time",))
        time[:] = motion.timestamps
        for name, values in names.items():
            _write_names(file, name, values)
        for name, (array, dimensions) in variables.items():
            variable = file.createVariable(name, "f4", dimensions)
            variable[:] = array
            variable._FillValue = np.float32(np.nan)
        file.ds_type, file.source_software, file.time_unit = "poses", "poselift", "seconds"
        file.space_unit, file.frame = "metres", motion.frame
        if interval:
            file.fps = 1 / interval


def _write_names(file: netcdf_file, dimension: str, names: list[str]) -> None:
    """A coordinate of strings, as xarray has them in netCDF 3: UTF-8 in rows of characters."""
    rows = np.array([name.encode() for name in names])
    length = f"string_{dimension}"
    file.createDimension(dimension, len(names))
    file.createDimension(length, rows.dtype.itemsize)
    variable = file.createVariable(dimension, "c", (dimension, length))
    variable[:] = rows.view("S1").reshape(len(names), -1)
    variable._Encoding = "utf-8"
