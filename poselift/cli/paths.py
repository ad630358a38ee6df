"""Paths on command lines."""

from argparse import ArgumentTypeError
from pathlib import Path


def local_path(text: str) -> Path:
    """The path of a file or folder of this machine.

    Raises:
        ArgumentTypeError: the value is empty, as from an unset variable of a script, or a URL, of which `Path` would
            take away a slash.
    """
    if not text:
        raise ArgumentTypeError("the path is empty; give one")
    if "://" in text:
        raise ArgumentTypeError(
            f"{text} is a URL; give a file of this machine (poselift stream takes URLs of cameras and videos)"
        )
    return Path(text)
