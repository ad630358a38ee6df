"""Files here and in object stores (s3://, gs://, ...), through fsspec."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from poselift.core.errors import InputError, reason
from poselift.core.files import atomic_path
from poselift.core.safe_parsing import parse_json, read_bytes


def file_system(location: str) -> tuple[AbstractFileSystem, str]:
    """The file system of a path or URL, and its path there.

    Local paths are absolute.

    Raises:
        InputError: the protocol is unknown, or its package is not installed.

    Example:
        >>> file_system("/data/walk.mp4")[1]
        '/data/walk.mp4'
    """
    if "://" not in location:
        return LocalFileSystem(), os.path.abspath(location)
    try:
        files, path = url_to_fs(location)
    except (ImportError, ValueError) as error:
        raise InputError(f"{location}: {error}") from error
    return files, path


@contextlib.contextmanager
def explain_storage_errors(location: str) -> Iterator[None]:
    """Turns any error of an object store into one with the place.

    Raises:
        ConnectionError: the store cannot be reached, or does not allow what was asked.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if "://" not in location:
            raise
        advice = "check the address, the credentials and the network"
        raise ConnectionError(f"{location} cannot be reached: {reason(error)}; {advice}") from error


def is_local(files: AbstractFileSystem) -> bool:
    """Whether these are files of this machine, or mounted on it."""
    return isinstance(files, LocalFileSystem)


def find_address(files: AbstractFileSystem, path: str) -> str:
    """A local file's path, another one's URL; `file_system` takes both."""
    return path if is_local(files) else str(files.unstrip_protocol(path))


def read_stamp(files: AbstractFileSystem, path: str) -> dict[str, Any] | None:
    """Size and version of a file; None without one.

    They change if it is written anew.

    Raises:
        ConnectionError: the store cannot be reached.
    """
    if is_local(files):
        try:
            status = os.stat(path)  # of the target of a link
        except (OSError, ValueError):  # ValueError: a path with a null character
            return None
        return {"bytes": status.st_size, "modified": str(status.st_mtime_ns)} if os.path.isfile(path) else None
    with explain_storage_errors(find_address(files, path)):
        try:
            facts = files.info(path)
        except FileNotFoundError:
            return None
    if facts["type"] != "file":
        return None
    keys = ("ETag", "etag", "generation", "mtime", "LastModified", "last_modified", "created")
    return {"bytes": facts["size"], "modified": next((str(facts[key]) for key in keys if key in facts), None)}


@contextlib.contextmanager
def local_copy(location: str) -> Iterator[Path]:
    """The path of a local file; a temporary copy of another one.

    Raises:
        InputError: there is no such file.
        ConnectionError: it cannot be fetched.
    """
    files, path = file_system(location)
    if is_local(files):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="poselift_") as folder:
        copy = Path(folder) / Path(path).name
        with explain_storage_errors(location):
            try:
                files.get_file(path, str(copy))
            except FileNotFoundError:
                raise InputError(f"{location}: no such file; check the path of the video") from None
        yield copy


def read_objects(location: str, names: list[str]) -> dict[str, dict[str, Any]]:
    """The objects in a folder's JSON files, by name. Empty ones of damaged files; missing files are left out."""
    files, root = file_system(location)
    paths = {f"{root}/{name}": name for name in names}
    if is_local(files) or any(character in root for character in "*?["):  # `cat` takes these for patterns
        found = {}
        for path in paths:
            with contextlib.suppress(OSError, InputError):
                found[path] = read_bytes(path) if is_local(files) else files.cat_file(path)
    else:
        with explain_storage_errors(location):
            found = files.cat(list(paths), on_error="omit") if names else {}
    return {paths[path]: _parse_object(content, path) for path, content in found.items()}


def _parse_object(content: bytes, where: str) -> dict[str, Any]:
    try:
        value = parse_json(content.decode("utf-8"), where)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def write_file(location: str, content: bytes) -> None:
    """Writes a file whole: no reader ever sees a part of it."""
    files, path = file_system(location)
    if is_local(files):
        with atomic_path(path) as temporary:
            temporary.write_bytes(content)
    else:
        with explain_storage_errors(location):
            files.pipe_file(path, content)


def remove_file(location: str) -> None:
    """Removes a file, if it is there."""
    files, path = file_system(location)
    with explain_storage_errors(location), contextlib.suppress(FileNotFoundError):
        files.rm_file(path)
