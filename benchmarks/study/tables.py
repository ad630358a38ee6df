"""Tables of the study: study.md to read, study.csv with all digits, study.json with all measurements."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.study.results import Result
from benchmarks.study.rows import FAMILIES, WARMUPS
from benchmarks.study.run import Study
from poselift.core.files import write_json, write_text
from poselift.reports.csv_tables import csv_table
from poselift.reports.markdown import markdown_table
from poselift.reports.tables import Cell, Column, Row, Table

_COSTS = (
    ("macs", "MACs", "million", 1e-6, 2),
    ("ms", "time", "ms", 1.0, 2),
    ("memory", "memory", "MB", 1e-6, 2),
)
"""Measurements at each length: key, title, unit, factor to the unit, and digits."""

_ERRORS = (
    "Errors are in mm, on the same validation views for all rows, without flips, refinement or constant bones: the "
    "mean over the seeds and its sample standard deviation. "
)
_GROWTH = "An exponent k means that a cost grows as T^k from T = 27 to 729."
NOTE = (
    f"{_ERRORS}Cost is of one forward pass over one window of T frames: multiply-adds of matrix products, convolutions "
    "and Fourier transforms (elementwise operations do not count), the median CPU time of one thread, and the peak "
    f"memory with the weights. {_GROWTH}"
)
GPU_NOTE = (
    f"{_ERRORS}Cost is of one forward and backward pass on a GPU over 8 windows of T frames: its time and the peak "
    f"memory. {_GROWTH}"
)


def write_tables(study: Study, results: Mapping[str, Result]) -> None:
    """Writes study.md, study.csv and study.json.

    Args:
        study: of the rows.
        results: by the name of the row, in the order of the tables.
    """
    found = [
        {
            "family": result.row.family,
            "name": name,
            "positions": result.row.positions,
            "trainings": list(result.trainings.values()),
            "cost": result.cost,
        }
        for name, result in results.items()
    ]
    write_json(study.out / "study.json", {"protocol": study.protocol.name, "rows": found})
    lengths = sorted({int(t) for result in results.values() if result.cost for t in result.cost["cost"]})
    tables = [_table("Error, and how cost grows", results, summary_columns(), summary_cells)]
    deep = {name: result for name, result in results.items() if result.row.family == WARMUPS}
    if deep:
        tables.append(_table("Loss of the training", deep, _LOSSES, _loss_cells))
    costs, cells = _cost_columns(lengths), lambda result: _cost_cells(result, lengths)
    if lengths:
        tables.append(_table("Cost by the frames in a window", results, costs, cells))
    both = _table(
        "The study",
        results,
        (*summary_columns(), *costs),
        lambda result: (*summary_cells(result), *cells(result)),
    )
    write_text(study.out / "study.csv", csv_table(both))
    on_gpu = any(result.cost and result.cost["device"] == "cuda" for result in results.values())
    note = GPU_NOTE if on_gpu else NOTE
    parts = [markdown_table(table) for table in tables]
    write_text(study.out / "study.md", "\n".join([f"# The study: {study.protocol.title}", "", note, "", *parts]))


_LOSSES = (Column("largest loss", "", "lower", 2), Column("mean of the last tenth", "", "lower", 3))


def _loss_cells(result: Result) -> list[Cell]:
    return [Cell.of([training["loss"][key] for training in result.trainings.values()]) for key in ("largest", "last")]


def summary_columns() -> tuple[Column, ...]:
    """The columns of errors, parameters and growth of cost."""
    growth = (Column(f"{title} exponent", "", "lower", 2) for _, title, *_ in _COSTS)
    return (
        Column("MPJPE", "mm", "lower"),
        Column("P-MPJPE", "mm", "lower"),
        Column("parameters", "thousand", "lower"),
        *growth,
    )


def summary_cells(result: Result) -> tuple[Cell, ...]:
    """The cells of `summary_columns`; empty ones for costs that were not measured."""
    growth = (Cell((result.cost or {"growth": {}})["growth"].get(key)) for key, *_ in _COSTS)
    errors = (Cell.of(result.errors(key)) for key in ("mpjpe", "p_mpjpe"))
    return (*errors, Cell(result.parameters / 1e3), *growth)


def _cost_columns(lengths: Sequence[int]) -> tuple[Column, ...]:
    return tuple(
        Column(f"{title} at T = {frames}", unit, "lower", digits)
        for _, title, unit, _, digits in _COSTS
        for frames in lengths
    )


def _cost_cells(result: Result, lengths: Sequence[int]) -> tuple[Cell, ...]:
    return tuple(_cost(result, str(frames), key, factor) for key, _, _, factor, _ in _COSTS for frames in lengths)


def _cost(result: Result, frames: str, key: str, factor: float) -> Cell:
    value = result.cost["cost"].get(frames, {}).get(key) if result.cost else None
    return Cell() if value is None else Cell(value * factor)


def _table(
    title: str,
    results: Mapping[str, Result],
    columns: tuple[Column, ...],
    cells: Callable[[Result], Any],
) -> Table:
    # The best of a family is sought among rows of the same positions.
    ordered = sorted(results.items(), key=lambda item: (FAMILIES.index(item[1].row.family), item[1].row.positions))
    made = tuple(
        Row(
            (result.row.family, name, result.row.positions, result.trained),
            cells(result),
            (result.row.family, result.row.positions),
        )
        for name, result in ordered
    )
    return Table("study", title, ("family", "name", "positions", "trained"), columns, made)
