"""Arrays of HDF5 files, whose declared sizes are checked before anything is allocated."""

from typing import Any

import numpy as np


def dataset_array(dataset: Any, most: int) -> np.ndarray:
    """The array of a dataset.

    Args:
        dataset: an `h5py.Dataset`.
        most: largest accepted size, bytes (`poselift.core.bounded.room`).

    Raises:
        ValueError: it declares more, or its values lie in other files.
    """
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"the values of {dataset.name} lie in other files")
    if dataset.size is None or dataset.dtype.itemsize * dataset.size > most:
        raise ValueError(f"{dataset.name} declares the shape {dataset.shape}, more than the {most} bytes that are read")
    return np.asarray(dataset[()])
