"""Downloads with a cache: several servers, and a SHA-256 check."""

import contextlib
import http.client
import logging
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from poselift.core.errors import InputError, WriteError
from poselift.core.files import NO_ROOM, atomic_path, sha256
from poselift.core.locks import hold_lock

_LOG = logging.getLogger(__name__)

_TIMEOUT = 30.0
"""Seconds without an answer before the next server is tried."""
_PATIENCE = 3600.0
"""Seconds to wait for another process that downloads the same file."""
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextlib.contextmanager
def quiet_downloads(quiet: bool = True) -> Iterator[None]:
    """Hides the progress bar of downloads inside the block."""
    before = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(before)


def cache_folder() -> Path:
    """Folder of downloaded weights.

    It is `$POSELIFT_CACHE`, or else poselift's folder in `$XDG_CACHE_HOME`, or else in the system's cache folder.
    """
    if chosen := os.environ.get("POSELIFT_CACHE"):
        return Path(chosen).expanduser()
    if user := os.environ.get("XDG_CACHE_HOME"):
        return Path(user) / "poselift"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "poselift" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "poselift"
    return Path.home() / ".cache" / "poselift"


def fetch(file: str, urls: Sequence[str], expected: str, offline: bool = False) -> Path:
    """Path of a file in the cache folder, downloaded if necessary.

    A file gets its name only after its SHA-256 is verified; a wrong file is removed. A terminal shows the progress,
    except inside `quiet_downloads`.

    Args:
        file: name of the file in the cache folder.
        urls: http or https addresses, in the order to try.
        expected: SHA-256 in lower-case hex, or its known first digits.
        offline: never download.

    Raises:
        InputError: no server delivered the file, or it cannot be written; the message explains a manual download.
    """
    path = cache_folder() / file
    sum_words = f"SHA-256 {expected}" if len(expected) == 64 else f"its SHA-256 begins with {expected}"
    by_hand = f"put it ({sum_words}) into {path.parent} by hand"
    damaged = path.is_file()
    if _is_whole(path, expected):
        return path
    if offline:
        why = "was damaged and is removed" if damaged else "is not in the cache"
        raise InputError(f"{file} {why}, and offline nothing is fetched; go online, or {by_hand}, from {urls[0]}")
    reasons = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with hold_lock(path.with_name(f".{file}.lock"), f"another process downloads {file}; wait for it", _PATIENCE):
            if _is_whole(path, expected):  # another process downloaded it meanwhile
                return path
            for url in urls:
                _LOG.debug("downloading %s from %s", path, url)
                try:
                    with atomic_path(path) as temporary:
                        _download(url, temporary, file, expected)
                except _NotDeliveredError as error:
                    reasons.append(f"{url}: {error}")
                else:
                    return path
    except (OSError, WriteError) as error:
        raise WriteError(f"{error}; the variable POSELIFT_CACHE names another folder") from error
    raise InputError(f"{file} could not be fetched ({'; '.join(reasons)}); try again later, or {by_hand}")


def _is_whole(path: Path, expected: str) -> bool:
    """Whether a file is there with its SHA-256; removes a wrong one."""
    if not path.is_file():
        return False
    whole = sha256(path).startswith(expected)
    if not whole:
        path.unlink()
    return whole


class _NotDeliveredError(Exception):
    """A server does not give the file."""


def _download(url: str, path: Path, name: str, expected: str) -> None:
    """Writes a server's file. Raises `_NotDeliveredError`, or an OSError if the disk is full."""
    if not url.startswith(("http://", "https://")):
        raise _NotDeliveredError("only http:// and https:// can be fetched")
    request = urllib.request.Request(url, headers={"User-Agent": "poselift", "Accept-Encoding": "identity"})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer, path.open("wb") as file:
            total = int(answer.headers.get("Content-Length", 0))
            with _show(answer, total, name) as reader:
                shutil.copyfileobj(reader, file)
            done = file.tell()
    except urllib.error.HTTPError as error:
        error.close()
        raise _NotDeliveredError(str(error)) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        why = getattr(error, "reason", error)
        raise _NotDeliveredError(" ".join(str(why).split()) or type(error).__name__) from error
    if done < total:
        raise _NotDeliveredError(f"the connection was lost after {done} of {total} bytes")
    actual = sha256(path)
    if not actual.startswith(expected):
        raise _NotDeliveredError(f"its SHA-256 is {actual}, but {expected} was expected; not used")


def _show(answer: Any, total: int, name: str) -> contextlib.AbstractContextManager[Any]:
    """The answer, with a progress bar in a terminal."""
    if _QUIET.get() or not sys.stderr.isatty():
        return contextlib.nullcontext(answer)
    from tqdm import tqdm

    return tqdm.wrapattr(answer, "read", total, bytes=False, unit="B", unit_scale=True, desc=name, leave=False)
