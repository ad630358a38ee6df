"""One self-contained HTML page of a whole report."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from poselift.reports.entries import Section
from poselift.reports.runs import Run
from poselift.reports.tables import Printed, Row, Table, mark
from poselift.reports.text import DASH

TEMPLATE = Path(__file__).with_name("page.html")
"""The page of tables, with places for `title` and `body`."""


@dataclass(frozen=True)
class PagePlot:
    """A plot in the page.

    Attributes:
        caption: below the plot.
        png: the file's bytes.
        width: in the page, pixels; the file has at least twice as many.
        file: of the picture, relative to the report; None if it is in the page only.
    """

    caption: str
    png: bytes
    width: int
    file: str | None = None


@dataclass(frozen=True)
class PageSection:
    """A section of the page.

    Attributes:
        section: of runs.
        tables: in order.
        pictures: in order.
    """

    section: Section
    tables: Sequence[Table]
    pictures: Sequence[PagePlot]


def html_page(title: str, parts: Sequence[PageSection], warnings: Sequence[str], notes: Sequence[str]) -> str:
    """The page as HTML.

    Args:
        title: of the page.
        parts: its sections.
        warnings: at the top of the page.
        notes: explain the numbers.
    """
    body = []
    if warnings:
        items = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
        body.append(f'<ul class="warnings">{items}</ul>')
    body += [f'<p class="note">{escape(note)}</p>' for note in notes]
    for part in parts:
        # A single section has the title of the page.
        body.append(f"<h2>{escape(part.section.title) if len(parts) > 1 else 'Results'}</h2>")
        body.append(_part(part))
    runs = [run for part in parts for entry in part.section.entries for run in entry.runs]
    body.append(_environment(runs))
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(title=escape(title), body="\n".join(body))


def _part(part: PageSection) -> str:
    section = part.section
    settings = section.results["settings"]
    common = section.common()
    notes = [
        settings.get("note"),
        f"Citation: {settings['citation']}." if settings.get("citation") else None,
        f"All rows measured here: {common}." if common else None,
    ]
    lines = [f'<p class="note">{escape(note)}</p>' for note in notes if note]
    for table in part.tables:
        lines += [f"<h3>{escape(_own(table.title, section))}</h3>", html_table(table)]
    lines += ['<div class="plots">', *(_figure(picture, section) for picture in part.pictures), "</div>"]
    return "\n".join(lines)


def _own(title: str, section: Section) -> str:
    """A title without that of its section, which is the heading above."""
    short = title.removeprefix(f"{section.title}: ")
    return short[:1].upper() + short[1:]


def _figure(picture: PagePlot, section: Section) -> str:
    caption = escape(_own(picture.caption, section))
    data = base64.b64encode(picture.png).decode()
    # A wide picture scrolls on a phone; shrunk to the screen it would be unreadable.
    image = f'<img alt="{caption}" style="min-width: {0.7 * picture.width:.0f}px" src="data:image/png;base64,{data}">'
    return (
        f'<figure style="width: {picture.width}px"><div class="wide" tabindex="0">{image}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def html_table(table: Table) -> str:
    """A table as HTML, with its citations."""
    heads = [f'<th class="label" scope="col">{escape(label)}</th>' for label in table.labels]
    heads += [
        f'<th scope="col">{escape(column.title)}<small>{escape(column.unit)}</small></th>' for column in table.columns
    ]
    blocks = table.blocks()
    rows = [_row(table, row, last=row is block[-1] and block is not blocks[-1]) for block in blocks for row in block]
    lines = [
        f'<div class="wide" tabindex="0"><table><thead><tr>{"".join(heads)}</tr></thead>',
        f"<tbody>{''.join(rows)}</tbody></table></div>",
    ]
    citations = [f"<sup>{mark(place)}</sup> cited: {escape(text)}" for place, text in enumerate(table.citations)]
    return "\n".join([*lines, *([f'<p class="citations">{"<br>".join(citations)}</p>'] if citations else [])])


def _row(table: Table, row: Row, last: bool) -> str:
    kinds = [name for name, applies in (("cited", row.citation is not None), ("block", last)) if applies]
    name, *settings = (escape(label) for label in row.labels)
    cited = "" if row.citation is None else f"<sup>{mark(row.citation)}</sup>"
    cells = [f'<th class="label" scope="row"><span>{name}{cited}</span></th>']
    cells += [f'<td class="label">{setting}</td>' for setting in settings]
    cells += [f"<td>{_cell(cell)}</td>" for cell in table.format_cells(row)]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f"<tr{kind}>{''.join(cells)}</tr>"


def _cell(cell: Printed) -> str:
    if cell.text is None:
        return DASH
    return (f"<b>{cell.text}</b>" if cell.best else cell.text) + (f" ± {cell.deviation}" if cell.deviation else "")


def _environment(runs: Sequence[Run]) -> str:
    """A table of the environment of each run."""
    keys = dict.fromkeys(key for run in runs for key in run.results["environment"])
    heads = "".join(f'<th class="label" scope="col">{escape(key)}</th>' for key in ("run", "seed", *keys))
    rows = []
    for run in runs:
        seed, environment = run.results["seed"], run.results["environment"]
        cells = [
            f'<th class="label" scope="row"><span>{escape(run.name)}</span></th>',
            f"<td>{DASH if seed is None else seed}</td>",
        ]
        for key in keys:
            kind = ' class="command"' if key == "command" else ""
            cells.append(f"<td{kind}>{escape(str(environment.get(key) or DASH))}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        "<h2>How the runs were made</h2>\n"
        f'<div class="wide" tabindex="0"><table class="environment"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
