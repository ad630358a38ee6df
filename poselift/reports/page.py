"""One HTML page that holds everything, and asks for nothing from elsewhere."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from poselift.reports.entries import Section
from poselift.reports.runs import Run
from poselift.reports.tables import Cell, Column, Row, Table, mark
from poselift.reports.text import DASH

_TEMPLATE = Path(__file__).with_name("page.html")


@dataclass(frozen=True)
class Picture:
    """A plot as the page holds it.

    Attributes:
        caption: below it.
        png: the file's bytes.
        width: pixels at which it is shown; those of the file are twice as many and more.
    """

    caption: str
    png: bytes
    width: int


@dataclass(frozen=True)
class Part:
    """What the page says of a section.

    Attributes:
        section: the runs.
        tables: in order.
        pictures: in order.
    """

    section: Section
    tables: Sequence[Table]
    pictures: Sequence[Picture]


def html_page(title: str, parts: Sequence[Part], warnings: Sequence[str], notes: Sequence[str]) -> str:
    """The page.

    Args:
        title: of the page.
        parts: a section each.
        warnings: shown above everything.
        notes: on how to read the numbers.
    """
    body = []
    if warnings:
        items = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
        body.append(f'<ul class="warnings">{items}</ul>')
    body += [f'<p class="note">{escape(note)}</p>' for note in notes]
    for part in parts:
        body.append(_part(part))
    runs = [run for part in parts for entry in part.section.entries for run in entry.runs]
    body.append(_environment(runs))
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(title=escape(title), body="\n".join(body))


def html_table(table: Table) -> str:
    """A table with its title and sources."""
    heads = [f'<th class="label" scope="col">{escape(label)}</th>' for label in table.labels]
    heads += [
        f'<th scope="col">{escape(column.title)}<small>{escape(column.unit)}</small></th>' for column in table.columns
    ]
    blocks = table.blocks()
    rows = [_row(table, row, last=row is block[-1] and block is not blocks[-1]) for block in blocks for row in block]
    lines = [
        f"<h3>{escape(table.title)}</h3>",
        f'<div class="wide"><table><thead><tr>{"".join(heads)}</tr></thead>',
        f"<tbody>{''.join(rows)}</tbody></table></div>",
    ]
    sources = "<br>".join(f"<sup>{mark(place)}</sup> cited: {escape(text)}" for place, text in enumerate(table.sources))
    return "\n".join([*lines, f'<p class="sources">{sources}</p>' if sources else ""])


def _part(part: Part) -> str:
    settings = part.section.results["settings"]
    notes = [
        settings.get("note"),
        f"Source: {settings['source']}." if settings.get("source") else None,
        f"All rows: {part.section.common}." if part.section.common else None,
    ]
    pictures = [
        f'<figure><img alt="{escape(picture.caption)}" width="{picture.width}" '
        f'src="data:image/png;base64,{base64.b64encode(picture.png).decode()}">'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
        for picture in part.pictures
    ]
    return "\n".join(
        [
            f"<h2>{escape(part.section.title)}</h2>",
            *(f'<p class="note">{escape(note)}</p>' for note in notes if note),
            *(html_table(table) for table in part.tables),
            *pictures,
        ]
    )


def _row(table: Table, row: Row, last: bool) -> str:
    names = [name for name, applies in (("cited", row.source is not None), ("block", last)) if applies]
    labels = [escape(label) for label in row.labels]
    if row.source is not None:
        labels[0] += f"<sup>{mark(row.source)}</sup>"
    cells = [f'<td class="label">{label}</td>' for label in labels]
    for place, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True)):
        cells.append(f"<td>{_cell(column, cell, table.best(row, place))}</td>")
    kind = f' class="{" ".join(names)}"' if names else ""
    return f"<tr{kind}>{''.join(cells)}</tr>"


def _cell(column: Column, cell: Cell, best: bool) -> str:
    text, deviation = column.text(cell), column.deviation(cell)
    if text is None:
        return DASH
    return (f"<b>{text}</b>" if best else text) + (f" ± {deviation}" if deviation else "")


def _environment(runs: Sequence[Run]) -> str:
    """What each run was made with."""
    keys = dict.fromkeys(key for run in runs for key in run.results["environment"])
    heads = "".join(f'<th class="label">{escape(key)}</th>' for key in ("run", "seed", *keys))
    rows = []
    for run in runs:
        seed = run.results["seed"]
        values = (run.name, DASH if seed is None else str(seed), *(run.results["environment"].get(key) for key in keys))
        rows.append("<tr>" + "".join(f"<td>{escape(str(value or DASH))}</td>" for value in values) + "</tr>")
    return (
        "<h2>How the runs were made</h2>\n"
        f'<div class="wide"><table class="environment"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
