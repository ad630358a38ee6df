"""The study as a whole: trains the rows, measures their costs, and writes tables, plots and the page."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.study.budgets import BUDGETS
from benchmarks.study.page import write_page
from benchmarks.study.plots import write_plots
from benchmarks.study.results import read_results
from benchmarks.study.rows import Row
from benchmarks.study.run import Study
from benchmarks.study.tables import write_tables
from benchmarks.study.workers import train_rows
from poselift.cli.overrides import quote
from poselift.core.choices import choose
from poselift.core.errors import InputError
from poselift.core.files import check_writable


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
        seeds: of the trainings of each row.
        device: of the trainings: cpu or cuda.
        workers: trainings at once.
        seconds: no training begins later; None for no limit.
        costs: whether to measure the costs of trained rows.
        cpu: folder of the same budget on the CPU, for costs and trainings that are not here; None for none.
    """

    budget: str
    out: Path
    corpus: str | None = None
    bench: str | None = None
    only: tuple[str, ...] = ()
    page: Path | None = None
    seeds: tuple[int, ...] = (0,)
    device: str = "cpu"
    workers: int = 1
    seconds: float | None = None
    costs: bool = True
    cpu: Path | None = None


def commands(request: StudyRequest) -> list[str]:
    """The full command of each wanted row, as a line for a shell.

    Raises:
        InputError: an option cannot be used.
    """
    study, rows = _study(request), BUDGETS[request.budget].rows()
    wanted = _wanted(request, rows)
    return [study.command(row, seed) + f" name={row.name}" for row in wanted for seed in request.seeds]


def run_study(request: StudyRequest) -> None:
    """Trains the rows that are not finished, and writes tables and plots of all finished ones.

    Raises:
        InputError: an option cannot be used, or the training of a row failed.
    """
    rows = BUDGETS[request.budget].rows()
    wanted = _wanted(request, rows)
    out = request.out
    check_writable(out)
    study = _study(request)
    by_name = {row.name: row for row in rows}
    trained = list(dict.fromkeys(by_name[row.equals or row.name] for row in wanted))
    outcome = train_rows(study, trained, request.seeds, request.workers, request.seconds)
    first = request.seeds[0]
    if request.costs and outcome.stop is None:
        for row in trained:
            if study.finished(row, first) and not study.costs(row, first):
                study.measure(row, first)
    beside = [Study(study.budget, request.cpu, study.data)] if request.cpu else []
    results = read_results([study, *beside], rows, request.seeds)
    if results:
        write_tables(study, results)
        write_plots(study, results)
    if results and request.page:
        given = ["--budget", request.budget, "--seeds", *map(str, request.seeds)]
        given += ["--device", request.device] if request.device != "cpu" else []
        # The page names no folders of the machine that wrote it.
        given += ["--out", f"outputs/{out.name}", "--cpu", f"outputs/{request.cpu.name}"] if request.cpu else []
        given += [] if request.costs else ["--no-costs"]
        given += (
            ["--corpus", Path(request.corpus).name, "--bench", Path(request.bench).name]
            if request.corpus and request.bench
            else []
        )
        given += ["--page", "docs/mechanisms.md"]
        write_page(request.page, study, shlex.join(["python", "-m", "benchmarks.study", *given]), results)
    if results:
        print(f"{len(results)} of {len(rows)} rows in {out}: study.md, study.csv, study.json, plots/ and rows/")
        print(f"For the tables of a paper: poselift report '{out}/rows/*/seed_*' --cost none")
    else:
        print(f"None of {len(rows)} rows is finished in {out}, so there are no tables and plots")
    if outcome.left_out:
        print(f"{outcome.left_out} trainings were not begun in {request.seconds:g} s. The same command continues.")
    if outcome.failed:
        raise InputError("\n".join(f"row {name}: {reason}" for name, reason in outcome.failed.items()))
    if outcome.stop is not None:
        print("Stopped. The same command continues.")
        raise SystemExit(outcome.stop)


def _study(request: StudyRequest) -> Study:
    return Study(BUDGETS[request.budget], request.out, _data(request), request.device)


def _wanted(request: StudyRequest, rows: Sequence[Row]) -> Sequence[Row]:
    by_name = {row.name: row for row in rows}
    return [choose("row", name, by_name) for name in request.only] or rows


def _data(request: StudyRequest) -> list[str]:
    """The overrides that choose the training data."""
    if bool(request.corpus) != bool(request.bench):
        raise InputError("--corpus and --bench go together; give both (cmu50.npz and bench_val.npz) or neither")
    if not (request.corpus and request.bench):
        return ["data=synthetic"]
    return ["data=cmu", f"data.corpus={quote(request.corpus)}", f"data.bench={quote(request.bench)}"]
