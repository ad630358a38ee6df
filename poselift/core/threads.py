"""Thread pools, as large as this process has cores."""

import functools
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

_limit = 0
"""See `core_limit`."""

_PATIENT = 5
"""Nice value of threads that give way: a third of the time of others. With 15, other programs would stop them."""


def core_limit() -> int:
    """Number of cores that were set with `limit_cores`; 0 for no limit."""
    return _limit


def limit_cores(most: int) -> None:
    """Limits the cores of this process's networks, on a shared machine.

    Call it before the first network is opened.
    """
    global _limit
    _limit = most


def limit_torch(most: int) -> None:
    """Limits PyTorch's threads, if a model here uses it. Call it after the models are loaded."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(most)


def cores() -> int:
    """Number of CPU cores that this process may use."""
    if _limit:
        return _limit
    # macOS and Windows have no affinity.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def pool() -> ThreadPoolExecutor:
    """The pool that all networks share.

    More threads than cores would only wait for each other. A task must not wait for another task of the pool.

    Example:
        >>> list(pool().map(abs, [-1, 2]))
        [1, 2]
    """
    return ThreadPoolExecutor(cores(), "poselift")


@functools.cache
def background_pool() -> ThreadPoolExecutor:
    """A pool for slow work that yields to other threads. Its threads have a lower priority on Linux."""
    return ThreadPoolExecutor(cores(), "poselift-patient", initializer=_give_way)


def _give_way() -> None:
    if sys.platform == "linux":  # elsewhere the priority is that of the whole process
        thread = threading.get_native_id()
        # A process may have less priority already, and may not raise it.
        os.setpriority(os.PRIO_PROCESS, thread, max(_PATIENT, os.getpriority(os.PRIO_PROCESS, thread)))
