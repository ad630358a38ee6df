"""Reading the files that datasets come in, with errors that say which file, which key and what was expected."""

import json
import pickle
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from scipy.io import loadmat

from poselift.core.errors import InputError, why_unreadable
from poselift.core.optional import require
from poselift.data.unpickling import RestrictedUnpickler

Shape = tuple[int | None, ...]
"""The shape that a format says; None for an axis of any length."""


@dataclass(frozen=True)
class Source:
    """Where a dataset's files come from and how they are laid out.

    Attributes:
        name: of the dataset.
        tree: the files that are expected, one a line, as they lie in the folder.
        url: the page where the data is asked for.
        note: what else a reader should know, e.g. the command that prepares the files.
    """

    name: str
    tree: str
    url: str
    note: str = ""

    def missing(self, path: str | Path) -> InputError:
        """The error for a file that is not there: the path, the tree and the page."""
        tree = "\n".join(f"  {line}" for line in self.tree.strip("\n").splitlines())
        note = f"\n{self.note}" if self.note else ""
        return InputError(
            f"no such file: {path}\n{self.name} is expected as\n{tree}\nThe data is asked for at {self.url}{note}"
        )

    def require_file(self, path: str | Path) -> Path:
        """The path of a file that is there.

        Raises:
            InputError: it is not; see `missing`.
        """
        path = Path(path)
        if not path.is_file():
            raise self.missing(path)
        return path


def check_shape(path: str | Path, key: str, array: object, shape: Shape) -> np.ndarray:
    """Makes sure that what a file holds under a key is an array of the shape that the format says.

    Raises:
        InputError: it is something else; names the file, the key, and both shapes.
    """
    wanted = f"({', '.join('any' if size is None else str(size) for size in shape)})"
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path}: {key!r} is a {type(array).__name__}, expected an array of shape {wanted}")
    found = array.shape
    if len(found) != len(shape) or any(want not in (None, got) for want, got in zip(shape, found, strict=True)):
        raise InputError(f"{path}: {key!r} has shape {found}, expected {wanted}")
    return np.asarray(array)


def load_arrays(path: str | Path, shapes: Mapping[str, Shape], help_text: str) -> dict[str, np.ndarray]:
    """Reads arrays from an npz and checks that they are there and of the shape that the format says.

    Args:
        path: the file.
        shapes: of the arrays, by key.
        help_text: what the file is and where it comes from, for the errors.

    Raises:
        InputError: no such file, not an npz, a key is missing or has another shape.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}; {help_text}")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in shapes if key in file.files}
    except (BadZipFile, ValueError, OSError, EOFError) as error:
        raise InputError(
            f"{path} cannot be read as an npz without pickled objects ({why_unreadable(error)}); {help_text}"
        ) from error
    for key, shape in shapes.items():
        if key not in arrays:
            raise InputError(f"{path} has no array {key!r}; {help_text}")
        check_shape(path, key, arrays[key], shape)
    return arrays


def load_pickle(path: str | Path, *, encoding: str = "ASCII") -> Any:
    """Reads a pickle of numpy arrays and plain containers; nothing else is admitted, and nothing is run.

    Args:
        path: the file.
        encoding: of the 8-bit strings that Python 2 wrote, e.g. "latin1".

    Raises:
        InputError: no such file, not a pickle, or it holds anything else; the message names it.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    with path.open("rb") as file:
        return _unpickle(file, str(path), encoding)


def load_json(path: str | Path) -> Any:
    """Reads a JSON file.

    Raises:
        InputError: no such file, or it is not JSON.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise InputError(f"{path} cannot be read as JSON ({error})") from error


def load_object_npz(path: str | Path, key: str) -> Any:
    """Reads one entry of an npz that holds pickled objects, as the field's npz files do, without running them.

    Args:
        path: the file.
        key: of the entry.

    Returns:
        What the entry holds: an array, or for an array without axes the object in it.

    Raises:
        InputError: no such file, not an npz, no such key, or the objects are more than numpy arrays and plain
            containers; the message names what was refused.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    try:
        with ZipFile(path) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
            data = archive.read(f"{key}.npy") if key in names else None
    except (BadZipFile, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read as an npz ({error})") from error
    if data is None:
        raise InputError(f"{path} has no array {key!r}; it has {', '.join(names)}")
    array = _read_npy(BytesIO(data), f"{path}: {key!r}")
    return array.item() if isinstance(array, np.ndarray) and array.ndim == 0 else array


def load_mat(path: str | Path, keys: Mapping[str, Shape | None]) -> dict[str, np.ndarray]:
    """Reads arrays from a MATLAB file, of version 5 or of version 7.3 (HDF5).

    Args:
        path: the file.
        keys: for each variable the shape that the format says, in MATLAB's order of axes; None to leave it
            unchecked.

    Returns:
        The arrays, axes in MATLAB's order whichever the version; a cell array (version 5) is an array of objects.

    Raises:
        InputError: no such file, not a MATLAB file, a variable is missing or has another shape; or h5py, which
            reads version 7.3, is not installed.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    with path.open("rb") as file:
        # The version stands in the first line of text, which HDF5 keeps as a block of its own before its data.
        is_hdf5 = file.read(128).startswith((b"MATLAB 7.3", b"\x89HDF"))
    h5py = require("h5py", "datasets") if is_hdf5 else None
    try:
        if h5py is None:
            arrays = loadmat(path, variable_names=list(keys))
        else:
            with h5py.File(path) as file:
                datasets = {key: file[key] for key in keys if isinstance(file.get(key), h5py.Dataset)}
                arrays = {key: np.asarray(dataset).T for key, dataset in datasets.items()}
    except Exception as error:  # a damaged file can raise anything
        raise InputError(f"{path} cannot be read as a MATLAB file ({error})") from error
    for key, shape in keys.items():
        if key not in arrays:
            raise InputError(f"{path} has no variable {key!r}")
        if shape is not None:
            check_shape(path, key, arrays[key], shape)
    return {key: arrays[key] for key in keys}


def _read_npy(file: BytesIO, what: str) -> Any:
    """One array of an npz; objects through the restricted unpickler."""
    try:
        version = np.lib.format.read_magic(file)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        if not read_header(file)[2].hasobject:
            file.seek(0)
            return np.load(file, allow_pickle=False)
    except ValueError as error:
        raise InputError(f"{what} cannot be read as an array ({error})") from error
    return _unpickle(file, what, "latin1")


def _unpickle(file: BufferedIOBase, what: str, encoding: str) -> Any:
    try:
        return RestrictedUnpickler(file, encoding).load()
    except pickle.UnpicklingError as error:
        raise InputError(
            f"{what} is refused: {error}; only numpy arrays and plain containers are read from a pickle"
        ) from error
    except Exception as error:  # a damaged pickle can raise anything
        raise InputError(f"{what} cannot be read as a pickle ({type(error).__name__}: {error})") from error
