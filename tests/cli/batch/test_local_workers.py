"""Workers that die, hang, or cannot start: by videos that do this to them."""

import os
import signal
import time
from pathlib import Path

import pytest

from poselift.cli.batch import local_workers as local
from poselift.cli.batch.local_workers import LocalEngine
from poselift.cli.batch.settings import Settings
from poselift.cli.batch.video_task import Outcome, Task
from poselift.cli.batch.videos import Video
from poselift.cli.lift_request import CommandRequest
from poselift.core.errors import InputError


class StandIn:
    """Instead of `Lifter`: does what the name of the video says."""

    def __init__(self, request, device, cores):
        if device == "broken":
            raise InputError("no weights")
        if device == "stuck":
            os.kill(os.getpid(), signal.SIGSTOP)

    def __call__(self, task):
        name = task.video.name
        if name == "exit":
            os._exit(7)
        if name == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        if name == "hang":
            time.sleep(60)
        return Outcome(task.video.folder)


@pytest.fixture
def engine(monkeypatch):
    """An engine whose workers are forked, so that they start at once and know the stand-in."""
    monkeypatch.setattr(local, "VideoLifter", StandIn)
    spawning = local.multiprocessing.get_context
    monkeypatch.setattr(local.multiprocessing, "get_context", lambda _: spawning("fork"))
    return lambda *devices, timeout=30.0: LocalEngine(CommandRequest(), list(devices), 1, timeout)


def tasks(*names):
    return [
        Task(Video(name, name, f"{number}-{name}", None, CommandRequest()), Settings({}, {}), "out")
        for number, name in enumerate(names)
    ]


def test_a_worker_that_dies_costs_its_video_only(engine):
    with engine("cpu", "cpu") as running:
        outcomes = {outcome.folder: outcome for outcome in running.lift(tasks("a", "die", "b", "die", "c"))}
    assert [outcomes[name].reason for name in ("0-a", "2-b", "4-c")] == [None] * 3
    for name in ("1-die", "3-die"):
        assert "the worker process died (Killed)" in outcomes[name].reason
        assert outcomes[name].again


def test_a_library_that_ends_the_worker_is_told(engine):
    with engine("cpu") as running:
        ended, fine = running.lift(tasks("exit", "a"))
    assert "the worker process died (exit code 7)" in ended.reason
    assert fine.reason is None


def test_a_worker_that_dies_between_two_videos_is_replaced(engine):
    with engine("cpu") as running:
        outcomes = running.lift(tasks("a", "b", "c"))
        assert next(outcomes).reason is None
        worker = running._workers[0]
        worker._process.kill()
        worker._process.join()
        second, third = outcomes
    assert "died (Killed)" in second.reason
    assert second.again
    assert third.reason is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hang", "stop"])
def test_a_worker_that_hangs_is_ended(name, engine, monkeypatch):
    monkeypatch.setattr(local, "_POLL", 0.2)
    start = time.monotonic()
    with engine("cpu", timeout=1.0) as running:
        hung, fine = running.lift(tasks(name, "a"))
    assert "longer than 1 s (--timeout)" in hung.reason
    assert fine.reason is None
    assert time.monotonic() - start < 30


@pytest.mark.slow
def test_a_worker_that_hangs_before_its_first_video_is_ended(engine, monkeypatch):
    monkeypatch.setattr(local, "_POLL", 0.2)
    monkeypatch.setattr(local, "_LOADING", 1.0)
    with engine("stuck") as running:
        [hung] = running.lift(tasks("a"))
    assert hung.reason == "its worker did not load the models within 1 s"
    assert hung.again


def test_workers_that_cannot_start_end_the_batch(engine):
    with engine("broken") as running, pytest.raises(InputError, match="no weights"):
        list(running.lift(tasks("a")))


def test_no_worker_outlives_the_engine(engine):
    with engine("cpu", "cpu") as running:
        outcomes = running.lift(tasks("a", "hang"))
        assert next(outcomes).folder == "0-a"
        processes = [worker._process.pid for worker in running._workers if worker._pool]
    assert processes
    assert not any(Path(f"/proc/{process}").exists() for process in processes)
