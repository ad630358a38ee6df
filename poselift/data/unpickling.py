"""Pickles of the field's data files, read without running what is in them.

A pickle is a program: it may name any function and call it. Here it gets numpy arrays, numpy scalars and plain
containers, and these through functions of our own, as numpy's can be made to read memory that is not theirs (a
pickled dtype may lie about holding pointers).
"""

import math
import pickle
from collections import OrderedDict
from io import BufferedIOBase
from typing import Any, Literal

import numpy as np

_KINDS = frozenset("biufcSUO")
"""Kinds of dtype that are admitted: numbers, text, objects; no structures, which can hide pointers."""


class RestrictedUnpickler(pickle.Unpickler):
    """Admits numpy arrays, scalars and dtypes, and plain containers, as numpy 1 and 2 and Python 2 and 3 write them.

    Arrays come back as a subclass of `numpy.ndarray` or as `numpy.ndarray` itself.

    Args:
        file: of bytes, to read from.
        encoding: of the 8-bit strings that Python 2 wrote: "ASCII" or "latin1".

    Raises:
        pickle.UnpicklingError: on `load`, for anything else; the message names it. A damaged pickle can raise
            any other exception too.
    """

    def __init__(self, file: BufferedIOBase, encoding: str = "ASCII") -> None:
        super().__init__(file, encoding=encoding)
        self._admitted: dict[tuple[str, str], Any] = {
            ("numpy", "dtype"): self._dtype,
            # Stands as an argument only, and must not be something that can be called.
            ("numpy", "ndarray"): "numpy.ndarray",
            ("collections", "OrderedDict"): OrderedDict,
            ("_codecs", "encode"): self._bytes,
        }
        for core in ("numpy.core", "numpy._core"):
            self._admitted[f"{core}.multiarray", "_reconstruct"] = self._array
            self._admitted[f"{core}.multiarray", "scalar"] = self._scalar
            self._admitted[f"{core}.numeric", "_frombuffer"] = self._array_from_buffer
        for builtins in ("builtins", "__builtin__"):
            self._admitted[builtins, "bytes"] = self._no_bytes
            for kind in (set, frozenset, complex):
                self._admitted[builtins, kind.__name__] = kind

    def find_class(self, module: str, name: str) -> Any:
        """What a name in the pickle stands for; refuses what is not admitted."""
        try:
            return self._admitted[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, which may run code") from None

    @staticmethod
    def _dtype(code: str, *_: object) -> "_Dtype":
        return _Dtype(code)

    @staticmethod
    def _array(*_: object) -> "_Array":
        return np.zeros(0).view(_Array)

    @staticmethod
    def _array_from_buffer(
        buffer: bytes | bytearray | pickle.PickleBuffer, dtype: "_Dtype", shape: tuple[int, ...], order: str, *_: object
    ) -> np.ndarray:
        flat = np.frombuffer(bytes(buffer), dtype.made())
        return flat.reshape(shape, order="F" if order == "F" else "C")

    @staticmethod
    def _scalar(dtype: "_Dtype", data: bytes | str) -> Any:
        # Python 2's bytes arrive as text if the encoding is latin1.
        return np.frombuffer(data.encode("latin1") if isinstance(data, str) else data, dtype.made())[0]

    @staticmethod
    def _bytes(text: str, encoding: str) -> bytes:
        if encoding != "latin1":
            raise pickle.UnpicklingError(f"it holds bytes encoded as {encoding!r}")
        return text.encode("latin1")

    @staticmethod
    def _no_bytes() -> bytes:
        return b""


class _Dtype:
    """A pickled dtype: its code, and the byte order that is set afterwards."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._order: Literal["<", ">", "="] = "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._order = state[1] if state[1] in ("<", ">") else "="

    def made(self) -> np.dtype:
        """The dtype itself."""
        dtype = np.dtype(self._code)
        if dtype.kind not in _KINDS:
            raise pickle.UnpicklingError(f"it holds an array of dtype {dtype}")
        return dtype.newbyteorder(self._order)


class _Array(np.ndarray):
    """An array while it is read; afterwards as good as any."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        version, shape, dtype, fortran, data = state
        if isinstance(data, list) and len(data) != math.prod(shape):  # numpy would read past the list's end
            raise pickle.UnpicklingError(f"it holds {len(data)} objects for an array of shape {shape}")
        super().__setstate__((version, shape, dtype.made(), fortran, data))
