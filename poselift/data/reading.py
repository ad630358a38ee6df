"""Reads the file formats of datasets.

Errors name the file, the key and what was expected.
"""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError, reason, shorten
from poselift.core.isolated_reader import read_isolated
from poselift.core.npz import npz_arrays, npz_member, read_array, read_header
from poselift.core.optional import require
from poselift.core.safe_parsing import check_file, limit_unpacked
from poselift.core.unpickling import RestrictedUnpickler
from poselift.data.hdf5_file import hdf5_arrays
from poselift.data.scientific_files import mat5_arrays

Shape = tuple[int | None, ...]
"""A shape that a format requires; None for an axis of any length."""


@dataclass(frozen=True)
class Layout:
    """The expected files of a dataset and the page that offers them.

    Attributes:
        name: name of the dataset.
        tree: the expected files, one per line, as in their folder.
        url: the page that offers the data.
        note: further help, e.g. the command that prepares the files.
    """

    name: str
    tree: str
    url: str
    note: str = ""

    def missing(self, path: str | Path) -> InputError:
        """The error for a missing file.

        It has the path, the expected tree and the page.
        """
        tree = "\n".join(f"  {line}" for line in self.tree.strip("\n").splitlines())
        note = f"\n{self.note}" if self.note else ""
        return InputError(
            f"no such file: {path}\n{self.name} is expected as\n{tree}\nThe data is available at {self.url}{note}"
        )

    def require_file(self, path: str | Path) -> Path:
        """The path of an existing file.

        Raises:
            InputError: the file is missing; see `missing`.
        """
        path = Path(path)
        try:
            found = path.is_file()
        except OSError:  # a name that is too long
            found = False
        if not found:
            raise self.missing(path)
        return path

    def require_files(self, folder: Path, pattern: str) -> list[Path]:
        """The files of a folder that match a pattern, sorted.

        Raises:
            InputError: there are none; see `missing`.
        """
        files = sorted(folder.glob(pattern))
        if not files:
            raise self.missing(folder / pattern)
        return files


def entry(where: str | Path, data: Any, key: str) -> Any:
    """The value of a key in a dict that a file holds.

    Args:
        where: the file, and the place in it, for the error.
        data: expected to be a dict.
        key: the key.

    Raises:
        InputError: `data` is no dict, or lacks the key; the message lists its keys.
    """
    if not isinstance(data, dict):
        raise InputError(f"{where} holds a {type(data).__name__}, expected a dict with {key!r}")
    if key not in data:
        raise InputError(f"{where} has no {key!r}; it has {shorten(', '.join(map(str, data)))}")
    return data[key]


def check_shape(path: str | Path, key: str, array: object, shape: Shape) -> np.ndarray:
    """The array, after a check of its type and shape.

    Raises:
        InputError: it is no array or has another shape; the message has the file, the key and both shapes.
    """
    wanted = f"({', '.join('any' if size is None else str(size) for size in shape)})"
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path}: {key!r} is a {type(array).__name__}, expected an array of shape {wanted}")
    found = array.shape
    if len(found) != len(shape) or any(want not in (None, got) for want, got in zip(shape, found, strict=True)):
        raise InputError(f"{path}: {key!r} has shape {found}, expected {wanted}")
    return np.asarray(array)


