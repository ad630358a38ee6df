"""Tables as CSV, with all digits."""

import csv
import io

from poselift.core.cells import format_cell
from poselift.reports.tables import Table


def csv_table(table: Table) -> str:
    """A table as CSV.

    Labels, then mean and deviation over seeds of each number, then the citation.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    varies = [any(row.cells[place].deviation is not None for row in table.rows) for place in range(len(table.columns))]
    heads = [*table.labels]
    for column, deviates in zip(table.columns, varies, strict=True):
        heads += [column.head, f"{column.head} deviation"] if deviates else [column.head]
    writer.writerow(map(format_cell, [*heads, "citation"]))
    for row in table.rows:
        numbers: list[float | None] = []
        for cell, deviates in zip(row.cells, varies, strict=True):
            numbers += [cell.mean, cell.deviation] if deviates else [cell.mean]
        citation = "" if row.citation is None else table.citations[row.citation]
        writer.writerow(map(format_cell, [*row.labels, *numbers, citation]))
    return text.getvalue()
