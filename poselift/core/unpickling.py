"""A safe reader of pickles in the field's data files.

A pickle is a program: it can name any function and call it. This reader admits numpy arrays, numpy scalars and plain
containers only. It builds them with its own functions, because a crafted pickle can make numpy's functions read foreign
memory (a pickled dtype can lie about holding pointers).
"""

import math
import pickle
import struct
from collections import OrderedDict
from io import BufferedIOBase
from typing import Any, ClassVar, Literal

import numpy as np

from poselift.core.npz import check_text
from poselift.core.safe_parsing import check_unfolded

_KINDS = frozenset("biufcSUO")
"""Admitted kinds of dtype: numbers, text, objects; structures are refused, because they can hide pointers."""
_SPARE = 1_000_000
"""Elements that a small pickle may have."""


# Python's own unpickler, not the one in C, which allocates as much memory as a memo's number says.
class RestrictedUnpickler(pickle._Unpickler):
    """Reads numpy arrays, scalars and dtypes, and plain containers.

    It reads the formats of numpy 1 and 2 and of Python 2 and 3. Arrays are `numpy.ndarray` or a subclass.

    Args:
        file: binary file to read.
        encoding: encoding of the 8-bit strings that Python 2 wrote: "ASCII" or "latin1".

    Raises:
        pickle.UnpicklingError: on `load`, for any other content; the message names it. A damaged pickle can raise
            any other exception.
    """

    def __init__(self, file: BufferedIOBase, encoding: str = "ASCII") -> None:
        super().__init__(file, encoding=encoding)
        self._file = file
        self._admitted = numpy_constructors() | _PLAIN

    def load(self) -> Any:
        """The content."""
        start = self._file.tell()
        value = super().load()
        try:
            check_unfolded(value, _SPARE + self._file.tell() - start)
        except ValueError as error:
            raise pickle.UnpicklingError(str(error)) from error
        return value

    def _load_bytearray(self) -> None:
        """Pushes a bytearray; its size is checked before it is allocated."""
        reader: Any = self
        (size,) = struct.unpack("<Q", reader.read(8))
        reader.append(bytearray(reader.read(size)))

    dispatch: ClassVar[dict[int, Any]] = {**pickle._Unpickler.dispatch, pickle.BYTEARRAY8[0]: _load_bytearray}

    def find_class(self, module: str, name: str) -> Any:
        """The admitted object behind a name in the pickle."""
        try:
            return self._admitted[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, which may run code") from None


class _Dtype:
    """A pickled dtype: its code, and the byte order that `__setstate__` sets."""

    def __init__(self, code: str, *_: object) -> None:
        self._code = code
        self._order: Literal["<", ">", "="] = "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._order = state[1] if state[1] in ("<", ">") else "="

    def made(self) -> np.dtype:
        """The numpy dtype."""
        dtype = np.dtype(self._code)
        if dtype.kind not in _KINDS:
            raise pickle.UnpicklingError(f"it holds an array of dtype {dtype}")
        return dtype.newbyteorder(self._order)


class _Array(np.ndarray):
    """An array, made empty, that checks its pickled state. numpy does not check it."""

    def __new__(cls, *_: object) -> "_Array":
        return np.zeros(0).view(cls)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        version, shape, pickled_dtype, fortran, data = state
        dtype = pickled_dtype.made()
        # It raises a ValueError for too many axes, over which numpy's own __setstate__ reads past a buffer.
        np.broadcast_to(0, shape)
        count = math.prod(shape)
        if isinstance(data, list) and len(data) != count:  # numpy would read past the list's end
            raise pickle.UnpicklingError(f"it holds {len(data)} objects for an array of shape {shape}")
        if max(shape, default=0) > _SPARE and not (count and dtype.itemsize):
            raise pickle.UnpicklingError(f"it holds an array of shape {shape} without data")
        super().__setstate__((version, shape, dtype, fortran, data))
        check_text(self)


def _array_from_buffer(buffer: object, dtype: _Dtype, shape: tuple[int, ...], order: str, *_: object) -> np.ndarray:
    if not isinstance(buffer, bytes | bytearray):  # a number would be a size to allocate
        raise pickle.UnpicklingError("it holds an array without data")
    flat = np.frombuffer(bytearray(buffer), dtype.made())
    check_text(flat)
    return flat.reshape(shape, order="F" if order == "F" else "C")


def _make_scalar(dtype: _Dtype, data: bytes | str) -> Any:
    # With encoding latin1, bytes of Python 2 arrive as text.
    flat = np.frombuffer(data.encode("latin1") if isinstance(data, str) else data, dtype.made())
    check_text(flat)
    return flat[0]


def _encode(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it holds bytes encoded as {encoding!r}")
    return text.encode("latin1")


def _no_bytes() -> bytes:
    return b""


def numpy_constructors() -> dict[tuple[str, str], Any]:
    """Replacements for numpy's functions, by module and name in pickles.

    Numpy's own take a pickle at its word: of shapes, of the objects in an array, and of what a dtype holds.
    """
    found: dict[tuple[str, str], Any] = {("numpy", "dtype"): _Dtype, ("numpy", "ndarray"): _Array}
    for core in ("numpy.core", "numpy._core"):
        found[f"{core}.multiarray", "_reconstruct"] = _Array
        found[f"{core}.multiarray", "scalar"] = _make_scalar
        found[f"{core}.numeric", "_frombuffer"] = _array_from_buffer
    return found


_PLAIN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("_codecs", "encode"): _encode,
    **{(module, "bytes"): _no_bytes for module in ("builtins", "__builtin__")},
    **{(m, kind.__name__): kind for m in ("builtins", "__builtin__") for kind in (set, frozenset, complex)},
}
