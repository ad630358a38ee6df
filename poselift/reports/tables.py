"""What a table of a paper holds, before it is LaTeX, Markdown, CSV or HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Cell:
    """A number and how it varies over seeds.

    Attributes:
        mean: over the seeds; None where nothing was measured.
        deviation: the sample standard deviation over the seeds; None for a single one.
    """

    mean: float | None = None
    deviation: float | None = None

    @classmethod
    def of(cls, values: Sequence[float | None]) -> "Cell":
        """The cell of a value from each seed; empty where any seed has none, so that all cells are of all seeds."""
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return cls()
        return cls(float(np.mean(known)), float(np.std(known, ddof=1)) if len(known) > 1 else None)


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    Attributes:
        title: of the column.
        unit: of its numbers; "" for none.
        better: which way is up; None where neither is.
        digits: after the decimal point, where it is printed.
    """

    title: str
    unit: str
    better: Literal["lower", "higher"] | None
    digits: int = 1

    def text(self, cell: Cell) -> str | None:
        """A cell as it is printed; None where it is empty."""
        return None if cell.mean is None else f"{cell.mean:.{self.digits}f}"

    def deviation(self, cell: Cell) -> str | None:
        """A cell's deviation as it is printed; None where there is none."""
        return None if cell.deviation is None else f"{cell.deviation:.{self.digits}f}"


@dataclass(frozen=True)
class Row:
    """A method.

    Attributes:
        labels: what it is, an entry for each of the table's label columns.
        cells: its numbers, an entry for each column.
        block: rows of one block were measured under the same conditions; the best is looked for among these.
        source: for a row that is cited, the place of its source in `Table.sources`; None for our own.
    """

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    block: tuple[str, ...] = ()
    source: int | None = None


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: of its files, without the ending.
        title: what it shows.
        labels: titles of the label columns.
        columns: titles of the numbers.
        rows: those of one block stand together.
        sources: where the cited rows are from.
        note: what holds for all of our rows.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    sources: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if (len(row.labels), len(row.cells)) != (len(self.labels), len(self.columns)):
                raise ValueError(f"table {self.name}: row {row.labels} does not fit its columns")

    def blocks(self) -> list[list[Row]]:
        """The rows, block by block."""
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.block, []).append(row)
        return list(found.values())

    def best(self, row: Row, place: int) -> bool:
        """Whether a cell is the best of its column within its block.

        Numbers that print alike are equally good, and where there is nothing to compare with none is best.

        Args:
            row: one of the table's.
            place: of the column.
        """
        column, cell = self.columns[place], row.cells[place]
        if column.better is None or cell.mean is None:
            return False
        others = [other.cells[place] for other in self.rows if other.block == row.block]
        means = [other.mean for other in others if other.mean is not None]
        if len(means) < 2:
            return False
        best = min(means) if column.better == "lower" else max(means)
        return column.text(cell) == column.text(Cell(best))


MARKS = "abcdefghijklmnopqrstuvwxyz"


def mark(source: int) -> str:
    """The letter of a source: a to z, then aa, ab and so on."""
    return (mark(source // len(MARKS) - 1) if source >= len(MARKS) else "") + MARKS[source % len(MARKS)]
