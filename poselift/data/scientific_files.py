"""MATLAB, HDF5 and CDF files, as their libraries read them.

Call these functions through `read_isolated` only.

Damaged files crash SciPy's reader of MATLAB files and the HDF5 library, and keep that and cdflib for ever.
"""

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np


def mat5_arrays(path: str, most: int, names: list[str]) -> dict[str, np.ndarray]:
    """Some variables of a MATLAB file of version 5.

    As far as it has them; cell arrays are arrays of objects.

    Raises:
        ValueError: they declare more than `most` bytes. A damaged file can raise any other exception.
    """
    from scipy.io import loadmat, whosmat

    for name, shape, kind in whosmat(path):
        if name in names:
            _check_size(name, shape, 1 if kind in ("int8", "uint8", "char", "logical") else 8, most)
    arrays: dict[str, np.ndarray] = loadmat(path, variable_names=names)
    return {name: arrays[name] for name in names if name in arrays}


@contextlib.contextmanager
def open_hdf5(path: str) -> Iterator[Any]:
    """The `h5py.File` of a path.

    Raises:
        ValueError: a link in it leads to another file, which HDF5 would open.
    """
    import h5py

    with h5py.File(path) as file:
        # An error inside of the walk would not get through the library.
        outside = file.visititems_links(lambda name, link: name if isinstance(link, h5py.ExternalLink) else None)
        if outside is not None:
            raise ValueError(f"the values of {outside} lie in other files")
        yield file


def dataset_array(dataset: Any, most: int) -> np.ndarray:
    """The array of an `h5py.Dataset`.

    Raises:
        ValueError: it declares more than `most` bytes, or its values lie in other files.
    """
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"the values of {dataset.name} lie in other files")
    if dataset.size is None:
        raise ValueError(f"{dataset.name} has no values")
    _check_size(dataset.name, dataset.shape, dataset.dtype.itemsize, most)
    return np.asarray(dataset[()])


def cdf_variable(path: str, most: int, name: str) -> np.ndarray:
    """A variable of a CDF file.

    Raises:
        ValueError: it declares more than `most` bytes. A damaged file can raise any other exception.
    """
    import cdflib

    file = cdflib.CDF(path)
    about = file.varinq(name)
    _check_size(name, [about.Last_Rec + 1, about.Num_Elements, *map(abs, about.Dim_Sizes)], 8, most)
    return np.asarray(file.varget(name))


def _check_size(name: str, shape: Any, size: int, most: int) -> None:
    """Refuses an array of so many elements of so many bytes."""
    if size * math.prod(map(int, shape)) > most:
        raise ValueError(f"{name} declares the shape {tuple(shape)}, more than the {most} bytes that are read")
