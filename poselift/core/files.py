"""Atomic file writing: a reader never sees a partial file."""

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from poselift.core.errors import InputError, WriteError
from poselift.core.publishing import (
    find_published,
    finish_publishing,
    give_permissions,
    publish,
    settle,
    settle_folder,
)

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a disk that is full or broken, or of a file that may not grow; the system names no file for them."""


def check_writable(folder: str | os.PathLike[str]) -> None:
    """Raises an error before the work if a folder is not writable.

    It creates nothing: it checks the nearest existing parent.

    Raises:
        WriteError: the folder is a file, or is not writable.
    """
    place = Path(folder).absolute()
    while not os.path.lexists(place) and place != place.parent:  # a link to nothing is no folder
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
        settle(temporary)
        finish_publishing(path.parent)
        os.replace(temporary, path)
        settle_folder(path.parent)


@contextlib.contextmanager
def atomic_files(folder: str | os.PathLike[str], last: str, stale: Iterable[str] = ()) -> Iterator[Path]:
    """A hidden folder whose files are published together in `folder`.

    They are if the block succeeds. Whenever the process is killed, readers see all old files or all new ones; see
    `poselift.core.publishing`. Other files in `folder` stay.

    Args:
        folder: final folder of the files; missing folders are created.
        last: name of the file that describes the others.
        stale: names of earlier files that go with them.

    Raises:
        WriteError: the folder cannot be created or written to, or the disk is full.
    """
    folder, described = Path(folder), Path(last)
    with _explain(folder / last):
        folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder, prefix=f".{described.stem}.", suffix=described.suffix))
    try:
        with named_in_errors(folder, new), _explain_full(folder / last):
            yield new
        with _explain_full(folder / last):
            publish(new, folder, last, stale)
    finally:
        shutil.rmtree(new, ignore_errors=True)


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
        with _explain_full(path), named_in_errors(path, temporary):
            yield temporary
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _explain_full(path: Path) -> Iterator[None]:
    """A `WriteError` of a full disk that names the path."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise WriteError(
                f"cannot write {path}: {error.strerror}; free some space, or choose another folder"
            ) from error
        if error.filename is None:
            error.filename = str(path)
        raise


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
    """A temporary folder whose files are published together in `path`.

    They are if the block succeeds. Other files there stay.

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
            publish_folder(temporary, path, last)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def publish_folder(new: Path, place: Path, last: str | None = None, stale: Iterable[str] = ()) -> None:
    """Publishes a complete folder at its place, all at once.

    It becomes `place`, or its files join those there.

    Args:
        new: the folder, beside `place` or in it.
        place: its final path.
        last: as of `atomic_folder`.
        stale: paths of earlier files that go, relative to `place`.

    Raises:
        WriteError: as of `poselift.core.publishing.publish`.
    """
    files = sorted(path for path in new.rglob("*") if path.is_file())
    if not place.exists():
        for file in files:
            settle(file)
        for folder in {new, *(file.parent for file in files)}:
            give_permissions(folder, 0o777)
            settle_folder(folder)
        try:
            os.rename(new, place)
        except OSError:
            if not place.is_dir():  # otherwise another process made it meanwhile
                raise
        else:
            settle_folder(place.parent)
            return
    if files:
        names = [file.relative_to(new).as_posix() for file in files]
        described = names[-1] if last is None else last
        try:
            publish(new, place, described, stale)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            # The place is a link to another file system, or one is mounted there.
            with atomic_files(place, described, stale) as inside:
                for name in names:
                    (inside / name).parent.mkdir(exist_ok=True, parents=True)
                    shutil.copyfile(new / name, inside / name)
            shutil.rmtree(new)


def remove_partial_of(path: Path) -> None:
    """Removes what killed processes left; finishes what they published.

    Other temporary files may be the user's.
    """
    for folder in (path.parent, path):
        finish_publishing(folder)
    ours = re.compile(rf"\.{re.escape(path.stem)}\.[a-z0-9_]{{8}}{re.escape(path.suffix)}")
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
    with open(find_published(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
