"""A paper's table, independent of LaTeX, Markdown, CSV and HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Cell:
    """A number and its deviation over seeds.

    Attributes:
        mean: over the seeds; None for an empty cell.
        deviation: the sample standard deviation over the seeds; None for a single seed.
    """

    mean: float | None = None
    deviation: float | None = None

    @classmethod
    def of(cls, values: Sequence[float | None]) -> "Cell":
        """The cell of the values of all seeds.

        Empty if a seed has no value, so that cells compare.
        """
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return cls()
        return cls(float(np.mean(known)), float(np.std(known, ddof=1)) if len(known) > 1 else None)


def with_unit(title: str, unit: str) -> str:
    """A title with the unit of its numbers; "" for none."""
    return f"{title} ({unit})" if unit else title


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    Attributes:
        title: of the column.
        unit: of its numbers; "" for none.
        better: the direction of improvement; None if there is none.
        digits: printed after the decimal point.
    """

    title: str
    unit: str
    better: Literal["lower", "higher"] | None
    digits: int = 1

    @property
    def head(self) -> str:
        """The title with the unit."""
        return with_unit(self.title, self.unit)

    def text(self, cell: Cell) -> str | None:
        """The printed mean of a cell; None if it is empty."""
        return None if cell.mean is None else f"{cell.mean:.{self.digits}f}"

    def deviation(self, cell: Cell) -> str | None:
        """The printed deviation of a cell; None if there is none."""
        return None if cell.deviation is None else f"{cell.deviation:.{self.digits}f}"


class Printed(NamedTuple):
    """A cell as a table prints it.

    Attributes:
        text: of the mean; None where the cell is empty.
        deviation: over the seeds; None where there is none.
        best: whether the cell is the best of its column within its block.
    """

    text: str | None
    deviation: str | None
    best: bool


@dataclass(frozen=True)
class Row:
    """A method.

    Attributes:
        labels: one for each label column of the table.
        cells: one for each column.
        block: the conditions of the measurement. The best cell is that among the rows of one block.
        citation: the index in `Table.citations`; None for our own rows.
    """

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    block: tuple[str, ...] = ()
    citation: int | None = None


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: of its files, without the ending.
        title: describes its content.
        labels: titles of the label columns.
        columns: of the numbers.
        rows: with those of one block together.
        citations: of the cited rows.
        note: true for all our rows.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    citations: tuple[str, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if (len(row.labels), len(row.cells)) != (len(self.labels), len(self.columns)):
                raise ValueError(
                    f"table {self.name}: row {row.labels} has another number of labels or cells than the table"
                )

    def blocks(self) -> list[list[Row]]:
        """The rows of each block."""
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.block, []).append(row)
        return list(found.values())

    @property
    def heads(self) -> list[str]:
        """The titles of all columns, with units if these differ."""
        return [*self.labels, *(column.title if self._unit else column.head for column in self.columns)]

    @property
    def caption(self) -> str:
        """The title, a shared unit, and how to read it."""
        bold = any(self.best(row, place) for row in self.rows for place in range(len(self.columns)))
        seeds = any(cell.deviation is not None for row in self.rows for cell in row.cells)
        parts = [
            f"{self.title}, {self._unit}." if self._unit else f"{self.title}.",
            ("Best in bold, among equal data." if len(self.blocks()) > 1 else "Best in bold.") if bold else "",
            "Mean ± standard deviation over the seeds." if seeds else "",
            self.note,
        ]
        return " ".join(part for part in parts if part)

    @property
    def _unit(self) -> str:
        """The unit of all columns; "" if they differ."""
        units = {column.unit for column in self.columns}
        return units.pop() if len(units) == 1 else ""

    def format_cells(self, row: Row) -> list[Printed]:
        """The cells of one of the table's rows."""
        return [
            Printed(column.text(cell), column.deviation(cell), self.best(row, place))
            for place, (column, cell) in enumerate(zip(self.columns, row.cells, strict=True))
        ]

    def best(self, row: Row, place: int) -> bool:
        """Whether a cell is the best of its column within its block.

        Numbers that print alike are equally good. If all numbers print alike, none is best.

        Args:
            row: of the table.
            place: the index of the column.
        """
        column, cell = self.columns[place], row.cells[place]
        if column.better is None or cell.mean is None:
            return False
        others = [other.cells[place] for other in self.rows if other.block == row.block]
        means = [other.mean for other in others if other.mean is not None]
        best, worst = (
            column.text(Cell(mean))
            for mean in ((min(means), max(means)) if column.better == "lower" else (max(means), min(means)))
        )
        return column.text(cell) == best != worst


MARKS = "abcdefghijklmnopqrstuvwxyz"


def mark(citation: int) -> str:
    """A citation's letter: a to z, then aa, ab, ..."""
    return (mark(citation // len(MARKS) - 1) if citation >= len(MARKS) else "") + MARKS[citation % len(MARKS)]


def split_url(citation: str) -> tuple[str, str]:
    """A citation up to its URL, and the URL.

    "" if there is none.
    """
    paper, _, last = citation.rpartition(" ")
    return (paper, last) if last.startswith(("https://", "http://")) else (citation, "")
