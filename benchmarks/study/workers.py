"""Trains the rows of a study, one after the other or in several processes at once."""

import contextlib
import logging
import multiprocessing
import signal
import sys
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.study.rows import Row
from benchmarks.study.run import Study
from poselift.core.errors import InputError
from poselift.core.progress_text import MinuteLines, Output

_LEFT_OUT = "it was not begun in time"


@dataclass(frozen=True)
class Outcome:
    """What became of the trainings.

    Attributes:
        failed: the error of each training that failed, by its name.
        left_out: the number of trainings that were not begun in time.
        stop: the exit code if the study was stopped; None if it was not.
    """

    failed: dict[str, str]
    left_out: int = 0
    stop: int | None = None


def train_rows(
    study: Study, rows: Sequence[Row], seeds: Sequence[int], workers: int = 1, seconds: float | None = None
) -> Outcome:
    """Trains the rows with each seed.

    Args:
        study: of the rows.
        rows: those that equal no other.
        seeds: of the trainings.
        workers: number of processes; each keeps to one seed, whose batches it makes once.
        seconds: no training begins later than this; None for no limit.
    """
    until = None if seconds is None else time.time() + seconds
    jobs = [(seed, row) for seed in seeds for row in rows if study.finished(row, seed) is None]
    failed: dict[str, str] = {}
    left_out = 0
    console = Console(file=sys.stderr)  # before a row redirects stderr to its log
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False) as progress:
        task = progress.add_task("study", total=len(jobs))
        lines = MinuteLines(Output(sys.stderr))
        run = _one_by_one(study, jobs, until) if workers == 1 else _at_once(study, jobs, until, workers)
        with contextlib.closing(run):
            try:
                for name, error in run:
                    left_out += error == _LEFT_OUT
                    if error not in (None, _LEFT_OUT):
                        failed[name] = str(error)
                    progress.update(task, description=name, advance=1)
                    lines.report("study", progress.tasks[task].completed / len(jobs))
            except KeyboardInterrupt:
                return Outcome(failed, left_out, 128 + signal.SIGINT)
            except SystemExit as stop:  # of a training that was stopped, or by SIGTERM outside a training
                return Outcome(failed, left_out, stop.code if isinstance(stop.code, int) else 1)
    return Outcome(failed, left_out)


_Jobs = Sequence[tuple[int, Row]]
_Done = Generator[tuple[str, str | None], None, None]
"""The name of each training, and its error."""


def _one_by_one(study: Study, jobs: _Jobs, until: float | None) -> _Done:
    for seed, row in jobs:
        yield _name(seed, row), _run(study, seed, row, until)


def _at_once(study: Study, jobs: _Jobs, until: float | None, workers: int) -> _Done:
    """Shares the seeds among the workers; processes that start from a prepared one do not import all again."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload([__name__])
    seeds = sorted({seed for seed, _ in jobs})
    pools = {
        seed: ProcessPoolExecutor(len(range(place, max(workers, len(seeds)), len(seeds))), context, _begin, (study,))
        for place, seed in enumerate(seeds)
    }
    try:
        names: dict[Future[str | None], str] = {
            pools[seed].submit(_run_kept, seed, row, until): _name(seed, row) for seed, row in jobs
        }
        for done in as_completed(names):
            yield names[done], done.result()
    finally:
        for pool in pools.values():
            pool.shutdown(cancel_futures=True)


def _name(seed: int, row: Row) -> str:
    return f"{row.name}, seed {seed}"


_study: Study
"""The study of a worker, with the batches of its seed."""


def _begin(study: Study) -> None:
    global _study
    _study = study
    torch.set_num_threads(1)


def _run_kept(seed: int, row: Row, until: float | None) -> str | None:
    try:
        return _run(_study, seed, row, until)
    except Exception as error:  # the others of this process go on
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"


def _run(study: Study, seed: int, row: Row, until: float | None) -> str | None:
    """Trains one row; the error if it failed."""
    if until is not None and time.time() > until:
        return _LEFT_OUT
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    try:
        with _logged(study.folder(row) / f"seed_{seed}" / "log.txt"):
            study.run(row, seed)
    except InputError as error:
        return str(error)
    return None


@contextlib.contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Writes what a row prints to its log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        yield
