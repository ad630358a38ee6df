"""The table of one evaluation as plain text."""

import io
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

DASH = "-"
"""An empty cell."""
_WIDEST = 100
"""Characters in a line, as many as terminals and mails show."""


def text_table(results: Mapping[str, Any]) -> str:
    """The metrics by group and the limbs of an evaluation, as text.

    Args:
        results: the content of a `metrics.json`.
    """
    metrics, limbs = results["metrics"], results["limbs"]
    # Names of any length fit, because a file has no terminal width.
    written = io.StringIO()
    console = Console(file=written, width=1000, highlight=False, markup=False, emoji=False)
    console.print(f"{results['name']}: {results['title']}, {results['views']} views, {results['frames']} frames")
    groups = list(metrics[results["headline"]]["groups"])
    for fitting in _split_to_fit(list(metrics.values()), max(map(len, (*groups, results["group_by"], "all frames")))):
        table = _table(results["group_by"], [_head(metric) for metric in fitting])
        for group in groups:
            table.add_row(group, *(_cell(metric["groups"][group]) for metric in fitting))
        table.add_section()
        table.add_row("mean", *(_cell(metric["mean"]) for metric in fitting))
        table.add_row("all frames", *(_cell(metric["frames"]) for metric in fitting))
        console.print(table)
    if limbs:
        first = next(iter(limbs.values()))
        table = _table("limb", [_head(limb) for limb in limbs.values()])
        for name in first["values"]:
            table.add_row(name, *(_cell(limb["values"][name]) for limb in limbs.values()))
        table.add_section()
        table.add_row("mean", *(_cell(limb["mean"]) for limb in limbs.values()))
        console.print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _split_to_fit(metrics: list[Mapping[str, Any]], first: int) -> list[list[Mapping[str, Any]]]:
    """The metrics in parts whose tables fit `_WIDEST`.

    `first` is the width of the first column.
    """
    parts: list[list[Mapping[str, Any]]] = []
    width = _WIDEST
    for metric in metrics:
        numbers = [metric["mean"], metric["frames"], *metric["groups"].values()]
        column = 3 + max(map(len, (*_head(metric).split("\n"), *map(_cell, numbers))))  # with its blanks and border
        if width + column > _WIDEST or not parts:
            parts.append([])
            width = first + 4
        parts[-1].append(metric)
        width += column
    return parts


def _head(measure: Mapping[str, Any]) -> str:
    return f"{measure['title']}\n{measure['unit']}"


def _table(first: str, columns: list[str]) -> Table:
    table = Table(first, box=box.ASCII2)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _cell(value: float | None) -> str:
    return DASH if value is None else f"{value:.2f}"
