"""Reading of npz and npy files without unpickling. What a file declares is checked before anything is allocated."""

import io
import math
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

import numpy as np

from poselift.core.errors import InputError, reason
from poselift.core.safe_parsing import check_file, limit_unpacked

KINDS = "biufcSU"
"""Kinds of dtype that are read: numbers and text."""
_PART = 1 << 20
"""Bytes that are read at once."""
_HIGHEST = 0x10FFFF
_SURROGATES = 0xD800, 0xDFFF
"""The highest code of a character in Unicode, and the codes between which there is none."""


def npz_names(path: str | os.PathLike[str]) -> list[str]:
    """The names of the arrays in an npz.

    Raises:
        InputError: the file is missing or no npz.
    """
    with _open(path, "") as (_, members):
        return list(members)


def npz_arrays(
    path: str | os.PathLike[str], names: Collection[str] | None = None, help_text: str = ""
) -> dict[str, np.ndarray]:
    """Arrays of an npz without pickled objects, by name.

    Args:
        path: the file.
        names: those to read, as far as the file has them; all if None.
        help_text: what to do, for the error.

    Raises:
        InputError: the file is missing or damaged, an array declares more than the file holds, or has objects.
    """
    with _open(path, help_text) as (archive, members):
        arrays = {}
        for name, info in members.items():
            if names is None or name in names:
                with archive.open(info) as member:
                    arrays[name] = read_array(member, info.file_size)
        return arrays


def npz_member(path: str | os.PathLike[str], name: str) -> io.BytesIO:
    """The bytes of one npy in an npz; it may hold pickles.

    Raises:
        InputError: the file is missing or damaged, or has no such array.
    """
    with _open(path, "") as (archive, members):
        if name not in members:
            raise InputError(f"{path} has no array {name!r}; it has {', '.join(members)}")
        return io.BytesIO(archive.read(members[name]))


def npy_array(path: str | os.PathLike[str]) -> np.ndarray:
    """The array of an npy file without pickled objects.

    Raises:
        InputError: the file is missing or damaged, declares more than it holds, or has objects.
    """
    path = check_file(path)
    try:
        with path.open("rb") as file:
            return read_array(file, path.stat().st_size)
    except Exception as error:  # a damaged file can raise any exception
        raise InputError(f"{path} cannot be read as an npy without pickled objects ({reason(error)})") from error


def read_array(file: IO[bytes] | io.BufferedIOBase, size: int) -> np.ndarray:
    """The array of an npy.

    Args:
        file: at its beginning.
        size: of the npy, bytes.

    Raises:
        ValueError: it declares another size than it has, or other content than numbers and text. A damaged one can
            raise any other exception.
    """
    shape, fortran, dtype = read_header(file)
    if dtype.hasobject:
        raise ValueError("it contains objects")
    if dtype.kind not in KINDS or not dtype.itemsize:
        raise ValueError(f"it contains {dtype}, which is neither numbers nor text")
    count = math.prod(shape)
    held = size - file.tell()
    if count * dtype.itemsize != held or (not count and max(shape) > held + _PART):
        raise ValueError(f"it declares the shape {shape} of {dtype}, but holds {held} bytes")
    flat = np.empty(count, dtype)
    raw, filled = flat.view(np.uint8), 0
    while filled < held:
        part = file.read(min(_PART, held - filled))
        if not part:
            raise ValueError(f"it ends after {filled} of {held} bytes")
        raw[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
        filled += len(part)
    check_text(flat)
    return flat.reshape(shape, order="F" if fortran else "C")


def read_header(file: IO[bytes] | io.BufferedIOBase) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, memory order and dtype of an npy, from its header.

    The order is true where the first axis is the fastest.

    Raises:
        ValueError: it is no npy, or of an unknown version.
    """
    version = np.lib.format.read_magic(file)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"its version {version} is unknown")
    shape, fortran, dtype = readers[version](file)
    if any(isinstance(axis, bool) or axis < 0 for axis in shape):
        raise ValueError(f"it declares the shape {shape}")
    return shape, fortran, dtype


@contextmanager
def _open(path: str | os.PathLike[str], help_text: str) -> Iterator[tuple[ZipFile, dict[str, ZipInfo]]]:
    """The archive and its arrays, after a check of their declared sizes. All errors become an InputError."""
    path = check_file(path, help_text)
    try:
        with ZipFile(path) as archive:
            unpacked, most = sum(info.file_size for info in archive.infolist()), limit_unpacked(path.stat().st_size)
            if unpacked > most:
                raise ValueError(f"it declares {unpacked} bytes, more than the {most} that are read")
            yield archive, {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    except InputError:
        raise
    except Exception as error:  # a damaged file can raise any exception
        why = "it is another kind of file" if "not a zip file" in str(error) else reason(error)
        raise InputError(
            f"{path} cannot be read as an npz without pickled objects ({why}){help_text and f'; {help_text}'}"
        ) from error


def check_text(array: np.ndarray) -> None:
    """Raises a ValueError if text has invalid characters. Python fails on them much later."""
    if array.dtype.kind != "U" or not array.nbytes:
        return
    codes = np.ascontiguousarray(array).reshape(-1).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    if codes.max() > _HIGHEST or ((codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1])).any():
        raise ValueError("its text has characters that do not exist")
