"""A lock that one process holds, by a file."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import filelock

from poselift.core.errors import InputError


class BusyError(InputError):
    """Another process holds a lock."""


@contextlib.contextmanager
def locked(path: Path, busy: str, patience: float = 0.0) -> Iterator[None]:
    """Holds the lock while the block runs.

    The operating system frees the lock of a process that dies, so a file that was left behind locks nothing. On a file
    system without locks, nothing is locked.

    Args:
        path: the lock's file, which is removed at the end.
        busy: message of the error if another process holds the lock.
        patience: seconds to wait for it.

    Raises:
        BusyError: another process, or another part of this one, holds the lock.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "lock"
        >>> with locked(path, "taken"), locked(path, "taken"):
        ...     pass
        Traceback (most recent call last):
        poselift.core.locks.BusyError: taken
    """
    lock = filelock.FileLock(path, timeout=patience)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise BusyError(busy) from None
    except (OSError, NotImplementedError):
        yield
        return
    try:
        yield
    finally:
        # Before the release, so that nobody else holds the file. Windows removes no open file.
        with contextlib.suppress(OSError):
            path.unlink()
        lock.release()
