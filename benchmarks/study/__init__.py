"""Trains and measures every mechanism of the thesis in the same way: python -m benchmarks.study [--budget short]."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.study.budgets import BUDGETS
from benchmarks.study.sweep import StudyRequest, commands, run_study
from poselift.core.errors import InputError


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the study.

    Raises:
        SystemExit: an option cannot be used, the training of a row failed, or the study was stopped.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.study",
        description="Trains every mechanism of the thesis with the same budget, and writes tables and plots of their "
        "errors and costs. The same command continues a study that was stopped.",
    )
    parser.add_argument(
        "--budget",
        choices=list(BUDGETS),
        default="smoke",
        help="training of each row: smoke takes ten minutes of two cores, short two hours of one, full an hour on a "
        "GPU; long_243 and long_729 train efficient mechanisms on long windows, deep_6 and deep_12 compare warm-ups "
        "(default: %(default)s)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder to write to (default: outputs/study_BUDGET)")
    parser.add_argument("--corpus", metavar="FILE", help="cmu50.npz to train on (default: synthetic motion)")
    parser.add_argument("--bench", metavar="FILE", help="bench_val.npz to validate on; needs --corpus")
    parser.add_argument("--only", nargs="+", metavar="ROW", default=[], help="only these rows, by name")
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the page docs/mechanisms.md")
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=[0], metavar="N", help="trainings of each row (default: 0)"
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="of the trainings and costs (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="trainings at once, of which each takes a core (default: 1)"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="no training begins later than this (default: no limit)"
    )
    parser.add_argument(
        "--no-costs", action="store_true", help="do not measure costs, which needs a machine that does nothing else"
    )
    parser.add_argument(
        "--cpu",
        type=Path,
        metavar="DIR",
        help="with --device cuda: folder of the same budget on the CPU, for costs and trainings that are not here",
    )
    parser.add_argument(
        "--commands", action="store_true", help="only print the full command of each row, and train nothing"
    )
    given = parser.parse_args(arguments)
    out = given.out or Path("outputs") / f"study_{given.budget}"
    request = StudyRequest(
        given.budget,
        out,
        given.corpus,
        given.bench,
        tuple(given.only),
        given.page,
        tuple(given.seeds),
        given.device,
        given.workers,
        given.seconds,
        not given.no_costs,
        given.cpu,
    )
    try:
        if given.commands:
            print("\n".join(commands(request)))
        else:
            run_study(request)
    except InputError as error:
        parser.exit(2, f"error: {error}\n")
