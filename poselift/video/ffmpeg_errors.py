"""Errors in FFmpeg's log: most damage shows nowhere else. It reports them while it reads and decodes."""

import contextlib
import threading
from collections.abc import Iterator

import av

_lock = threading.Lock()
_readers = 0


class FfmpegErrors:
    """Errors that FFmpeg has reported since the start.

    FFmpeg has one log for the whole process, so readers that run at the same time count each other's errors.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forgets the errors so far."""
        self._before = av.logging.get_last_error()[0]

    @property
    def count(self) -> int:
        """Number of the errors."""
        return av.logging.get_last_error()[0] - self._before

    @property
    def last(self) -> str:
        """FFmpeg's last error; empty without one. One is "h264: error while decoding MB 2 1"."""
        log = av.logging.get_last_error()[1]
        return f"{log[1]}: {log[2].strip()}"[:120] if log is not None and self.count > 0 else ""


@contextlib.contextmanager
def count_errors() -> Iterator[FfmpegErrors]:
    """Counts FFmpeg's errors in the block, without printing them."""
    global _readers
    with _lock:
        ours = _readers > 0 or av.logging.get_level() is None
        if ours:
            _readers += 1
            # At this level PyAV counts errors and passes none on to Python's logging.
            av.logging.set_level(av.logging.PANIC)
    try:
        yield FfmpegErrors()
    finally:
        with _lock:
            if ours:
                _readers -= 1
                if _readers == 0:
                    av.logging.set_level(None)
