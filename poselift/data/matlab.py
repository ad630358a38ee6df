"""A check of MATLAB files of version 5, which SciPy reads in C: damaged ones may crash the interpreter there.

Source: MathWorks, "MAT-File Format", chapter 1: a header of 128 bytes, then elements of a type and a number of bytes.
"""

import math
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

_HEADER = 128
_ARRAY, _COMPRESSED = 14, 15
_VALUES = {*range(1, 8), 9, 12, 13, 16, 17, 18}
"""Types of elements that hold numbers or text."""
_FLAGS = 6, 8
"""Type and size of an array's first element, whose lowest byte is its class."""
_TEXT, _SPARSE, _LAST_NUMBER, _OPAQUE = 4, 5, 15, 17
"""Classes; the numbers come after the sparse ones. Opaque objects have no shape."""
_COMPLEX = 1 << 11
_PART = 1 << 20
_SHORTEST_SHAPE, _LONGEST_SHAPE = 4 * 2, 4 * 32
"""Bytes."""
_SPARE = 1000
"""Parts that a struct may declare without having them: it may have no fields."""
_DEEPEST = 100


Read = Callable[[int], bytes]
"""Reads so many bytes of a source; fewer at its end."""


def check_unpacked(path: Path, most: int) -> None:
    """Checks that the parts of a file are complete, of known types, and what the compressed ones unpack to.

    Args:
        path: the file.
        most: largest accepted size, bytes (`poselift.core.bounded.room`).

    Raises:
        ValueError: they unpack to more, or a part is cut short or of no known type.
        zlib.error: the check sum of a part is wrong.
    """
    with path.open("rb") as file:
        order = "<" if file.read(_HEADER)[-2:] == b"IM" else ">"
        whole, unpacked = path.stat().st_size, 0
        while file.tell() < whole:
            kind, size = _tag(file.read, order)
            end = file.tell() + size
            if kind not in (_ARRAY, _COMPRESSED) or end > whole:
                raise ValueError(f"it is damaged after {unpacked} bytes of values")
            if kind == _COMPRESSED:
                part = _Unpacked(file, end, unpacked, most)
                kind, size = _tag(part.read, order)
                if kind != _ARRAY:
                    raise ValueError("a compressed part is no array")
                _check_array(part.read, size, order, 1)
                unpacked = part.to_the_end()
            else:
                _check_array(file.read, size, order, 1)
            file.seek(end)


def _check_array(read: Read, size: int, order: str, level: int) -> None:
    """Reads an array of so many bytes, and checks the types and sizes of its elements."""
    if size == 0:  # an empty cell
        return
    if level > _DEEPEST:
        raise ValueError(f"it nests more than {_DEEPEST} levels")
    if _tag(read, order) != _FLAGS:
        raise ValueError("an array is damaged at its start")
    flags, _ = _tag(read, order)
    plain = _TEXT <= flags & 0xFF <= _LAST_NUMBER  # otherwise it is a cell array, a struct or the like
    left, count, arrays, declared = size - 16, 0, 0, 0
    while left > 0:
        tag, value = _tag(read, order)
        inside = tag >> 16 > 0  # up to four bytes, in the place of the size
        kind, length = (tag & 0xFFFF, 0) if inside else (tag, value)
        left -= 8 + length
        if left < 0 or kind not in _VALUES | ({_ARRAY} if not (plain or inside) else set()):
            raise ValueError("an array has a damaged part")
        if kind == _ARRAY:
            _check_array(read, length, order, level + 1)
            arrays += 1
        else:
            padding = min(-length % 8, left)
            left -= padding
            if count == 0 and flags & 0xFF != _OPAQUE:
                declared = _product(read, length, order)
                length = 0
            _skip(read, length + padding)
        count += 1
    # Shape, name, numbers; indices of two kinds if it is sparse; and imaginary parts.
    if plain and count < 3 + 2 * (flags & 0xFF == _SPARSE) + bool(flags & _COMPLEX):
        raise ValueError("an array has too few parts")
    if not plain and declared > max(arrays, _SPARE):
        raise ValueError(f"an array declares {declared} parts and has {arrays}")


def _product(read: Read, size: int, order: str) -> int:
    """The number of elements of a shape of so many bytes, each whole number of four."""
    if not _SHORTEST_SHAPE <= size <= _LONGEST_SHAPE:
        raise ValueError("an array has too few or too many axes")
    shape = read(size)
    if len(shape) < size:
        raise ValueError("a part is cut short")
    return abs(math.prod(struct.unpack(f"{order}{size // 4}i", shape[: size // 4 * 4])))


def _tag(read: Read, order: str) -> tuple[int, int]:
    """Type and number of bytes of the next element."""
    tag = read(8)
    if len(tag) < 8:
        raise ValueError("a part is cut short")
    kind, size = struct.unpack(f"{order}II", tag)
    return kind, size


def _skip(read: Read, size: int) -> None:
    while size > 0:
        passed = len(read(min(size, _PART)))
        if passed == 0:
            raise ValueError("a part is cut short")
        size -= passed


class _Unpacked:
    """The content of a compressed part of a file.

    Args:
        file: at the start of the part.
        end: of the part in the file.
        count: bytes that other parts unpacked to.
        most: largest accepted number of bytes, those of the other parts included.
    """

    def __init__(self, file: BinaryIO, end: int, count: int, most: int) -> None:
        self._file, self._end, self._count, self._most = file, end, count, most
        self._inflate, self._packed = zlib.decompressobj(), b""

    def read(self, size: int) -> bytes:
        """The next bytes; fewer at the end.

        Raises:
            ValueError: the part is cut short, or unpacks to too much.
            zlib.error: it is damaged.
        """
        content = b""
        while len(content) < size and not self._inflate.eof:
            self._packed = self._packed or self._file.read(min(_PART, self._end - self._file.tell()))
            if not self._packed:
                raise ValueError("a compressed part is cut short")
            content += self._inflate.decompress(self._packed, size - len(content))
            self._packed = self._inflate.unconsumed_tail
        self._count += len(content)
        if self._count > self._most:
            raise ValueError(f"it unpacks to more than the {self._most} bytes that are read")
        return content

    def to_the_end(self) -> int:
        """Reads the rest, whose end has the check sum; the number of bytes of this and the other parts."""
        while self.read(_PART):
            pass
        return self._count
