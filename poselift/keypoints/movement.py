"""movement's poses in netCDF: `ds.to_netcdf("poses.nc")`, in netCDF 4 (HDF5) or netCDF 3.

Variables: `position` (time, space, keypoints, individuals), pixels; `confidence` (time, keypoints, individuals).
Coordinates name the space, keypoints and individuals; `time` is in seconds if the attribute `time_unit` says so, else
it counts frames.

Source: https://movement.neuroinformatics.dev, "The movement datasets"
"""

from typing import Any

import numpy as np

from poselift.core.errors import InputError, reason
from poselift.core.optional import require
from poselift.data.hdf5_file import Array, member_names, read_arrays
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.input_file import KeypointInput
from poselift.keypoints.tracked_array import order_axes, read_tracks

WHAT = "movement's netCDF"

_CLASSIC = b"CDF"
"""The first bytes of netCDF 3."""
_NAMES = ("position", "confidence", "time", "space", "keypoints", "individuals")
_AXES = ("time", "individuals", "keypoints", "space")


def recognises(file: KeypointInput) -> bool:
    """Whether it is netCDF 3, or HDF5 with movement's variables."""
    return file.beginning.startswith(_CLASSIC) or {"position", "keypoints"} <= member_names(file.path)


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file.

    Raises:
        InputError: the file is damaged, is no dataset of poses, or is 3D; or h5py is missing for
            netCDF 4 or SciPy for netCDF 3.
    """
    arrays, about = _read_classic(file) if file.beginning.startswith(_CLASSIC) else read_arrays(file.path, _NAMES)
    if not {"position", "keypoints", "space"} <= arrays.keys():
        raise file.fail("it has no 'position' with 'keypoints' and 'space'; give movement's dataset of poses")
    space = [str(axis) for axis in arrays["space"][1].ravel()]
    if space != ["x", "y"]:
        raise file.fail(f"its positions have the axes {', '.join(space)}, so they are not 2D; give keypoints in pixels")
    points = _read_array(file, "position", arrays, _AXES)
    scores = _read_array(file, "confidence", arrays, _AXES[:3]) if "confidence" in arrays else None
    joints = [str(joint) for joint in arrays["keypoints"][1].ravel()]
    people = [str(name) for name in arrays["individuals"][1].ravel()] if "individuals" in arrays else ["1"]
    times = arrays["time"][1] if "time" in arrays and str(about.get("time_unit", "")).startswith("s") else None
    numbers = times is None or times.dtype.kind in "fiu"
    if times is not None and not (numbers and times.shape == points.shape[:1] and (np.diff(times) > 0).all()):
        raise file.fail("'time' does not increase from frame to frame; save the dataset again")
    return read_tracks(file, "movement", points, scores, joints, people, times=times)


def _read_classic(file: KeypointInput) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays and attributes of netCDF 3. Its text is an array of letters."""
    require("scipy", "netcdf")
    from scipy.io import netcdf_file

    try:
        with netcdf_file(str(file.path), "r", mmap=False) as content:
            arrays = {}
            for name in _NAMES:
                if name in content.variables:
                    variable = content.variables[name]
                    values = np.array(variable[:])
                    if values.dtype.kind == "S":
                        rows = values.reshape(-1, values.shape[-1])
                        text = [b"".join(row.tolist()).decode("utf-8", errors="replace") for row in rows]
                        values = np.array([word.rstrip("\0 ") for word in text], object)
                    arrays[name] = variable.dimensions, values
            about = {
                key: value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
                for key, value in content._attributes.items()
            }
    except Exception as error:  # damaged files raise various exceptions
        raise InputError(f"{file.path}: cannot be read as netCDF ({reason(error)}); save it again") from error
    return arrays, about


def _read_array(file: KeypointInput, name: str, arrays: dict[str, Array], wanted: tuple[str, ...]) -> np.ndarray:
    """An array with its axes in order. An axis of one individual may be missing."""
    axes, values = arrays[name]
    if "individuals" not in axes and values.ndim == len(wanted) - 1:
        axes, values = (*axes, "individuals"), values[..., None]
    return order_axes(file, name, (axes, values), wanted)
