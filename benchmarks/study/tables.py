"""Tables of the study: study.md to read, study.csv with all digits, study.json with all measurements."""

import math
from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import Any

from benchmarks.study.rows import FAMILIES, REFERENCES, Row
from benchmarks.study.run import LENGTHS, Study
from poselift.core.files import write_json, write_text
from poselift.reports.csv_tables import csv_table
from poselift.reports.markdown import markdown_table
from poselift.reports.tables import Cell, Column, Table
from poselift.reports.tables import Row as TableRow

_COSTS = (
    ("macs", "MACs", "million", 1e-6, 2),
    ("ms", "time", "ms", 1.0, 2),
    ("memory", "memory", "MB", 1e-6, 2),
)
"""Measurements at each length: key, title, unit, factor to the unit, and digits."""

NOTE = (
    "Errors are in mm, on the same validation views for all rows, without flips, refinement or constant bones. Cost is "
    "of one forward pass over one window of T frames: multiply-adds of matrix products, convolutions and Fourier "
    "transforms (elementwise operations do not count), the median CPU time of one thread, and the peak memory with the "
    "weights. An exponent k means that a cost grows as T^k from T = 27 to 729."
)


def write_tables(study: Study, rows: Sequence[Row], results: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes study.md, study.csv and study.json.

    Args:
        study: of the rows.
        rows: in the order of the tables.
        results: by the name of the row; rows without results are left out.
    """
    trained = [row for row in rows if row.name in results]
    found = [{"family": row.family, **results[row.name]} for row in trained]
    write_json(study.out / "study.json", {"protocol": study.protocol.name, "lengths": list(LENGTHS), "rows": found})
    tables = (
        _table("Error, and how cost grows", trained, results, summary_columns(), summary_cells),
        _table("Cost by the frames in a window", trained, results, _cost_columns(), _cost_cells),
    )
    both = _table(
        "The study",
        trained,
        results,
        (*summary_columns(), *_cost_columns()),
        lambda result: (*summary_cells(result), *_cost_cells(result)),
    )
    write_text(study.out / "study.csv", csv_table(both))
    parts = [markdown_table(table) for table in tables]
    write_text(study.out / "study.md", "\n".join([f"# The study: {study.protocol.title}", "", NOTE, "", *parts]))


def noise(results: Mapping[str, Mapping[str, Any]], key: str = "mpjpe") -> float:
    """The standard deviation of an error over the seeds of the default lifter, in mm; NaN before two have run."""
    errors = [results[name]["error"][key] for name in REFERENCES if name in results]
    return stdev(errors) if len(errors) > 1 else math.nan


def summary_columns() -> tuple[Column, ...]:
    """The columns of errors, parameters and growth of cost."""
    growth = (Column(f"{title} exponent", "", "lower", 2) for _, title, *_ in _COSTS)
    return (
        Column("MPJPE", "mm", "lower"),
        Column("P-MPJPE", "mm", "lower"),
        Column("parameters", "thousand", "lower"),
        *growth,
    )


def summary_cells(result: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells of `summary_columns`."""
    growth = (Cell(result["growth"][key]) for key, *_ in _COSTS)
    error = result["error"]
    return (Cell(error["mpjpe"]), Cell(error["p_mpjpe"]), Cell(result["parameters"] / 1e3), *growth)


def _cost_columns() -> tuple[Column, ...]:
    return tuple(
        Column(f"{title} at T = {frames}", unit, "lower", digits)
        for _, title, unit, _, digits in _COSTS
        for frames in LENGTHS
    )


def _cost_cells(result: Mapping[str, Any]) -> tuple[Cell, ...]:
    return tuple(
        Cell(result["cost"][str(frames)][key] * factor) for key, _, _, factor, _ in _COSTS for frames in LENGTHS
    )


def _table(
    title: str,
    rows: Sequence[Row],
    results: Mapping[str, Mapping[str, Any]],
    columns: tuple[Column, ...],
    cells: Any,
) -> Table:
    # The best of a family is sought among rows of the same positions.
    rows = sorted(rows, key=lambda row: (FAMILIES.index(row.family), row.positions))
    made = tuple(
        TableRow((row.family, row.name, row.positions), cells(results[row.name]), (row.family, row.positions))
        for row in rows
    )
    return Table("study", title, ("family", "name", "positions"), columns, made)
