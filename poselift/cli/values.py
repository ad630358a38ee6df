"""Values of options: files, numbers within bounds, and lists with commas."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from poselift.core.errors import InputError
from poselift.core.files import check_writable, remove_partial_of

_Value = TypeVar("_Value")

_NO_NUMBER = re.compile(r"invalid (int|float) value: (.*)")
_NUMBERS = {"int": "a whole number", "float": "a number, such as 1.5"}
"""What argparse says of a value that is no number, and what people call it."""


def explain_value(message: str) -> str:
    """An argparse error, in plain words for values that are no number."""
    return _NO_NUMBER.sub(lambda found: f"{found[2]} is not {_NUMBERS[found[1]]}", message)


def full_text(text: str) -> str:
    """A path, URL or name that is there.

    Raises:
        ArgumentTypeError: it is empty, as from an unset variable of a script.
    """
    if not text:
        raise ArgumentTypeError("the path is empty; give one")
    return text


def local_path(text: str) -> Path:
    """The path of a file or folder of this machine.

    Raises:
        ArgumentTypeError: the value is empty, or a URL, of which `Path` would take away a slash.
    """
    if "://" in full_text(text):
        raise ArgumentTypeError(
            f"{text} is a URL; give a file of this machine: download a video first, that of a page with a program such "
            "as yt-dlp (poselift stream takes URLs of cameras)"
        )
    return Path(text)


def check_out_file(path: Path, endings: Collection[str], option: str = "--out") -> None:
    """Checks, before the work, that a file can be written.

    What a killed run left of it is removed.

    Raises:
        InputError: its name ends otherwise or is that of a folder, or it cannot be written there.
    """
    if path.suffix.lower() not in endings:
        raise InputError(f"{option} {path}: give a name that ends in {', '.join(endings)}")
    if path.is_dir():
        raise InputError(f"{option} {path}: this is a folder; give the name of a file")
    check_writable(path.parent)
    remove_partial_of(path)


def number_where(fits: Callable[[float], bool], wrong: str) -> Callable[[str], float]:
    """A type of argparse: numbers that fit.

    Args:
        fits: whether a number may be given.
        wrong: follows the value in the error: what it is not; what to give.
    """

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not fits(value):
            raise ArgumentTypeError(f"{text!r} is {wrong}")
        return value

    return read


def list_of(kind: Callable[[str], _Value], wrong: str, count: int | None = None) -> Callable[[str], tuple[_Value, ...]]:
    """A type of argparse: values with commas between them.

    Args:
        kind: reads a value; raises a ValueError for another one.
        wrong: follows the text in the error: what it is not; what to give.
        count: number of values; any if None.
    """

    def read(text: str) -> tuple[_Value, ...]:
        try:
            values = tuple(map(kind, text.split(",")))
        except ValueError:
            values = ()
        if not values or (count and len(values) != count):
            raise ArgumentTypeError(f"{text!r} is {wrong}")
        return values

    return read
