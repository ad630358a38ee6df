"""Reading of text, JSON and YAML that may be hostile.

It is bounded in size, depth and numbers. All parsers of the package read through this module, `poselift.core.npz` or
`poselift.core.torch_files`. What they cannot read becomes an `InputError` that names the file, in bounded time and
memory.
"""

import json
import math
import numbers
import os
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import yaml

from poselift.core.errors import InputError, reason
from poselift.core.publishing import find_published

MOST_TEXT = 1 << 30
"""Largest text that is read, bytes: keypoints of some hours."""
MOST_YAML = 1 << 20
"""Largest YAML, which is written by hand, bytes."""
_DEEPEST = 100
"""Most levels of lists and objects; deeper ones exhaust the stack of whatever walks through them."""
_SPARE = 1_000_000
"""Elements that a small file may unfold to."""
_CONTAINERS = (list, tuple, set, frozenset, dict, np.ndarray)
_DIGITS = 18
"""Most digits of a whole number: those of 64 bits."""
_UNPACKED = 512 << 20, 50
"""What a compressed file may unpack to: so many bytes, or so many times its own size. Measured values compress to half
their size; zeros, to a thousandth."""


def limit_unpacked(size: int) -> int:
    """Largest number of bytes that a file may unpack to.

    Example:
        >>> limit_unpacked(1000) >> 20, limit_unpacked(100 << 20) >> 20
        (512, 5000)
    """
    return max(_UNPACKED[0], _UNPACKED[1] * size)


def check_file(path: str | os.PathLike[str], help_text: str = "") -> Path:
    """Where a readable file is, as of `find_published`.

    No pipe or device, whose reading may never end.

    Raises:
        InputError: it is missing, or no regular file.
    """
    place = find_published(path)
    if not os.path.exists(place):  # False too for a name that is too long, where `Path.exists` raises
        raise InputError(f"no such file: {path}; {help_text or 'check the path'}")
    if not os.path.isfile(place):
        raise InputError(f"{path} is no file; give a file")
    return place


def read_bytes(path: str | os.PathLike[str], most: int = MOST_TEXT) -> bytes:
    """The content of a file.

    Args:
        path: the file.
        most: largest accepted size, bytes.

    Raises:
        InputError: the file is missing, is no regular file, cannot be read, or is larger.
    """
    place = check_file(path)
    try:
        if (size := place.stat().st_size) > most:
            raise InputError(f"{path} is too large to read ({size} bytes, at most {most}); split it")
        return place.read_bytes()
    except (OSError, MemoryError) as error:
        raise InputError(f"{path} cannot be read ({reason(error)})") from error


def read_lenient_text(path: str | os.PathLike[str]) -> str:
    """A file's UTF-8 text, with marks in place of invalid bytes.

    Raises:
        InputError: as of `read_bytes`.
    """
    return read_bytes(path).decode("utf-8", errors="replace")


def read_text(path: str | os.PathLike[str], most: int = MOST_TEXT) -> str:
    """A file's UTF-8 text, without the byte order mark.

    Raises:
        InputError: as of `read_bytes`, or the file is no UTF-8.
    """
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} cannot be read as text in UTF-8 ({reason(error)}); save it in that encoding"
        ) from error


def read_json(path: str | os.PathLike[str], help_text: str = "", *, finite: bool = False) -> Any:
    """The content of a JSON file.

    Args:
        path: the file.
        help_text: what to do, for the error.
        finite: whether NaN and Infinity, which are no JSON, are refused.

    Raises:
        InputError: as of `read_text` and `parse_json`.
    """
    return parse_json(read_text(path), str(path), help_text, finite=finite)


