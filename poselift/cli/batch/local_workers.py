"""The engine of one machine: worker processes, each with its own models.

Each worker is an executor of one process: it breaks alone if its process dies, and a device is its own.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess

from poselift.cli.batch.video_task import Outcome, Task, VideoLifter
from poselift.cli.lift_request import CommandRequest
from poselift.recordings.batch_folders import tidy_stopped

_POLL = 1.0
"""Seconds between two checks for workers that take too long."""

_LOADING = 600.0
"""Seconds in which a worker must load the models; one that hangs there would hold up the batch for ever."""


class LocalEngine:
    """Lifts videos in worker processes. A worker that dies is replaced; its video fails.

    Args:
        request: for all videos, which chooses the models.
        devices: one for each worker.
        cores: CPU cores of each worker.
        timeout: seconds for one video.
    """

    def __init__(self, request: CommandRequest, devices: list[str], cores: int, timeout: float) -> None:
        self._workers = [_Worker(request, device, cores, timeout) for device in devices]

    def __enter__(self) -> "LocalEngine":
        return self

    def __exit__(self, *error: object) -> None:
        """Ends all workers at once; the next run does the rest."""
        for worker in self._workers:
            worker.end()
            worker.tidy()

    def lift(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """The outcomes, in the order in which they are ready.

        Raises:
            InputError: a worker cannot load the models.
        """
        waiting, idle = deque(tasks), list(self._workers)
        running: dict[Future[Outcome], _Worker] = {}
        while waiting or running:
            while waiting and idle:
                worker = idle.pop()
                running[worker.begin(waiting.popleft())] = worker
            done, _ = wait(running, _POLL, FIRST_COMPLETED)
            for worker in running.values():
                worker.end_if_late()
            for future in done:
                worker = running.pop(future)
                idle.append(worker)
                yield worker.outcome(future)


class _Worker:
    """A worker process, which is started when it has something to do."""

    def __init__(self, request: CommandRequest, device: str, cores: int, timeout: float) -> None:
        self._models = (request, device, cores)
        self._timeout = timeout
        self._pool: ProcessPoolExecutor | None = None
        self._process: BaseProcess
        self._loaded: Future[None]
        self._task: Task
        self._since = 0.0
        self._late = self._busy = False

    def begin(self, task: Task) -> "Future[Outcome]":
        """Gives a task to the process."""
        self._task, self._since, self._late, self._busy = task, time.monotonic(), False, True
        if self._pool is None:
            # Spawned: threads of this process, of libraries too, do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, initializer=_prepare)
            others = multiprocessing.active_children()
            self._loaded = self._pool.submit(_load, *self._models)
            self._loaded.add_done_callback(self._restart_clock)
            [self._process] = set(multiprocessing.active_children()) - set(others)
        try:
            return self._pool.submit(_lift, task)
        except BrokenProcessPool as error:  # it has died while it was idle
            future: Future[Outcome] = Future()
            future.set_exception(error)
            return future

    def outcome(self, future: "Future[Outcome]") -> Outcome:
        """The outcome of a task whose future is done. Raises an InputError if the models cannot be loaded."""
        try:
            self._loaded.result()
            outcome = future.result()
        except BrokenProcessPool:
            reason = self._explain_death()
            self.end()
            return Outcome(self._task.video.folder, reason, again=True, lasting=True)
        self._busy = False
        return outcome

    def end_if_late(self) -> None:
        """Ends the process past its time limit; its future tells."""
        if time.monotonic() - self._since > (self._timeout if self._loaded.done() else _LOADING):
            self._late = True
            self._process.kill()

    def end(self) -> None:
        """Ends the process at once."""
        if self._pool is not None:
            self._process.kill()
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def tidy(self) -> None:
        """Removes what the task of an ended process has left."""
        if self._busy:
            tidy_stopped(self._task.out, self._task.video.folder)

    def _restart_clock(self, loaded: "Future[None]") -> None:
        self._since = time.monotonic()

    def _explain_death(self) -> str:
        """Why the process has ended."""
        if self._late and self._loaded.exception() is not None:
            return f"its worker did not load the models within {_LOADING:g} s"
        if self._late:
            return f"it took longer than {self._timeout:g} s (--timeout)"
        if self._pool is not None:
            # Its thread waits for the process, and only one waiter gets the code.
            self._pool.shutdown(cancel_futures=True)
        code = self._process.exitcode
        how = signal.strsignal(-code) if code is not None and code < 0 else f"exit code {code}"
        return f"the worker process died ({how}); the video needs too much memory, or crashes a library"


_lifters: list[VideoLifter] = []
"""The models of this worker process."""


def _prepare() -> None:
    """What comes first in a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _load(request: CommandRequest, device: str, cores: int) -> None:
    _lifters.append(VideoLifter(request, device, cores))


def _lift(task: Task) -> Outcome:
    return _lifters[0](task)


def _end_with_parent() -> None:
    """Ends this process when its parent has died, for whatever reason."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
