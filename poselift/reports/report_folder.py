"""A report's folder: tables, plots and one page.

It covers any number of runs.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from poselift.core.errors import InputError
from poselift.core.files import atomic_files, remove_partial_of, write_text
from poselift.reports.contents import section_tables
from poselift.reports.cost import Cost
from poselift.reports.csv_tables import csv_table
from poselift.reports.entries import Section
from poselift.reports.figures import Plot, section_plots
from poselift.reports.latex import latex_document, latex_table
from poselift.reports.markdown import escape, markdown_table
from poselift.reports.published import PublishedRow
from poselift.reports.report_page import PagePlot, PageSection, html_page
from poselift.viz.plots.style import save_plot

COST_NOTE = (
    "Cost is of one forward pass over one window, divided by its output frames; averaging with the mirrored input "
    "doubles it. Multiply-adds are half the operations that torch counts, including those of attention. Time: the "
    "median on one CPU thread, with all models in turn in one run; other runs and machines give other times. Memory: "
    "the weights and the peak of the tensors of one pass."
)
_INDEX = "index.html"
"""The page, which is published with all other files."""
_CITED_NOTE = "Cited rows are as published, not measured here; we counted their parameters and multiply-adds."


def write_report(
    out: Path,
    sections: Sequence[Section],
    *,
    costs: Mapping[str, Cost] | None = None,
    peers: Sequence[PublishedRow] = (),
    warnings: Sequence[str] = (),
) -> list[str]:
    """Writes a report.

    The files are index.html, report.md, report.tex, and one for each table and plot, all published together.

    Args:
        out: the folder.
        sections: each with its own tables and plots.
        costs: by `cost_key`; without them there are no columns and plots of cost.
        peers: published rows, for the sections of their protocols.
        warnings: for the page, which adds those of the runs.

    Returns:
        Tables and plots in the folder that are not of this report.

    Raises:
        InputError: a picture of attention beside a run is no PNG.
    """
    warnings = list(dict.fromkeys([*warnings, *_warnings(sections)]))
    parts, tables, plots, documented = [], [], [], []
    remove_partial_of(out / _INDEX)
    with atomic_files(out, _INDEX) as folder:
        for section in sections:
            own, drawn = section_tables(section, costs, peers), section_plots(section, costs, peers)
            for table in own:
                for ending, text in ((".tex", latex_table), (".md", markdown_table), (".csv", csv_table)):
                    write_text(folder / "tables" / f"{table.name}{ending}", text(table))
            pictures = [*(_picture(folder / "plots", plot) for plot in drawn), *_attention(section)]
            parts.append(PageSection(section, own, pictures))
            documented.append((section.title, own, [(f"plots/{plot.name}.pdf", plot.caption) for plot in drawn]))
            tables += own
            plots += drawn
        cited = any(table.citations for table in tables)
        notes = [*([COST_NOTE] if costs is not None else []), *([_CITED_NOTE] if cited else [])]
        title = f"Report: {', '.join(section.title for section in sections)}"
        write_text(folder / "report.md", _markdown(title, parts, warnings, notes))
        write_text(folder / "report.tex", latex_document(title, documented, "tables"))
        write_text(folder / _INDEX, html_page(title, parts, warnings, notes))
    written = {f"tables/{table.name}" for table in tables} | {f"plots/{plot.name}" for plot in plots}
    others = [path.relative_to(out) for folder in ("tables", "plots") for path in sorted((out / folder).glob("*.*"))]
    return [path.as_posix() for path in others if path.with_suffix("").as_posix() not in written]


def _warnings(sections: Sequence[Section]) -> list[str]:
    """The warnings of the evaluations."""
    return [
        f"{section.label(entry)}: {warning}"
        for section in sections
        for entry in section.entries
        for run in entry.runs
        for warning in run.results["settings"].get("warnings", [])
    ]


def _picture(folder: Path, plot: Plot) -> PagePlot:
    save_plot(plot.figure, folder / plot.name)
    path = folder / f"{plot.name}.png"
    return replace(_read_picture(path, plot.caption), file=f"{folder.name}/{path.name}")


def _attention(section: Section) -> list[PagePlot]:
    """The pictures of `poselift attention --out RUN/attention`."""
    return [
        _read_picture(path, f"{section.title}: where each head of {section.label(entry)} looks, over {name}.")
        for entry in section.entries
        for name in ("joints", "time")
        if (path := entry.runs[0].path.parent / "attention" / f"{name}.png").is_file()
    ]


def _read_picture(path: Path, caption: str) -> PagePlot:
    """A PNG file for the page.

    Raises:
        InputError: the file is no PNG.
    """
    png = path.read_bytes()
    if not png.startswith(b"\x89PNG") or len(png) < 24:
        raise InputError(f"{path} is no PNG picture; draw it again or remove it")
    # The width follows the signature and the header of the first chunk (PNG specification, 11.2.2).
    return PagePlot(caption, png, struct.unpack(">I", png[16:20])[0] // 2)


def _markdown(title: str, parts: Sequence[PageSection], warnings: Sequence[str], notes: Sequence[str]) -> str:
    lines = [f"# {escape(title)}"]
    if warnings:
        lines += ["", *(f"- Warning: {escape(warning)}" for warning in warnings)]
    for part in parts:
        note = part.section.results["settings"].get("note")
        lines += ["", f"## {escape(part.section.title)}", *(["", escape(note)] if note else [])]
        for table in part.tables:
            lines += ["", markdown_table(table).rstrip()]
        lines += [
            line
            for picture in part.pictures
            if picture.file
            for line in ("", f"![{escape(picture.caption)}]({picture.file})", "", escape(picture.caption))
        ]
    return "\n".join([*lines, *(f"\n{escape(note)}" for note in notes)]) + "\n"
