"""Changes between trials as a table, CSV and a page."""

import base64
import csv
import io
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from poselift.cli.compare.trials import Group
from poselift.cli.measure.page import convert_to_html
from poselift.core.cells import format_cell
from poselift.core.errors import InputError
from poselift.core.files import atomic_text, write_text
from poselift.core.optional import require
from poselift.kinematics.comparison import Change, Verdict, relevant_size

FILE, PAGE = "compare.csv", "compare.html"

_UNITS = {"_m_per_s": "m/s", "_per_min": "/ min", "_percent": "%", "_deg": "°", "_m": "m", "_s": "s"}
_DIGITS = {"m/s": 2, "/ min": 1, "%": 1, "°": 1, "m": 3, "s": 3}

NOTES = (
    "± is the half-width of the 95 % interval of the change. It has the repeatability of one trial in it: how much "
    "measures of one person differ when the same is done again, as it was measured on repeated walks and actions "
    "(docs/angles.md), and the spread of the trials that were given.",
    "Changed: the interval does not contain 0. No change larger than X: all of the interval is smaller than what "
    "matters (5° for an angle, 5 points for a percentage, a tenth of a length, time or speed). Not shown: the interval "
    "contains 0 and changes that matter, up to X.",
    "With so many measures, about one in twenty of those that did not change is called changed by chance.",
)
"""What a reader has to know."""


def changes_table(changes: Sequence[Change], before: Group, after: Group) -> str:
    """The changes as Markdown, clearest first, with notes for readers."""
    lines = ["| measure | unit | before | after | change | ± (95 %) | verdict |", "|---|---|---:|---:|---:|---:|---|"]
    for each in changes:
        name, unit = split_unit(each.measure)
        digits = _DIGITS[unit]
        numbers = [f"{value:z.{digits}f}" for value in (each.before, each.after)]
        numbers += [f"{each.change:+.{digits}f}", f"{each.half:.{digits}f}"]
        lines.append(f"| {' | '.join([name, unit, *numbers, describe(each)])} |")
    total = ", ".join(f"{sum(each.verdict == verdict for each in changes)} {words}" for verdict, words in _COUNTED)
    notes = list(NOTES)
    if still := [trial for group in (before, after) for trial in group.trials if not trial.walking]:
        notes.insert(0, f"Angles over the whole trials are compared, because none is a walk. {still[0].why}")
    return "\n".join([*lines, "", f"{len(changes)} measures: {total}.", "", *notes])


_COUNTED: tuple[tuple[Verdict, str], ...] = (
    ("changed", "changed"),
    ("no change larger than", "without a change that matters"),
    ("not shown", "not shown"),
)
"""The verdicts as they are counted, clearest first."""


def describe(change: Change) -> str:
    """The verdict in words."""
    if change.verdict == "changed":
        return change.verdict
    unit = split_unit(change.measure)[1]
    bound = f"no change larger than {change.bound:.{_DIGITS[unit]}f} {unit}"
    return bound if change.verdict == "no change larger than" else f"{change.verdict}: {bound}"


def split_unit(measure: str) -> tuple[str, str]:
    """A measure's name in words, and its unit."""
    for ending, unit in _UNITS.items():
        if measure.endswith(ending):
            return measure.removesuffix(ending).replace("_", " "), unit
    raise KeyError(measure)


def write_csv(path: Path, changes: Sequence[Change]) -> None:
    """Writes the changes, the clearest first.

    Raises:
        InputError: the file cannot be written.
    """
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["measure", "unit", "before", "after", "change", "change_95", "bound", "matters", "verdict"]
            + ["trials_before", "trials_after"]
        )
        for each in changes:
            unit = split_unit(each.measure)[1]
            numbers = [each.before, each.after, each.change, each.half, each.bound]
            numbers.append(relevant_size(each.measure, each.before))
            cells = [each.measure, unit, *numbers, each.verdict, *each.trials]
            writer.writerow(format_cell(cell, digits=4) for cell in cells)


def write_page(path: Path, before: Group, after: Group, changes: Sequence[Change]) -> None:
    """Writes a page of changes and gait curves, in one file.

    Raises:
        InputError: the file cannot be written.
    """
    table, _, notes = changes_table(changes, before, after).partition("\n\n")
    body = ["<style>@page { size: A4 portrait; }</style>"]
    for word, group in (("Before", before), ("After", after)):
        count = len(group.trials)
        body.append(f"<p>{word}: {escape(group.name)}, {count} trial{'s' if count != 1 else ''}</p>")
    body += [convert_to_html(notes), convert_to_html(table)]  # a long table hides what stands beneath it
    if before.cycles and after.cycles:
        body += ["<h2>Joint angles over the gait cycle</h2>", _draw(before, after)]
    template = Template(files("poselift.reports").joinpath("page.html").read_text(encoding="utf-8"))
    write_text(path, template.substitute(title="Comparison of trials", body="\n".join(body)))


def _draw(before: Group, after: Group) -> str:
    """Both groups' curves as an image for a page. Without matplotlib it is a line that says what to install."""
    try:
        require("matplotlib", "plots")
    except InputError as missing:
        return f'<p class="note">The curves are not drawn: {escape(str(missing))}</p>'
    from poselift.viz.plots.compared_cycles import compared_cycles_plot  # matplotlib is slow to load

    figure = compared_cycles_plot({"before": before.cycles, "after": after.cycles})
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=200, metadata={"Software": None})
    data = base64.b64encode(file.getvalue()).decode("ascii")
    caption = "Mean of all strides and one standard deviation; left and right of the person."
    width, _ = figure.get_size_inches()
    image = f'<img src="data:image/png;base64,{data}" alt="joint angles" style="width:{width * 150:.0f}px">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
