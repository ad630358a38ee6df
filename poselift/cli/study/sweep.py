"""The study as a whole: trains one row after the other and writes tables, plots and the page."""

import argparse
import contextlib
import logging
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from poselift.cli.overrides import quoted
from poselift.cli.study.budgets import BUDGETS
from poselift.cli.study.page import write_page
from poselift.cli.study.plots import write_plots
from poselift.cli.study.rows import Row, all_rows
from poselift.cli.study.run import Study
from poselift.cli.study.tables import write_tables
from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.core.files import check_writable


def run_study(options: argparse.Namespace) -> None:
    """Trains the rows that are not finished, and writes tables and plots of all finished ones.

    Args:
        options: of `poselift study`.

    Raises:
        InputError: an option cannot be used, or the training of a row failed.
    """
    rows = all_rows()
    by_name = {row.name: row for row in rows}
    wanted = [choose("row", name, by_name) for name in options.only] or rows
    out = options.out or Path("outputs") / f"study_{options.budget}"
    check_writable(out)
    study = Study(BUDGETS[options.budget], out, _data(options))
    failed, stop = _train(study, wanted)
    results = {row.name: result for row in rows if (result := study.finished(row))}
    if results:
        write_tables(study, rows, results)
        write_plots(study, results)
    if results and options.page:
        given = ["--budget", options.budget]
        given += ["--corpus", Path(options.corpus).name, "--bench", Path(options.bench).name] if options.corpus else []
        given += ["--page", "docs/mechanisms.md"]
        write_page(options.page, study, shlex.join(["poselift", "study", *given]), rows, results)
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


def _data(options: argparse.Namespace) -> list[str]:
    """The overrides that choose the training data."""
    if bool(options.corpus) != bool(options.bench):
        raise InputError("--corpus and --bench go together; give both (cmu50.npz and bench_val.npz) or neither")
    if not options.corpus:
        return ["data=synthetic"]
    return ["data=cmu", f"data.corpus={quoted(options.corpus)}", f"data.bench={quoted(options.bench)}"]


def _train(study: Study, rows: Sequence[Row]) -> tuple[dict[str, str], int | None]:
    """Runs the rows that are not finished; the errors of failed rows by name, and the exit code if it was stopped."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    failed: dict[str, str] = {}
    console = Console(file=sys.stderr)  # before a row redirects stderr to its log
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False) as progress:
        task = progress.add_task("study", total=len(rows))
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
    return failed, None


@contextlib.contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Writes what a row prints to its log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        yield
