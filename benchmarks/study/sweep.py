"""The study as a whole: trains one row after the other and writes tables, plots and the page."""

import contextlib
import logging
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.study.budgets import BUDGETS
from benchmarks.study.page import write_page
from benchmarks.study.plots import write_plots
from benchmarks.study.rows import Row, all_rows
from benchmarks.study.run import Study
from benchmarks.study.tables import write_tables
from poselift.cli.overrides import quote
from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.core.files import check_writable
from poselift.core.progress_text import MinuteLines, Output


@dataclass(frozen=True)
class StudyRequest:
    """A study, and where it is written.

    Attributes:
        budget: of `BUDGETS`.
        out: folder of the rows and tables.
        corpus: file to train on; synthetic motion if None.
        bench: file to validate on, with a corpus.
        only: names of rows; all if empty.
        page: the page to write; none if None.
    """

    budget: str
    out: Path
    corpus: str | None = None
    bench: str | None = None
    only: tuple[str, ...] = ()
    page: Path | None = None


def commands(request: StudyRequest) -> list[str]:
    """The full command of each wanted row, as a line for a shell.

    Raises:
        InputError: an option cannot be used.
    """
    study = Study(BUDGETS[request.budget], request.out, _data(request))
    return [study.command(row) + f" name={row.name}" for row in _wanted(request, all_rows())]


def run_study(request: StudyRequest) -> None:
    """Trains the rows that are not finished, and writes tables and plots of all finished ones.

    Raises:
        InputError: an option cannot be used, or the training of a row failed.
    """
    rows = all_rows()
    wanted = _wanted(request, rows)
    out = request.out
    check_writable(out)
    study = Study(BUDGETS[request.budget], out, _data(request))
    failed, stop = _train(study, wanted)
    results = {row.name: result for row in rows if (result := study.finished(row))}
    if results:
        write_tables(study, rows, results)
        write_plots(study, results)
    if results and request.page:
        given = ["--budget", request.budget]
        given += ["--corpus", Path(request.corpus).name, "--bench", Path(request.bench).name] if request.corpus else []
        given += ["--page", "docs/mechanisms.md"]
        write_page(request.page, study, shlex.join(["python", "-m", "benchmarks.study", *given]), rows, results)
    if results:
        print(f"{len(results)} of {len(rows)} rows in {out}: study.md, study.csv, study.json, plots/ and rows/")
        print(f"For the tables of a paper: poselift report '{out}/rows/*' --cost none")
    else:
        print(f"None of {len(rows)} rows is finished in {out}, so there are no tables and plots")
    if failed:
        raise InputError("\n".join(f"row {name}: {reason}" for name, reason in failed.items()))
    if stop is not None:
        print("Stopped. The same command continues.")
        raise SystemExit(stop)


def _wanted(request: StudyRequest, rows: Sequence[Row]) -> Sequence[Row]:
    by_name = {row.name: row for row in rows}
    return [choose("row", name, by_name) for name in request.only] or rows


def _data(request: StudyRequest) -> list[str]:
    """The overrides that choose the training data."""
    if bool(request.corpus) != bool(request.bench):
        raise InputError("--corpus and --bench go together; give both (cmu50.npz and bench_val.npz) or neither")
    if not request.corpus:
        return ["data=synthetic"]
    return ["data=cmu", f"data.corpus={quote(request.corpus)}", f"data.bench={quote(request.bench)}"]


def _train(study: Study, rows: Sequence[Row]) -> tuple[dict[str, str], int | None]:
    """Runs the rows that are not finished; the errors of failed rows by name, and the exit code if it was stopped."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    failed: dict[str, str] = {}
    console = Console(file=sys.stderr)  # before a row redirects stderr to its log
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False) as progress:
        task = progress.add_task("study", total=len(rows))
        lines = MinuteLines(Output(sys.stderr))
        for row in rows:
            progress.update(task, description=row.name)
            try:
                if study.finished(row) is None:
                    with _logged(study.folder(row) / "log.txt"):
                        study.run(row)
            except InputError as error:
                failed[row.name] = str(error)
            except KeyboardInterrupt:
                return failed, 128 + signal.SIGINT
            except SystemExit as stop:  # of a training that was stopped, or by SIGTERM outside a training
                return failed, stop.code if isinstance(stop.code, int) else 1
            progress.advance(task)
            lines.report("study", progress.tasks[task].completed / len(rows))
    return failed, None


@contextlib.contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Writes what a row prints to its log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        yield
