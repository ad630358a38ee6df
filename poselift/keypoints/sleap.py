"""SLEAP's analysis file: HDF5 of "Export Analysis HDF5" and of sleap-io.

Datasets: `tracks`, pixels, (tracks, 2, nodes, frames), NaN where nothing was found; `node_names`; `track_names`;
`point_scores`, (tracks, nodes, frames). Newer files may have other orders of the axes, named by the attribute `dims`.

Source: https://io.sleap.ai, Analysis HDF5 format
"""

import numpy as np

from poselift.data.hdf5_file import Array, member_names, read_arrays
from poselift.keypoints.content import KeypointFile
from poselift.keypoints.input_file import KeypointInput
from poselift.keypoints.tracked_array import read_tracks

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
    points = _order_axes(file, "tracks", arrays["tracks"], ("frame", "track", "node", "xy"))
    if points.shape[2:] != (len(nodes), 2):
        raise file.fail(f"'tracks' has the shape {points.shape[2:]} a person, expected ({len(nodes)}, 2)")
    scores = np.full(points.shape[:3], np.nan)
    if "point_scores" in arrays:
        scores = _order_axes(file, "point_scores", arrays["point_scores"], ("frame", "track", "node"))
    if scores.shape != points.shape[:3]:
        raise file.fail(f"'point_scores' has the shape {scores.shape}, expected {points.shape[:3]}")
    names = [str(name) for name in arrays["track_names"][1].ravel()] if "track_names" in arrays else []
    if len(names) != points.shape[1]:
        names = [str(number) for number in range(1, points.shape[1] + 1)]
    return read_tracks(file, "sleap", points, scores, nodes, names)


def _order_axes(file: KeypointInput, name: str, array: Array, wanted: tuple[str, ...]) -> np.ndarray:
    """The array with the wanted order of axes."""
    axes, values = array
    if not any(axes):
        axes = tuple(axis for axis in _TRACKS if axis in wanted)
    found = [next((at for at, axis in enumerate(axes) if axis.startswith(kind)), None) for kind in wanted]
    order = [at for at in found if at is not None]
    if values.dtype.kind != "f" or values.ndim != len(wanted) or len(order) < len(wanted):
        raise file.fail(f"{name!r} has the axes {', '.join(axes)}, expected {', '.join(wanted)}; export it again")
    return values.transpose(order).astype(float)
