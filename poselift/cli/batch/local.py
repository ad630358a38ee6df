"""The engine of one machine: worker processes, each with its own models."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from poselift.cli.batch.limits import ending_after
from poselift.cli.batch.task import Lifter, Outcome, Task
from poselift.cli.lift_request import LiftRequest
from poselift.core.errors import InputError

_STARTED = "started"

_GRACE = 5.0
"""Seconds after the time limit, at which a worker ends itself, until it is ended: a stopped process does nothing."""

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

    def __init__(self, request: LiftRequest, devices: list[str], cores: int, timeout: float) -> None:
        self._timeout = timeout
        self._workers = [_Worker(request, device, cores, timeout) for device in devices]

    def __enter__(self) -> "LocalEngine":
        return self

    def __exit__(self, *error: object) -> None:
        """Ends all workers at once: what they have not finished is done by the next run."""
        for worker in self._workers:
            worker.end()

    def lift(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """The outcomes, in the order in which they are ready.

        Raises:
            InputError: a worker cannot load the models.
        """
        waiting = deque(tasks)
        while waiting or any(worker.task for worker in self._workers):
            for worker in self._workers:
                if waiting and worker.task is None:
                    worker.begin(waiting.popleft())
            ready = wait([worker.connection for worker in self._workers if worker.task], timeout=_GRACE)
            for worker in self._workers:
                worker.end_if_late()
            for worker in self._workers:
                if worker.task and worker.connection in ready:
                    outcome = worker.outcome()
                    if outcome is not None:
                        yield outcome


class _Worker:
    """A worker process, which is started when it has something to do."""

    connection: Connection
    """To the process; only while there is a task."""

    def __init__(self, request: LiftRequest, device: str, cores: int, timeout: float) -> None:
        self._arguments = (request, device, cores, timeout)
        self._timeout = timeout
        self._process: BaseProcess | None = None
        self.task: Task | None = None
        self._since = 0.0
        self._started = False

    def begin(self, task: Task) -> None:
        """Gives a task to the process."""
        self.task, self._since = task, time.monotonic()
        if self._process is None:
            # Spawned: threads of this process, of libraries too, do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self.connection, theirs = context.Pipe()
            self._process = context.Process(target=_work, args=(theirs, *self._arguments), daemon=True)
            self._process.start()
            self._started = False
            theirs.close()  # so that the end of the process closes the connection
        with contextlib.suppress(OSError):  # it has died; `outcome` tells
            self.connection.send(task)

    def outcome(self) -> Outcome | None:
        """What became of the task, after the connection is ready; None while the models were being loaded.

        Raises:
            InputError: the process cannot load the models.
        """
        assert self.task is not None
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            said = Outcome(self.task.video.folder, self._death(), again=True, lasting=True)
        if said == _STARTED:
            self._started, self._since = True, time.monotonic()
            return None
        if isinstance(said, InputError):
            raise said
        self.task = None
        outcome: Outcome = said
        return outcome

    def _death(self) -> str:
        """Why the process has ended."""
        assert self._process is not None
        self._process.join()
        code, self._process = self._process.exitcode, None
        self.connection.close()
        if not self._started and code == -signal.SIGKILL and time.monotonic() - self._since > _LOADING:
            return f"its worker did not load the models within {_LOADING:g} s"
        if code in (1, -signal.SIGKILL) and time.monotonic() - self._since > 0.9 * self._timeout:
            return f"it took longer than {self._timeout:g} s (--timeout)"
        how = signal.strsignal(-code) if code is not None and code < 0 else f"exit code {code}"
        return f"the worker process died ({how}); the video needs too much memory, or crashes a library"

    def end_if_late(self) -> None:
        """Ends the process if it is long past its time limit; `outcome` tells."""
        late = time.monotonic() - self._since > (self._timeout + _GRACE if self._started else _LOADING)
        if late and self.task is not None and self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """Ends the process at once."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self.connection.close()
            self._process = None


def _work(connection: Connection, request: LiftRequest, device: str, cores: int, timeout: float) -> None:
    """The life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        lifter = Lifter(request, device, cores)
    except InputError as error:
        connection.send(InputError(str(error)))
        return
    connection.send(_STARTED)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        with ending_after(timeout):
            outcome = lifter(task)
        connection.send(outcome)


def _end_with_parent() -> None:
    """Ends this process when the one that started it has died, however that happened."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
