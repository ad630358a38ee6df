"""Downloads with a cache: several servers, a SHA-256 check, resumption."""

import contextlib
import http.client
import logging
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path

from poselift.core.errors import InputError, describe
from poselift.core.files import sha256

_LOG = logging.getLogger(__name__)

_TIMEOUT = 30.0
"""Seconds without an answer before the next server is tried."""
_PART = 1 << 20
_NOTHING_TO_ADD = 416
"""HTTP status: the requested range starts after the end of the file."""
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

    A lost connection leaves a `.part` file, from which the next server, or the next call, resumes. A file gets its own
    name only after its SHA-256 is verified; a wrong file is removed. A terminal shows the progress, except inside
    `quiet_downloads`.

    Args:
        file: name of the file in the cache folder.
        urls: http or https addresses, in the order to try.
        expected: SHA-256 in lower-case hex, or its known first digits.
        offline: never download.

    Raises:
        InputError: no server delivered the file, or it cannot be written; the message explains a manual download.
    """
    path = cache_folder() / file
    by_hand = f"put it ({_sha256_words(expected)}) into {path.parent} by hand"
    try:
        damaged = path.is_file() and not _is_whole(path, expected)
        if path.is_file():
            return path
        if offline:
            why = "was damaged and is removed" if damaged else "is not in the cache"
            raise InputError(f"{file} {why}, and offline nothing is fetched; go online, or {by_hand}, from {urls[0]}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            if path.is_file() and _is_whole(path, expected):  # another process downloaded it meanwhile
                return path
            reasons = []
            for url in urls:
                _LOG.info("downloading %s from %s", path, url)
                part = path.with_name(path.name + ".part")
                reason = _from_server(url, part, expected)
                if reason is None:
                    os.replace(part, path)
                    return path
                reasons.append(f"{url}: {reason}")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({describe(error)}); make room there, or name another folder in POSELIFT_CACHE"
        ) from error
    raise InputError(f"{file} could not be fetched ({'; '.join(reasons)}); try again later, or {by_hand}")


def _is_whole(path: Path, expected: str) -> bool:
    """True if a file has its SHA-256; a wrong file is removed."""
    whole = sha256(path).startswith(expected)
    if not whole:
        path.unlink()
    return whole


def _sha256_words(expected: str) -> str:
    return f"SHA-256 {expected}" if len(expected) == 64 else f"its SHA-256 begins with {expected}"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits until no other process downloads into the folder, so that no two write to one file."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network drives have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _from_server(url: str, part: Path, expected: str) -> str | None:
    """Completes the unfinished file from one server; None, or the reason of a failure."""
    if not url.startswith(("http://", "https://")):
        return "only http:// and https:// can be fetched"
    there = part.stat().st_size if part.is_file() else 0
    try:
        answer = _ask(url, there)
    except urllib.error.HTTPError as error:
        return str(error)
    except (OSError, http.client.HTTPException) as error:
        return _no_answer(error)
    with answer:
        if answer.status != http.client.PARTIAL_CONTENT:
            there = 0
        if reason := _receive(answer, part, there):
            return reason
    actual = sha256(part)
    if actual.startswith(expected):
        return None
    part.unlink()
    if there:  # the first part may belong to another file
        return _from_server(url, part, expected)
    return f"its SHA-256 is {actual}, but {expected} was expected; not used"


def _ask(url: str, there: int) -> http.client.HTTPResponse:
    """A server's answer: the missing part of the file if the server supports it, otherwise all of it."""
    headers = {"User-Agent": "poselift", "Accept-Encoding": "identity"}
    request = urllib.request.Request(url, headers=headers | ({"Range": f"bytes={there}-"} if there else {}))
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if not there or error.code != _NOTHING_TO_ADD:
            raise
        return _ask(url, 0)
    starts = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
    if there and answer.status == http.client.PARTIAL_CONTENT and (starts is None or int(starts[1]) != there):
        answer.close()
        return _ask(url, 0)
    return answer


def _receive(answer: http.client.HTTPResponse, part: Path, there: int) -> str | None:
    """Writes a server's data after the first `there` bytes; None, or the reason of a failure."""
    length = answer.headers.get("Content-Length", "")
    total = there + int(length) if length.isdigit() else None
    done = there
    with open(part, "ab" if there else "wb") as file, _bar(part.stem, total) as report:
        while True:
            try:
                received = answer.read(_PART)
            except (OSError, http.client.HTTPException) as error:
                return _no_answer(error)
            if not received:
                break
            file.write(received)
            done += len(received)
            report(done)
    if total is not None and done < total:
        return f"the connection was lost after {done} of {total} bytes"
    return None


def _no_answer(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return " ".join(str(reason).split()) or type(error).__name__


@contextlib.contextmanager
def _bar(name: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Progress bar of a download, in a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True, markup=False, highlight=False)
    disable = _QUIET.get() or not console.is_terminal
    console.quiet = disable  # rich before 15 ends a disabled bar with an empty line
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=disable) as bars:
        task = bars.add_task(name, total=total)
        yield lambda done: bars.update(task, completed=done)
