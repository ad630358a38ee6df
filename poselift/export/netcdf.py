"""netCDF in the layout of movement's poses, for xarray and movement (https://movement.neuroinformatics.dev)."""

import os
from typing import TYPE_CHECKING

import numpy as np

from poselift.core.errors import InputError
from poselift.core.files import atomic_path
from poselift.core.optional import require
from poselift.export.export_options import ExportOptions
from poselift.numerics.times import median_interval
from poselift.skeleton.hand import SIDES
from poselift.structures import Recording

if TYPE_CHECKING:
    from scipy.io import netcdf_file

_MOST_BYTES = (1 << 31) - 1
"""Largest variable: scipy writes its size as a signed number of 32 bits."""


def write_netcdf(path: str | os.PathLike[str], recording: Recording, options: ExportOptions = ExportOptions()) -> None:
    """Writes a netCDF 3 file as xarray writes movement's datasets.

    Variables: `position` (time, space, keypoints, individuals), metres, root plus joint; `confidence` (time, keypoints,
    individuals), the detector's scores of the keypoints of the same names; and beyond movement's own `uncertainty`
    (time, keypoints, individuals), metres, if it is known, `seen` (time, keypoints, individuals), whether keypoints
    show the joint (`Motion.in_sight`) or the lifter guessed it, and `height` (individuals), metres, whose attribute
    `origin` has "given", "estimated" or "unknown" for each person. With hands, their joints are further keypoints, with
    the score of the hand as `confidence`. Unknown values are NaN. Coordinates: `time` in seconds, `space`, `keypoints`
    and `individuals` by name. Attributes: movement's, and `frame`, camera or world.

    Args:
        path: the file to write.
        recording: everybody in the file. Times are those of all; a person is NaN at the times of others.
        options: none is used.

    Raises:
        InputError: SciPy is not installed, or the file cannot be written or would be too large.
    """
    require("scipy", "netcdf")
    from scipy.io import netcdf_file

    motions, first = recording.people, recording.people[0]
    fingered, body = [motion.with_fingers() for motion in motions], len(first.skeleton)
    joints = max((skeleton.joints for _, skeleton in fingered), key=len)
    times = np.unique(np.concatenate([motion.timestamps for motion in motions]))
    interval = median_interval(max((motion.timestamps for motion in motions), key=len))
    where = ("time", "keypoints", "individuals")
    size = (len(times), len(joints), len(motions))
    position, confidence, uncertainty = (np.full(shape, np.nan, np.float32) for shape in ((*size, 3), size, size))
    shown = np.zeros(size, np.int8)
    for column, (motion, (placed, skeleton)) in enumerate(zip(motions, fingered, strict=True)):
        rows = np.searchsorted(times, motion.timestamps)
        position[rows, : len(skeleton), column] = placed + motion.root[:, None]
        shown[rows, :body, column] = motion.in_sight()
        if motion.hands is not None and len(skeleton) > body:
            fingers = (len(skeleton) - body) // len(SIDES)
            shown[rows, body:, column] = motion.hands.seen.repeat(fingers, 1)
            confidence[rows, body:, column] = motion.hands.scores.repeat(fingers, 1)
        for row, joint in enumerate(first.skeleton.joints):
            if joint in motion.keypoints.skeleton.joints:
                scores = motion.keypoints.scores[:, motion.keypoints.skeleton.index(joint)]
                confidence[rows, row, column] = scores
        if motion.uncertainty is not None:
            uncertainty[rows, :body, column] = motion.uncertainty
    if position.nbytes > _MOST_BYTES:
        raise InputError(
            f"cannot write {path}: positions of {len(motions)} people in {len(times)} frames are more than the 2 GB of "
            "a netCDF variable; write people one by one, or lift shorter spans with --start and --end"
        )
    variables = {
        "position": (np.moveaxis(position, -1, 1), ("time", "space", *where[1:])),
        "confidence": (confidence, where),
    }
    if any(motion.uncertainty is not None for motion in motions):
        variables["uncertainty"] = (uncertainty, where)
    people = [f"person_{motion.keypoints.person}" for motion in motions]
    names = {"space": ["x", "y", "z"], "keypoints": list(joints), "individuals": people}
    with atomic_path(path) as temporary, netcdf_file(str(temporary), "w", version=2) as file:
        file.createDimension("time", len(times))
        time = file.createVariable("time", "f8", ("time",))
        time[:] = times
        for name, values in names.items():
            _write_names(file, name, values)
        for name, (array, dimensions) in variables.items():
            variable = file.createVariable(name, "f4", dimensions)
            variable[:] = array
            variable._FillValue = np.float32(np.nan)
        seen = file.createVariable("seen", "i1", where)
        seen[:] = shown
        seen.dtype = "bool"  # as xarray writes flags
        heights = file.createVariable("height", "f4", ("individuals",))
        heights[:] = [np.nan if motion.height is None else motion.height.metres for motion in motions]
        heights.units = "m"
        heights.origin = ", ".join("unknown" if motion.height is None else motion.height.origin for motion in motions)
        file.ds_type, file.source_software, file.time_unit = "poses", "poselift", "seconds"
        file.space_unit, file.frame = "metres", first.frame
        if interval:
            file.fps = 1 / interval


def _write_names(file: "netcdf_file", dimension: str, names: list[str]) -> None:
    """Writes strings as xarray does in netCDF 3. UTF-8 in rows of characters."""
    rows = np.array([name.encode() for name in names])
    length = f"string_{dimension}"
    file.createDimension(dimension, len(names))
    file.createDimension(length, rows.dtype.itemsize)
    variable = file.createVariable(dimension, "c", (dimension, length))
    variable[:] = rows.view("S1").reshape(len(names), -1)
    variable._Encoding = "utf-8"
