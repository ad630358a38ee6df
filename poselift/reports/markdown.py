"""Tables as GitHub's Markdown."""

import re

from poselift.reports.tables import Printed, Row, Table, mark, split_url


def escape(text: str) -> str:
    """Text that Markdown prints literally."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", " ".join(text.split()))


def markdown_table(table: Table) -> str:
    """A caption, the table, and the citations of its rows.

    The best is in bold.
    """
    heads = [escape(head) for head in table.heads]
    rules = ["---"] * len(table.labels) + ["---:"] * len(table.columns)
    rows = [_row(table, row) for block in table.blocks() for row in block]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows)]
    notes = [f"({mark(place)}) cited: {_citation(citation)}  " for place, citation in enumerate(table.citations)]
    return "\n".join([escape(table.caption), "", *lines, *([""] if notes else []), *notes]) + "\n"


def _citation(citation: str) -> str:
    """A citation with its URL as a link."""
    paper, url = split_url(citation)
    return escape(paper) + (f" <{url}>" if url else "")


def _row(table: Table, row: Row) -> list[str]:
    labels = [escape(label) for label in row.labels]
    if row.citation is not None:
        labels[0] += f" ({mark(row.citation)})"
    return labels + [_cell(cell) for cell in table.format_cells(row)]


def _cell(cell: Printed) -> str:
    if cell.text is None:
        return "-"
    return (f"**{cell.text}**" if cell.best else cell.text) + (f" ± {cell.deviation}" if cell.deviation else "")
