"""A page of measurements: tables, and angles over the gait cycle."""

import base64
import io
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from poselift.cli.measure.measure_tables import caveats, gait_tables, ranges_table, trials_table
from poselift.cli.measure.trial import Trial
from poselift.core.errors import InputError
from poselift.core.files import write_text
from poselift.core.optional import require
from poselift.kinematics import Cycles, Gait
from poselift.kinematics.gait_summary import SIDES, summarise_gait
from poselift.kinematics.normal_gait import SOURCE

PAGE = "measure.html"
"""Name of the page."""


def write_page(folder: Path, trials: Sequence[Trial]) -> None:
    """Writes `PAGE`, which needs nothing beside it.

    Raises:
        InputError: the file cannot be written.
    """
    body = ["<style>@page { size: A4 portrait; }</style>"]
    body += [f'<p class="note">{escape(caveat)}</p>' for caveat in caveats(trials)]
    if overview := trials_table(trials):
        body += ["<h2>All trials</h2>", convert_to_html(overview)]
    for trial in trials:
        body += [f"<h2>{escape(trial.name)}</h2>", "<h3>Gait</h3>", convert_to_html(gait_tables(trial))]
        body += [f"<p>{escape(floor.text())}</p>" for floor in trial.floors]
        if trial.gait is not None and trial.cycles:
            body.append(f'<div class="plots">{draw_cycles(trial.gait, trial.cycles)}</div>')
        body.append('<div class="plots">')  # the two tables beside each other
        for title, angles in (("Joint angles", trial.joints), ("Segments in space", trial.segments)):
            body.append(f"<section><h3>{title}</h3>{convert_to_html(ranges_table(angles))}</section>")
        body.append("</div>")
    # The file, not the module beside it, which evaluates and needs PyTorch.
    template = Template(files("poselift.reports").joinpath("page.html").read_text(encoding="utf-8"))
    write_text(folder / PAGE, template.substitute(title="Measurements", body="\n".join(body)))


def draw_cycles(gait: Gait, cycles: Sequence[Cycles]) -> str:
    """The angles over the gait cycle, as an image for a page.

    Without matplotlib it is a line that says what to install.
    """
    try:
        require("matplotlib", "plots")
    except InputError as missing:
        return f'<p class="note">The angles over the gait cycle are not drawn: {escape(str(missing))}</p>'
    from poselift.viz.plots.angle_panels import cycle_plot  # matplotlib is slow to load

    found = summarise_gait(gait)
    walks = not (gait.running or gait.on_the_spot)
    figure = cycle_plot(cycles, {side: found[f"{side}_stance_percent"] for side in SIDES}, normal=walks)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=200, metadata={"Software": None})
    data = base64.b64encode(file.getvalue()).decode("ascii")
    caption = "Mean of the strides and one standard deviation; dotted: toe-off."
    if walks:
        caption += f" Grey: two standard deviations around the mean of {SOURCE}."
    width, _ = figure.get_size_inches()
    image = (
        f'<img src="data:image/png;base64,{data}" alt="angles over the gait cycle" style="width:{width * 150:.0f}px">'
    )
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def convert_to_html(markdown: str) -> str:
    """The lines and tables of this package's Markdown as HTML."""
    blocks = []
    for block in markdown.split("\n\n"):
        lines = block.split("\n")
        if not lines[0].startswith("|"):
            blocks += [f"<p>{escape(line)}</p>" for line in lines if line]
            continue
        head, aligned, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
        kinds = ["" if cell.endswith(":") else ' class="label"' for cell in aligned]
        cells = "".join(f'<th scope="col"{kind}>{escape(cell)}</th>' for cell, kind in zip(head, kinds, strict=True))
        body = ""
        for name, *values in rows:
            body += f'<tr><th scope="row"{kinds[0]}>{escape(name)}</th>'
            body += "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(values, kinds[1:], strict=True))
            body += "</tr>"
        table = f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
        blocks.append(f'<div class="wide" tabindex="0">{table}</div>')  # a keyboard can scroll it
    return "\n".join(blocks)
