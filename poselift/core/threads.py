"""One pool of threads, as large as the machine has cores for this process."""

import functools
import os
from concurrent.futures import ThreadPoolExecutor


def cores() -> int:
    """Number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def pool() -> ThreadPoolExecutor:
    """The pool that all networks share: more threads than cores would only wait for each other.

    A task must not wait for another task of the pool.

    Example:
        >>> list(pool().map(abs, [-1, 2]))
        [1, 2]
    """
    return ThreadPoolExecutor(cores(), "poselift")
