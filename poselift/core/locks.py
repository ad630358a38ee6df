"""A lock that one process holds, by a file."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from poselift.core.errors import InputError

_LOCK = ".poselift_lock"
"""Name of the lock's file in a folder of results."""


class BusyError(InputError):
    """Another process holds a lock."""


@contextlib.contextmanager
def hold_lock(path: Path, busy: str, patience: float = 0.0) -> Iterator[None]:
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
        >>> with hold_lock(path, "taken"), hold_lock(path, "taken"):
        ...     pass
        Traceback (most recent call last):
        poselift.core.locks.BusyError: taken
    """
    import filelock  # most commands need none

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


@contextlib.contextmanager
def write_alone(folder: Path, option: str) -> Iterator[None]:
    """A block in which no other command writes to a folder. The folder is made, and removed if it stays empty.

    Args:
        folder: the folder.
        option: names another one, in the message.

    Raises:
        BusyError: another command is writing to it.
    """
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    busy = f"another run is writing to {folder}; wait for its end, or choose another {option}"
    try:
        with hold_lock(folder / _LOCK, busy):
            yield
    finally:
        if made:
            with contextlib.suppress(OSError):  # it has files
                folder.rmdir()
