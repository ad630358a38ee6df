"""`python tools/study.py`: every mechanism of the survey, trained and measured alike."""

import argparse
import contextlib
import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from poselift.cli.study.budgets import BUDGETS
from poselift.cli.study.page import write_page
from poselift.cli.study.rows import Row, all_rows
from poselift.cli.study.run import Study
from poselift.cli.study.tables import write_tables
from poselift.core.errors import InputError, describe
from poselift.core.files import check_writable
from poselift.nn.attention.choices import choose


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains what is not there yet, and writes tables and plots of what is.

    Args:
        arguments: of the command line; those of this process if None.
    """
    parser = argparse.ArgumentParser(prog="tools/study.py", description=__doc__)
    parser.add_argument("--budget", choices=BUDGETS, default="smoke", help="of each row (%(default)s)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to write (outputs/study_BUDGET)")
    parser.add_argument("--corpus", metavar="FILE", help="cmu50.npz; people of our own making if left out")
    parser.add_argument("--bench", metavar="FILE", help="bench_val.npz, to go with --corpus")
    parser.add_argument("--only", nargs="+", metavar="ROW", default=[], help="these rows, by name")
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the table of docs/mechanisms.md")
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except InputError as error:
        _stop(str(error))
    except OSError as error:
        _stop(describe(error))


def _run(options: argparse.Namespace) -> None:
    """Runs the study.

    Raises:
        InputError: an option cannot be used, or a row came to nothing.
    """
    rows = all_rows()
    by_name = {row.name: row for row in rows}
    wanted = [choose("row", name, by_name) for name in options.only] or rows
    out = options.out or Path("outputs") / f"study_{options.budget}"
    check_writable(out)
    study = Study(BUDGETS[options.budget], out, _data(options))
    failed, stopped = _train(study, wanted)
    results = {row.name: result for row in rows if (result := study.finished(row))}
    if results:
        from poselift.cli.study.plots import write_plots  # matplotlib takes half a second, and only the end needs it

        write_tables(study, rows, results)
        write_plots(study, results)
    if results and options.page:
        given = ["--budget", options.budget, "--page", str(options.page)]
        given += ["--corpus", options.corpus, "--bench", options.bench] if options.corpus else []
        write_page(options.page, study, shlex.join(["python", "tools/study.py", *given]), rows, results)
    print(f"{len(results)} of {len(rows)} rows in {out}: study.md, study.csv, study.json, plots/ and rows/")
    print(f"The usual tables of them: python tools/report.py '{out}/rows/*' --cost none")
    if failed:
        raise InputError("\n".join(f"row {name}: {reason}" for name, reason in failed.items()))
    if stopped:
        print("Stopped. The same command goes on.")
        raise SystemExit(130)


def _data(options: argparse.Namespace) -> list[str]:
    """The overrides that say what is trained on."""
    if bool(options.corpus) != bool(options.bench):
        raise InputError("--corpus and --bench go together: cmu50.npz and bench_val.npz; or give neither")
    if not options.corpus:
        return ["data=synthetic"]
    return ["data=cmu", f"data.corpus='{options.corpus}'", f"data.bench='{options.bench}'"]


def _train(study: Study, rows: Sequence[Row]) -> tuple[dict[str, str], bool]:
    """Runs the rows that are not finished; why some have failed, and whether it was stopped."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    failed: dict[str, str] = {}
    console = Console(file=sys.stderr)  # where the log of a row goes is changed while it runs
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
            except (KeyboardInterrupt, SystemExit):  # Lightning makes an exit of an interrupt
                return failed, True
            progress.advance(task)
    return failed, False


@contextlib.contextmanager
def _logged(path: Path) -> Any:
    """What a row prints goes to its log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        yield


def _stop(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(2)
