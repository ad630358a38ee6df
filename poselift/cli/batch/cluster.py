"""The engine of many machines: Ray tasks.

Ray decides what runs where, starts machines if its autoscaler may, and notices those that die. Tasks rather than
actors: tasks that wait are what the autoscaler sees, and they go to any machine that comes or stays. Ray keeps worker
processes for further tasks, so each loads the models once.
"""

import contextlib
import faulthandler
import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any

from poselift.cli.batch.video_task import WORKERS_A_GPU, Outcome, Task, VideoLifter
from poselift.cli.lift_request import CommandRequest
from poselift.core.errors import InputError
from poselift.core.optional import require

_SUBMITTED = 10_000
"""Largest number of tasks that Ray knows at a time: each takes memory in the process that submits it."""

_lifters: dict[str, VideoLifter] = {}
"""The models of this worker process, by the request that chooses them."""


class RayEngine:
    """Lifts videos on a Ray cluster.

    It takes the cluster of `RAY_ADDRESS`, or the one that runs on this machine, or this machine alone.

    Args:
        request: for all videos, which chooses the models.
        device: auto, cpu or cuda. Ray chooses the GPUs.
        timeout: seconds for one video.

    Raises:
        InputError: Ray is not installed, its cluster cannot be reached, or the device is one GPU by number.
    """

    def __init__(self, request: CommandRequest, device: str, timeout: float) -> None:
        if device not in ("auto", "cpu", "cuda"):
            raise InputError(f"--device {device}: Ray chooses the GPUs; give auto, cpu or cuda")
        self._ray: Any = require("ray", "ray")
        try:
            self._ray.init(log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(f"the Ray cluster cannot be reached ({' '.join(str(error).split())})") from error
        has_gpus = self._ray.cluster_resources().get("GPU", 0) > 0 and not request.detection.detector.prefers_cpu
        self._gpus = 1 / WORKERS_A_GPU if device == "cuda" or (device == "auto" and has_gpus) else 0
        self._request, self._device, self._timeout = request, device, timeout

    def __enter__(self) -> "RayEngine":
        return self

    def __exit__(self, *error: object) -> None:
        """Takes back the tasks that have not begun, and leaves the cluster."""
        self._ray.shutdown()

    def lift(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """The outcomes, in the order in which they are ready.

        Raises:
            InputError: a worker cannot load the models.
        """
        ray = self._ray
        # Ray would end a worker with a GPU after one task (max_calls), and try again on its own (max_retries).
        run = ray.remote(num_cpus=1, num_gpus=self._gpus, max_calls=0, max_retries=0)(_run)
        shared = ray.put((self._request, self._device, self._timeout))
        waiting = iter(tasks)
        running = {run.remote(shared, task): task for task in itertools.islice(waiting, _SUBMITTED)}
        while running:
            [done], _ = ray.wait(list(running), num_returns=1)
            task = running.pop(done)
            running |= {run.remote(shared, following): following for following in itertools.islice(waiting, 1)}
            try:
                outcome = ray.get(done)
            except ray.exceptions.RayError as error:
                reason = f"its worker died, or it took longer than {self._timeout:g} s ({type(error).__name__})"
                outcome = Outcome(task.video.folder, reason, again=True, lasting=True)
            if isinstance(outcome, InputError):
                raise outcome
            yield outcome


def _run(shared: tuple[CommandRequest, str, float], task: Task) -> Outcome | InputError:
    """Lifts a video in a worker of Ray; returns errors of models."""
    request, device, timeout = shared
    key = repr((request, device))
    if key not in _lifters:
        _lifters.clear()
        try:
            _lifters[key] = VideoLifter(request, device, 1)
        except InputError as error:
            return InputError(str(error))
    with _end_after(timeout):
        return _lifters[key](task)


@contextlib.contextmanager
def _end_after(seconds: float) -> Iterator[None]:
    """Ends the whole process if the block takes longer.

    The watching thread is C code: it also ends a process that hangs inside a library and holds Python's lock.
    """
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
