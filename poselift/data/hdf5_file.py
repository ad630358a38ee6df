"""Plain arrays of an HDF5 file, with dimension names.

Another process reads them.

Damaged files crash the HDF5 library, or keep it for ever.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poselift.core.errors import InputError, reason
from poselift.core.isolated_reader import read_isolated
from poselift.core.optional import require
from poselift.core.safe_parsing import limit_unpacked
from poselift.data.scientific_files import dataset_array, open_hdf5

Array = tuple[tuple[str, ...], np.ndarray]
"""Names of the dimensions, empty text where one has none, and the values."""

_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def is_hdf5(path: Path) -> bool:
    """Whether the file is HDF5."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_SIGNATURE)) == _SIGNATURE


def member_names(path: Path) -> set[str]:
    """Names at the top level of the file.

    Empty if it is no HDF5, is damaged, or h5py is missing.
    """
    if not is_hdf5(path):
        return set()
    try:
        require("h5py", "datasets")
        return set(read_isolated(_read_names, path, limit_unpacked(path.stat().st_size)))
    except ValueError:  # the reader that takes the file tells it
        return set()


def read_arrays(path: Path, names: Sequence[str]) -> tuple[dict[str, Array], dict[str, Any]]:
    """Some arrays of the file, and its attributes.

    Arrays at the top level, as far as it has them, and attributes that are text.

    Text is returned as str.

    Raises:
        InputError: h5py is not installed, or the file is damaged.
    """
    require("h5py", "datasets")
    try:
        arrays, about = read_isolated(hdf5_arrays, path, limit_unpacked(path.stat().st_size), list(names))
    except ValueError as error:
        raise InputError(f"{path}: cannot be read as HDF5 ({reason(error)}); export it again") from error
    return {name: (tuple(dimensions), values) for name, (dimensions, values) in arrays.items()}, about


def _read_names(path: str, most: int) -> list[str]:
    """Names at the top level."""
    import h5py

    with h5py.File(path) as file:
        return list(file)


def hdf5_arrays(path: str, most: int, names: list[str]) -> tuple[dict[str, Array], dict[str, str]]:
    """What `read_arrays` gives, unprotected.

    Call it by `read_isolated` only, because a damaged file can raise any exception.
    """
    import h5py

    with open_hdf5(path) as file:
        found = {name: file[name] for name in names if isinstance(file.get(name), h5py.Dataset)}
        arrays = {
            name: (_dimensions(dataset), _as_text(dataset_array(dataset, most))) for name, dataset in found.items()
        }
        about = {key: _plain(file.attrs[key]) for key in file.attrs}
    return arrays, {key: value for key, value in about.items() if isinstance(value, str)}


def _dimensions(dataset: Any) -> tuple[str, ...]:
    """Names of the dimensions.

    Those of their scales, as netCDF has them, or in the attribute "dims" of SLEAP.
    """
    if "dims" in dataset.attrs:
        return tuple(map(str, json.loads(dataset.attrs["dims"])))
    return tuple(scale[0].name.rpartition("/")[2] if len(scale) else "" for scale in dataset.dims)


def _as_text(values: np.ndarray) -> np.ndarray:
    """The values, with bytes as text."""
    if values.dtype.kind not in "SO":
        return values
    return np.array([_plain(value) for value in values.ravel()], object).reshape(values.shape)


def _plain(value: Any) -> Any:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