def numbers(where: str | Path, key: str, values: Any, shape: Shape) -> Float[np.ndarray, "..."]:
    """An array or nested list as float64.

    Its shape is checked; None in a list becomes NaN.

    Raises:
        InputError: it has another shape, or holds anything but real numbers.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"values of type {array.dtype}")
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{where}: {key!r} is not an array of numbers ({reason(error)})") from error
    return check_shape(where, key, array, shape)


def put_frames_first(path: Path, key: str, array: np.ndarray, joints: int, channels: int) -> Float[np.ndarray, "t j c"]:
    """MATLAB's (channels, joints, frames) as (frames, joints, channels), float64.

    MATLAB drops the axis of the frames where there is one frame; some files have an axis of one person before it.

    Raises:
        InputError: the array has another shape, or holds no numbers.
    """
    if array.ndim == 2:
        array = array[..., None]
    elif array.ndim == 4 and array.shape[2] == 1:
        array = array[:, :, 0]
    return numbers(path, key, array, (channels, joints, None)).transpose(2, 1, 0)


def load_arrays(path: str | Path, shapes: Mapping[str, Shape], help_text: str) -> dict[str, np.ndarray]:
    """The arrays of an npz, by key, with checked shapes.

    Args:
        path: the file.
        shapes: expected shapes, by key.
        help_text: what the file is and where to get it, for the errors.

    Raises:
        InputError: the file is missing or no npz, or a key is missing or has another shape.
    """
    arrays = npz_arrays(path, shapes, help_text)
    for key, shape in shapes.items():
        if key not in arrays:
            raise InputError(f"{path} has no array {key!r}; {help_text}")
        check_shape(path, key, arrays[key], shape)
    return arrays


def load_pickle(path: str | Path, *, encoding: str = "ASCII") -> Any:
    """A pickle's numpy arrays and plain containers.

    It runs no code.

    Args:
        path: the file.
        encoding: encoding of the 8-bit strings that Python 2 wrote, e.g. "latin1".

    Raises:
        InputError: it is missing, no pickle, or contains anything else; the message names it.
    """
    with check_file(path).open("rb") as file:
        return _unpickle(file, str(path), encoding)


def load_object_npz(path: str | Path, key: str) -> Any:
    """One entry of an npz with pickled objects; it runs no code.

    Many npz files of the field contain pickled dicts.

    Args:
        path: the file.
        key: key of the entry.

    Returns:
        The array, or the object inside a zero-dimensional array.

    Raises:
        InputError: the file is missing or no npz, the key is missing, or the objects are more than numpy arrays and
            plain containers; the message names the refused one.
    """
    array = _read_npy(npz_member(path, key), f"{path}: {key!r}")
    return array.item() if isinstance(array, np.ndarray) and array.ndim == 0 else array


def load_mat(path: str | Path, keys: Mapping[str, Shape | None]) -> dict[str, np.ndarray]:
    """The arrays of a MATLAB file.

    The file may be of version 5 or 7.3 (HDF5).

    Args:
        path: the file.
        keys: expected shape of each variable, in MATLAB's order of axes; None for any shape.

    Returns:
        The arrays, with axes in MATLAB's order in both versions; a cell array (version 5) is an array of objects.

    Raises:
        InputError: the file is missing or no MATLAB file, a variable is missing or has another shape, or h5py, which
            version 7.3 needs, is not installed.
    """
    path = check_file(path)
    with path.open("rb") as file:
        # The first line of text has the version; HDF5 keeps it as a separate block before its data.
        is_hdf5 = file.read(128).startswith((b"MATLAB 7.3", b"\x89HDF"))
    require("h5py" if is_hdf5 else "scipy", "datasets")
    try:
        read = hdf5_arrays if is_hdf5 else mat5_arrays
        arrays = read_isolated(read, path, limit_unpacked(path.stat().st_size), list(keys))
        if is_hdf5:
            arrays = {key: array.T for key, (_, array) in arrays[0].items()}
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{path} cannot be read as a MATLAB file ({reason(error)})") from error
    for key, shape in keys.items():
        if key not in arrays:
            raise InputError(f"{path} has no variable {key!r}")
        if shape is not None:
            check_shape(path, key, arrays[key], shape)
    return {key: arrays[key] for key in keys}


def _read_npy(file: BytesIO, what: str) -> Any:
    """One array of an npz; the restricted unpickler reads objects."""
    try:
        if not read_header(file)[2].hasobject:
            file.seek(0)
            return read_array(file, len(file.getbuffer()))
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{what} cannot be read as an array ({reason(error)})") from error
    return _unpickle(file, what, "latin1")


def _unpickle(file: BufferedIOBase, what: str, encoding: str) -> Any:
    try:
        return RestrictedUnpickler(file, encoding).load()
    except pickle.UnpicklingError as error:
        raise InputError(
            f"{what} is refused: {reason(error)}; a pickle may contain numpy arrays and plain containers only"
        ) from error
    except Exception as error:  # a damaged pickle can raise any exception
        other = isinstance(error, KeyError | IndexError)
        why = "it is damaged, or another kind of file" if other else f"{type(error).__name__}: {reason(error)}"
        raise InputError(f"{what} cannot be read as a pickle ({why})") from error
