"""Sizes of MATLAB files of version 5, whose parts are compressed.

Source: MathWorks, "MAT-File Format", chapter 1: a header of 128 bytes, then elements of a type and a number of bytes.
"""

import struct
import zlib
from pathlib import Path

_HEADER = 128
_ARRAY, _COMPRESSED = 14, 15
_PART = 1 << 20


def check_unpacked(path: Path, most: int) -> None:
    """Checks what the compressed parts of a file unpack to.

    Args:
        path: the file.
        most: largest accepted size, bytes (`poselift.core.bounded.room`).

    Raises:
        ValueError: they unpack to more.
    """
    with path.open("rb") as file:
        order = ">" if file.read(_HEADER)[-2:] == b"MI" else "<"
        unpacked = 0
        while len(tag := file.read(8)) == 8:
            kind, size = struct.unpack(f"{order}II", tag)
            end = file.tell() + size
            if kind not in (_ARRAY, _COMPRESSED):
                return  # it is damaged, which the reader says
            if kind == _COMPRESSED:
                inflate, packed = zlib.decompressobj(), b""
                while not inflate.eof and (packed or file.tell() < end):
                    packed = packed or file.read(min(_PART, end - file.tell()))
                    if not packed:
                        return  # it is cut short, which the reader says
                    unpacked += len(inflate.decompress(packed, _PART))
                    packed = inflate.unconsumed_tail
                    if unpacked > most:
                        raise ValueError(f"it unpacks to more than the {most} bytes that are read")
            file.seek(end)
