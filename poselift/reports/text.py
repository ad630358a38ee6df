"""The table of one evaluation as plain text."""

import io
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

DASH = "-"
"""An empty cell."""


def text_table(results: Mapping[str, Any]) -> str:
    """The metrics by group and the limbs of an evaluation, as text.

    Args:
        results: the content of a `metrics.json`.
    """
    metrics, limbs = results["metrics"], results["limbs"]
    # Wide enough for any row: a file has no terminal width.
    written = io.StringIO()
    console = Console(file=written, width=1000, highlight=False, markup=False, emoji=False)
    console.print(f"{results['name']}: {results['title']}, {results['views']} views, {results['frames']} frames")
    table = _table(results["group_by"], [f"{metric['title']}\n{metric['unit']}" for metric in metrics.values()])
    for group in metrics[results["headline"]]["groups"]:
        table.add_row(group, *(_cell(metric["groups"][group]) for metric in metrics.values()))
    table.add_section()
    table.add_row("mean", *(_cell(metric["mean"]) for metric in metrics.values()))
    table.add_row("all frames", *(_cell(metric["frames"]) for metric in metrics.values()))
    console.print(table)
    if limbs:
        first = next(iter(limbs.values()))
        table = _table("limb", [f"{limb['title']}\n{limb['unit']}" for limb in limbs.values()])
        for name in first["values"]:
            table.add_row(name, *(_cell(limb["values"][name]) for limb in limbs.values()))
        table.add_section()
        table.add_row("mean", *(_cell(limb["mean"]) for limb in limbs.values()))
        console.print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _table(first: str, columns: list[str]) -> Table:
    table = Table(first, box=box.ASCII2)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _cell(value: float | None) -> str:
    return DASH if value is None else f"{value:.2f}"
