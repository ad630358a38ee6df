"""Plain arrays of an HDF5 file, read without trust in what it declares."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.bounded import room
from poselift.core.errors import InputError, reason
from poselift.core.optional import require
from poselift.data.hdf5 import SIGNATURE, check_heaps, dataset_array

Array = tuple[tuple[str, ...], np.ndarray]
"""Names of the dimensions, empty text where one has none, and the values."""


def is_hdf5(path: Path) -> bool:
    """Whether the file is HDF5."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def member_names(path: Path) -> set[str]:
    """Names at the top level of the file; empty if it is no HDF5, is damaged, or h5py is missing."""
    if not is_hdf5(path):
        return set()
    try:
        h5py = require("h5py", "datasets")
        check_heaps(path)
        with h5py.File(path) as file:
            return set(file)
    except Exception:  # damaged files raise various exceptions; the reader that takes the file tells them
        return set()


def read_arrays(path: Path, names: Sequence[str]) -> tuple[dict[str, Array], dict[str, Any]]:
    """Some arrays at the top level of the file, as far as it has them, and its attributes.

    Text is returned as str.

    Raises:
        InputError: h5py is not installed, or the file is damaged.
    """
    h5py = require("h5py", "datasets")
    try:
        most = room(path.stat().st_size)
        check_heaps(path)
        with h5py.File(path) as file:
            arrays = {
                name: (_dimensions(file[name]), _text(dataset_array(file[name], most)))
                for name in names
                if name in file and isinstance(file[name], h5py.Dataset)
            }
            return arrays, {key: _plain(file.attrs[key]) for key in file.attrs}
    except Exception as error:  # damaged files raise various exceptions
        raise InputError(f"{path}: cannot be read as HDF5 ({reason(error)}); export it again") from error


def _dimensions(dataset: Any) -> tuple[str, ...]:
    """Names of the dimensions: those of their scales, as netCDF has them, or in the attribute "dims" of SLEAP."""
    if "dims" in dataset.attrs:
        return tuple(map(str, json.loads(dataset.attrs["dims"])))
    return tuple(scale[0].name.rpartition("/")[2] if len(scale) else "" for scale in dataset.dims)


def _text(values: np.ndarray) -> np.ndarray:
    """The values, with bytes as text."""
    if values.dtype.kind not in "SO":
        return values
    return np.array([_plain(value) for value in values.ravel()], object).reshape(values.shape)


def _plain(value: Any) -> Any:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
