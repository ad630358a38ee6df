"""Sizes of MATLAB files of version 5, whose parts are compressed.

Source: MathWorks, "MAT-File Format", chapter 1: a header of 128 bytes, then elements of a type and a number of bytes.
"""

import struct
import zlib
from pathlib import Path
from typing import BinaryIO

_HEADER = 128
_ARRAY, _COMPRESSED = 14, 15
_PART = 1 << 20


def check_unpacked(path: Path, most: int) -> None:
    """Checks that the parts of a file are complete, and what the compressed ones unpack to.

    A reader in C may crash the interpreter where a part has less than it declares.

    Args:
        path: the file.
        most: largest accepted size, bytes (`poselift.core.bounded.room`).

    Raises:
        ValueError: they unpack to more, or a part is cut short or is none.
        zlib.error: the check sum of a part is wrong.
    """
    with path.open("rb") as file:
        order = ">" if file.read(_HEADER)[-2:] == b"MI" else "<"
        whole, unpacked = path.stat().st_size, 0
        while tag := file.read(8):
            kind, size = struct.unpack(f"{order}II", tag) if len(tag) == 8 else (0, 0)
            end = file.tell() + size
            if kind not in (_ARRAY, _COMPRESSED) or end > whole:
                raise ValueError(f"it is damaged after {unpacked} bytes of values")
            if kind == _COMPRESSED:
                unpacked = _unpacked(file, end, order, unpacked, most)
            file.seek(end)


def _unpacked(file: BinaryIO, end: int, order: str, before: int, most: int) -> int:
    """The number of bytes that the parts up to a compressed one unpack to; `before` has the others."""
    inflate, packed, tag, count = zlib.decompressobj(), b"", b"", before
    while not inflate.eof:
        packed = packed or file.read(min(_PART, end - file.tell()))
        if not packed:
            raise ValueError("a compressed part is cut short")
        part = inflate.decompress(packed, _PART)
        tag, count, packed = tag or part[:8], count + len(part), inflate.unconsumed_tail
        if count > most:
            raise ValueError(f"it unpacks to more than the {most} bytes that are read")
    kind, size = struct.unpack(f"{order}II", tag.ljust(8, b"\0"))
    if kind != _ARRAY or before + 8 + size > count:
        raise ValueError("a compressed part is not the array that it declares")
    return count
