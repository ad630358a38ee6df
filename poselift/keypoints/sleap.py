"""SLEAP's analysis file: HDF5 of "Export Analysis HDF5" and of sleap-io.

Datasets: `tracks`, pixels, (tracks, 2, nodes, frames), NaN where nothing was found; `node_names`; `track_names`;
`point_scores`, (tracks, nodes, frames). Newer files may have other orders of the axes, named by the attribute `dims`.

Source: https://io.sleap.ai, Analysis HDF5 format
"""

import numpy as np

from poselift.data.hdf5_file import Array, member_names, read_arrays
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.input_file import KeypointInput
from poselift.keypoints.tracked_array import order_axes, read_tracks

WHAT = "SLEAP's analysis HDF5"

_TRACKS = ("track", "xy", "node", "frame")
"""Axes of `tracks` where the file does not name them; `point_scores` has them without xy."""


def recognises(file: KeypointInput) -> bool:
    """Whether it is such a file."""
    return {"tracks", "node_names"} <= member_names(file.path)


def read(file: KeypointInput) -> KeypointFile:
    """The keypoints of the file.

    Raises:
        InputError: the file is damaged, h5py is missing, or its nodes are not a person's joints.
    """
    arrays, _ = read_arrays(file.path, ("tracks", "node_names", "track_names", "point_scores"))
    if not {"tracks", "node_names"} <= arrays.keys():
        raise file.fail("'tracks' or 'node_names' is no array; export the analysis again")
    nodes = [str(name) for name in arrays["node_names"][1].ravel()]
    points = _read_array(file, "tracks", arrays, ("frame", "track", "node", "xy"))
    scores = _read_array(file, "point_scores", arrays, ("frame", "track", "node")) if "point_scores" in arrays else None
    names = [str(name) for name in arrays["track_names"][1].ravel()] if "track_names" in arrays else []
    if len(names) != points.shape[1]:
        names = [str(number) for number in range(1, points.shape[1] + 1)]
    return read_tracks(file, "sleap", points, scores, nodes, names)


def _read_array(file: KeypointInput, name: str, arrays: dict[str, Array], wanted: tuple[str, ...]) -> np.ndarray:
    """An array with the wanted order of axes."""
    axes, values = arrays[name]
    if not any(axes):
        axes = tuple(axis for axis in _TRACKS if axis in wanted)
    return order_axes(file, name, (axes, values), wanted)
