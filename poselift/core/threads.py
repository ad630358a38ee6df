"""Pools of threads, as large as the machine has cores for this process."""

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
    """Sets how many cores the networks of this process use, where processes share the machine.

    Call it before the first network is opened.
    """
    global _limit
    _limit = most


def limit_torch(most: int) -> None:
    """Sets the threads of PyTorch, if a model of this process runs with it; call it after the models are loaded."""
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
    """The pool that all networks share: more threads than cores would only wait for each other.

    A task must not wait for another task of the pool.

    Example:
        >>> list(pool().map(abs, [-1, 2]))
        [1, 2]
    """
    return ThreadPoolExecutor(cores(), "poselift")


@functools.cache
def background_pool() -> ThreadPoolExecutor:
    """A pool for what may take longer while other threads need the cores: on Linux its threads give way to them."""
    return ThreadPoolExecutor(cores(), "poselift-patient", initializer=_give_way)


def _give_way() -> None:
    if sys.platform == "linux":  # elsewhere the priority is that of the whole process
        thread = threading.get_native_id()
        # A process may have less priority already, and may not raise it.
        os.setpriority(os.PRIO_PROCESS, thread, max(_PATIENT, os.getpriority(os.PRIO_PROCESS, thread)))
