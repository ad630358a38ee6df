"""Limits of workers: how many share a GPU, and how long a video may take."""

import contextlib
import faulthandler
import os
from collections.abc import Iterator

WORKERS_A_GPU = 4
"""Workers that share a GPU: while one reads pictures, the GPU works for another."""


@contextlib.contextmanager
def ending_after(seconds: float) -> Iterator[None]:
    """Ends the whole process if the block takes longer.

    The watching thread is C code: it also ends a process that hangs inside a library and holds Python's lock.
    """
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
