"""Counts of CDF files, which are checked before a reader loops over them or allocates memory.

Source: NASA, "CDF Internal Format Description", version 3: records begin with their size (8 bytes) and type (4), and
numbers are big-endian.
"""

import math
import struct
from pathlib import Path

from poselift.core.bounded import read_bytes, room

_VERSION_3 = b"\xcd\xf3\x00\x01\x00\x00\xff\xff"
"""The first bytes of a file of version 3 that is not compressed as a whole."""
_DIMENSIONS = 10
"""Most dimensions of a variable."""
_SMALLEST = 16
"""Bytes of the smallest part that is counted."""
_INDEX = 6
"""Type of the records that list where the values of a variable are."""


def check_counts(path: Path) -> None:
    """Checks the numbers of variables, dimensions, records and their parts that a file declares.

    Files of other versions, or compressed as a whole, are not checked.

    Args:
        path: the file.

    Raises:
        InputError: the file cannot be read.
        ValueError: it declares more than it can hold, or its records do not follow each other.
        struct.error: it is cut off.
    """
    content = read_bytes(path)
    if not content.startswith(_VERSION_3):
        return
    size, descriptor = struct.unpack_from(">q4xq", content, 8)
    if descriptor != 8 + size:  # cdflib reads the descriptor there, wherever the first record says that it is
        raise ValueError("its second record does not follow its first")
    at, r_variables, attributes, r_dimensions, variables = _numbers(">20xq16xii4xii", content, descriptor)
    _check(max(r_variables, attributes, variables) * _SMALLEST <= len(content), "variables and attributes")
    _check(r_dimensions <= _DIMENSIONS, "dimensions")
    seen: set[int] = set()
    for _ in range(variables):
        following, last, index, elements, dimensions = _numbers(">12xq4xiq28xi272xi", content, at)
        _check(0 <= dimensions <= _DIMENSIONS, "dimensions")
        sizes = _numbers(f">344x{dimensions}i", content, at)
        _check(8 * (last + 1) * elements * math.prod(map(abs, sizes)) <= room(len(content)), "values")
        _check_index(content, index, seen)
        at = following


def _check_index(content: bytes, at: int, seen: set[int]) -> None:
    """Checks the lists of a variable's values from one of them on; each may be named once."""
    waiting = [at] if at > 0 else []
    while waiting:
        at = waiting.pop()
        _check(at not in seen, "parts")
        seen.add(at)
        kind, following, entries, used = _numbers(">8xiqii", content, at)
        _check(kind == _INDEX and used <= entries <= len(content) // _SMALLEST, "parts")
        places = _numbers(f">28x{8 * entries}x{used}q", content, at)
        waiting += [place for place in places if _numbers(">8xi", content, place) == (_INDEX,)]
        waiting += [following] if following else []


def _numbers(form: str, content: bytes, at: int) -> tuple[int, ...]:
    _check(at > 0, "bytes")
    return struct.unpack_from(form, content, at)


def _check(right: bool, what: str) -> None:
    if not right:
        raise ValueError(f"it declares more {what} than it can hold")
