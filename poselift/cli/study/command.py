"""`poselift study`: trains and measures every mechanism of the thesis in the same way."""

import argparse
from pathlib import Path
from typing import Any

from poselift.cli.results import folder


def add_command(commands: Any) -> None:
    """Adds `study` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "study",
        description="Trains every mechanism of the thesis with the same budget, and writes tables and plots of their "
        "errors and costs. The same command continues a study that was stopped.",
    )
    parser.add_argument(
        "--budget",
        choices=("smoke", "short", "full"),
        default="smoke",
        help="training of each row: smoke takes ten minutes of two cores, short two hours of one, full an hour on a "
        "GPU (default: %(default)s)",
    )
    parser.add_argument(
        "--out", type=folder, metavar="DIR", help="the folder to write to (default: outputs/study_BUDGET)"
    )
    parser.add_argument("--corpus", metavar="FILE", help="cmu50.npz to train on (default: synthetic motion)")
    parser.add_argument("--bench", metavar="FILE", help="bench_val.npz to validate on; needs --corpus")
    parser.add_argument("--only", nargs="+", metavar="ROW", default=[], help="only these rows, by name")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="also write the page docs/mechanisms.md; needs a checkout"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Runs the study.

    Raises:
        InputError: an option cannot be used, or the training of a row failed.
    """
    # Imported here, as Lightning takes seconds to load and only this command and `train` need it.
    from poselift.cli.study.sweep import run_study

    run_study(options)