def parse_json(text: str, where: str, help_text: str = "", *, finite: bool = False) -> Any:
    """The value of a JSON text.

    Args:
        text: the JSON.
        where: the file and the place in it, for the error.
        help_text: what to do, for the error.
        finite: whether NaN and Infinity, which are no JSON, are refused.

    Raises:
        InputError: it is no JSON, nests more than 100 levels, or has a whole number of more than 18 digits.

    Example:
        >>> parse_json("[1, 2.5]", "a.json")
        [1, 2.5]
    """
    try:
        value = json.loads(text, parse_int=_whole, parse_constant=_refuse if finite else None)
        if _count_levels(value) > _DEEPEST:
            raise ValueError(f"it nests more than {_DEEPEST} levels")
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{where} cannot be read as JSON ({reason(error)}){help_text and f'; {help_text}'}") from error
    return value


def read_yaml(path: str | os.PathLike[str], help_text: str) -> Any:
    """The content of a YAML file of plain data.

    Args:
        path: the file.
        help_text: what to do, for the error.

    Raises:
        InputError: as of `read_text`; it is no YAML, nests too deeply, has merge keys, or unfolds to any size by
            aliases.
    """
    text = read_text(path, MOST_YAML)
    try:
        value = yaml.load(text, _PlainLoader)  # a safe loader
        check_unfolded(value, _SPARE + len(text))
    except Exception as error:  # yaml raises others too, as for tags of wrong values
        raise InputError(f"{path} cannot be read as YAML ({reason(error)}); {help_text}") from error
    return value


def check_unfolded(value: Any, most: int) -> None:
    """Checks nested containers that may share parts.

    Those of YAML and pickles do. A list can name another one a thousand times, and that one a third: written out, they
    have any size.

    Args:
        value: any.
        most: largest number of elements, each counted as often as it is named.

    Raises:
        ValueError: there are more elements, or more than 100 levels.
    """
    if _count_unfolded(value, most, 0, {}) > most:
        raise ValueError("it repeats its parts without end")


def _count_unfolded(value: Any, most: int, level: int, known: dict[int, int]) -> int:
    """The number of elements, at most a little more than `most`. `known` has it by the id of a container."""
    if level > _DEEPEST:
        raise ValueError(f"it nests more than {_DEEPEST} levels")
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        value = value.ravel().tolist() if value.ndim else [value.item()]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple | set | frozenset):
        return 1
    count = len(value)
    for part in value:
        if isinstance(part, _CONTAINERS):
            if id(part) not in known:
                known[id(part)] = _count_unfolded(part, most, level + 1, known)
            count += known[id(part)]
            if count > most:
                break
    return count


def whole_number(value: Any, least: int, most: int) -> int | None:
    """The value as a whole number within the bounds; otherwise None.

    Example:
        >>> whole_number(3.0, 1, 9), whole_number(True, 0, 9), whole_number(1e400, 0, 9), whole_number("3", 0, 9)
        (3, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not least <= value <= most:
        return None
    return int(value) if value == math.floor(value) else None


def real_number(value: object) -> float | None:
    """A real number as a float; None for any other value.

    Numpy's numbers, NaN and infinity are real numbers here.

    Example:
        >>> real_number(np.array(2)), real_number(True), real_number("2"), real_number(1j)
        (2.0, None, None, None)
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


class _PlainLoader(yaml.SafeLoader):
    """YAML's safe loader without merge keys and deep nesting. Merge keys can copy any number of keys."""

    _level = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._level += 1
        if self._level > _DEEPEST:
            raise yaml.YAMLError(f"it nests more than {_DEEPEST} levels")
        node = super().compose_node(parent, index)
        self._level -= 1
        return node

    def flatten_mapping(self, node: Any) -> None:
        if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
            raise yaml.YAMLError("it has a merge key (<<); write the keys out")
        super().flatten_mapping(node)


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > _DIGITS:
        raise ValueError(f"it has a number of {len(digits)} digits")
    return int(digits)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"it has {constant} instead of null")


def _count_levels(value: Any) -> int:
    """Levels of lists and objects, counted without recursion."""
    levels, level = 0, [value] if isinstance(value, list | dict) else []
    while level:
        levels += 1
        parts = (part.values() if isinstance(part, dict) else part for part in level)
        level = [value for part in parts for value in part if type(value) in (list, dict)]
    return levels
