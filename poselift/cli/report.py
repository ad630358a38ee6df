"""`poselift report`: tables, plots and a page from evaluations."""

import argparse
import sys
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from rich.console import Console

from poselift.cli.values import full_text, local_path
from poselift.core.errors import InputError
from poselift.core.files import check_writable
from poselift.core.locks import write_alone
from poselift.core.publishing import find_published

_SWEEP = "multirun.yaml"
"""File of Hydra beside the folders of a sweep's jobs."""


def add_command(commands: Any) -> None:
    """Adds `report` to the console script."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        description="Compares evaluations of `poselift evaluate`: tables as LaTeX, Markdown and CSV, plots as PDF and "
        "PNG, and one page index.html with all of them. Runs that differ only in their seeds become one row with mean "
        "and standard deviation. Each protocol has its own table.",
    )
    parser.add_argument(
        "runs",
        type=full_text,
        nargs="+",
        metavar="RUN",
        help="folders of `poselift evaluate`, metrics.json files, or patterns",
    )
    parser.add_argument(
        "--out",
        type=local_path,
        default=Path("outputs/report"),
        metavar="DIR",
        help="the folder to write to (default: %(default)s)",
    )
    parser.add_argument(
        "--peers",
        type=full_text,
        default="default",
        metavar="FILE",
        help="published results to cite: a YAML file, default (the file of poselift) or none",
    )
    parser.add_argument(
        "--cost",
        type=full_text,
        default="measure",
        metavar="FILE",
        help="the cost of the models: measure (default), none, or the cost.json of an earlier report, which gives the "
        "same tables to the last digit",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the report.

    Raises:
        InputError: a run or an option cannot be used.
    """
    # Imported here, because matplotlib is slow to load.
    from poselift.reports.cost import measure_costs, read_costs, write_costs
    from poselift.reports.entries import sections
    from poselift.reports.published import DEFAULT_PUBLISHED, read_published
    from poselift.reports.report_folder import write_report
    from poselift.reports.runs import read_runs

    check_writable(options.out)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    peers = (
        []
        if options.peers == "none"
        else read_published(DEFAULT_PUBLISHED if options.peers == "default" else options.peers)
    )
    found, warnings = sections(read_runs(_expand(options.runs)))
    with write_alone(options.out, "--out"):
        costs = None
        if options.cost == "measure":
            costs, missing = measure_costs([entry for section in found for entry in section.entries])
            warnings += missing
            write_costs(options.out / "cost.json", costs)
        elif options.cost != "none":
            costs = read_costs(Path(options.cost))
        others = write_report(options.out, found, costs=costs, peers=peers, warnings=warnings)
    if others:
        warnings.append(
            f"{options.out} has {len(others)} tables or plots of an earlier report, for example {others[0]}; remove "
            "them, or write to another --out"
        )
    for warning in warnings:
        console.print(f"warning: {warning}", style="yellow")
    rows = sum(len(section.entries) for section in found)
    console.print(
        f"Written to {options.out}: index.html, report.tex, report.md, tables/, plots/ ({rows} row{'s' * (rows != 1)})"
    )


def _expand(patterns: Sequence[str]) -> list[str]:
    """The paths that match, because some shells do not expand patterns.

    A pattern leaves out folders without an evaluation, which failed commands leave behind. The folder of a sweep stands
    for those of its jobs.
    """
    paths: list[str] = []
    for pattern in patterns:
        if Path(pattern).name == _SWEEP:  # a shell's * gives it too
            continue
        if (Path(pattern) / _SWEEP).is_file():
            pattern = str(Path(pattern) / "*")
        named = not has_magic(pattern) or Path(pattern).exists()
        found = [pattern] if named else sorted(glob(pattern, recursive=True))
        if not named:
            folders = [path for path in found if Path(path).is_dir()]
            empty = [path for path in folders if not find_published(Path(path) / "metrics.json").is_file()]
            found = [path for path in found if path not in empty and Path(path).name != _SWEEP]
            if empty:
                print(f"left out, because they have no metrics.json: {', '.join(empty)}", file=sys.stderr)
        if not found:
            raise InputError(f"nothing matches {pattern!r}; give folders of poselift evaluate")
        paths += found
    return paths
