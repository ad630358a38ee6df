"""Atomic file writing: a reader never sees a partial file."""

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from poselift.core.errors import InputError, WriteError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a disk that is full or broken, or of a file that may not grow; the system names no file for them."""


def check_writable(folder: str | os.PathLike[str]) -> None:
    """Raises an error before the work if a folder is not writable.

    It creates nothing: it checks the nearest existing parent.

    Raises:
        WriteError: the folder is a file, or is not writable.
    """
    place = Path(folder).absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise WriteError(f"cannot write to {folder}: {place} is not a folder; choose another folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise WriteError(f"cannot write to {folder}: no permission in {place}; choose another folder")


@contextlib.contextmanager
def _explain(path: Path) -> Iterator[None]:
    """A `WriteError` that names the path, from an error of the system."""
    try:
        yield
    except OSError as error:
        raise WriteError(f"cannot write {path}: {error.strerror or error}; choose another folder") from error


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to `path` if the block succeeds.

    The temporary name keeps the suffix, because many writers choose their format by it. Missing folders are created.

    Args:
        path: final path of the file.

    Raises:
        WriteError: the folder cannot be created or written to, or the disk is full.
    """
    path = Path(path)
    with _temporary_file(path) as temporary:
        yield temporary
        _settle(temporary)
        os.replace(temporary, path)
        _settle_folder(path.parent)


@contextlib.contextmanager
def atomic_pair(path: str | os.PathLike[str], description: str | os.PathLike[str]) -> Iterator[tuple[Path, Path]]:
    """Temporary paths of two files, renamed together if the block succeeds.

    The second file describes the first. An old description never stands beside a new file: it goes first, and the new
    one comes last. A process that is killed in between leaves no description, and readers refuse the file. A signal in
    between moves both.

    Args:
        path: final path of the file.
        description: final path of the file that describes it, in the same folder.

    Raises:
        WriteError: as of `atomic_path`.
    """
    path, description = Path(path), Path(description)
    with _temporary_file(path) as first, _temporary_file(description) as second:
        yield first, second
        _settle(first)
        _settle(second)
        try:
            _move_pair(first, path, second, description)
        except (KeyboardInterrupt, SystemExit):
            _move_pair(first, path, second, description)
            raise
        _settle_folder(path.parent)


def _move_pair(first: Path, path: Path, second: Path, description: Path) -> None:
    """Moves what is not yet in its place."""
    if first.exists():
        description.unlink(missing_ok=True)
        os.replace(first, path)
    if second.exists():
        os.replace(second, description)


@contextlib.contextmanager
def _temporary_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, removed after the block; errors name `path`."""
    if path.is_dir():
        raise WriteError(f"cannot write {path}: it is a folder; give a file")
    with _explain(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        with named_in_errors(path, temporary):
            yield temporary
    except OSError as error:
        if error.errno in NO_ROOM:
            raise WriteError(
                f"cannot write {path}: {error.strerror}; free some space, or choose another folder"
            ) from error
        if error.filename is None:
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _settle(temporary: Path) -> None:
    """Flushes a file to the disk: a power cut leaves no half."""
    # mkstemp makes the file private; use the permissions of a plain open().
    umask = os.umask(0)
    os.umask(umask)
    temporary.chmod(0o666 & ~umask)
    with open(temporary, "r+b") as file:
        os.fsync(file.fileno())


def _settle_folder(folder: Path) -> None:
    """Flushes a folder's names to the disk, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folder, and not all file systems take this
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def named_in_errors(place: str | os.PathLike[str], temporary: Path) -> Iterator[None]:
    """Errors of the block name the final place, not the temporary path.

    Raises:
        InputError: that of the block, of the same type.
    """
    try:
        yield
    except InputError as error:
        if str(temporary) not in str(error):
            raise
        raise type(error)(str(error).replace(str(temporary), str(place))) from error
    except OSError as error:
        if isinstance(error.filename, str):
            with contextlib.suppress(AttributeError):  # PyAV's errors keep theirs
                error.filename = error.filename.replace(str(temporary), str(place))
        raise


@contextlib.contextmanager
def atomic_folder(path: str | os.PathLike[str], last: str | None = None) -> Iterator[Path]:
    """A temporary folder whose files move to `path` if the block succeeds.

    Other files there stay.

    Args:
        path: final path of the folder.
        last: name of the file that says that the others are complete: the old one goes first, the new one comes last.

    Raises:
        WriteError: the folder cannot be created or written to.
    """
    path = Path(path)
    with _explain(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix))
    try:
        with named_in_errors(path, temporary):
            yield temporary
        with _explain(path):
            move_files(temporary, path, last)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def move_files(folder: Path, place: Path, last: str | None = None) -> None:
    """Moves a folder's files into another folder, and removes the emptied one. Other files there stay."""
    place.mkdir(exist_ok=True)
    if last is not None:
        (place / last).unlink(missing_ok=True)
    for file in sorted(folder.iterdir(), key=lambda file: (file.name == last, file.name)):
        os.replace(file, place / file.name)
    _settle_folder(place)
    folder.rmdir()


def remove_partial_of(path: Path) -> None:
    """Removes what killed processes left of one file or folder. Other temporary files may be the user's."""
    stem, part, ending = re.escape(path.stem), r"\.[a-z0-9_]{8}", re.escape(path.suffix)
    # A file of a pair is written under a temporary name of its temporary name, which has two dots.
    ours = re.compile(rf"(\.{stem}{part}|\.\.{stem}{part}{part}){ending}")
    for there in path.parent.glob(".*"):
        if ours.fullmatch(there.name) and there.is_dir():
            shutil.rmtree(there, ignore_errors=True)
        elif ours.fullmatch(there.name):
            there.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """An open text file in UTF-8, in place when the block succeeds.

    Halves of letters, which stand for bytes of file names that are not UTF-8, are written as escapes.

    Raises:
        InputError: as of `atomic_path`.
    """
    with (
        atomic_path(path) as temporary,
        open(temporary, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
    ):
        yield file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes text atomically; see `atomic_text`."""
    with atomic_text(path) as file:
        file.write(text)


def format_json(value: Any) -> str:
    """JSON text for a file; raises a ValueError for NaN."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Writes JSON atomically.

    Raises:
        InputError: a value is NaN or infinite, which is not JSON, or the file cannot be written.
    """
    try:
        text = format_json(value)
    except ValueError as error:
        raise InputError(f"cannot write {path}: a value is NaN or infinite, which JSON has not; remove it") from error
    write_text(path, text)


def sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, as lower-case hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
