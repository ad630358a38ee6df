"""The structure of LaTeX; test_report_folder.py compiles it where a TeX is installed."""

import re

import pytest

from poselift.reports.latex import escape, latex_table
from poselift.reports.tables import Cell, Column, Row, Table

NASTY = r"[a]_b & 50% of $x^2$ {c} \d ~ #1 <e> | 'f' `g` -- ² ± é ß 日本"

TABLE = Table(
    "nasty_table",
    f"Title {NASTY}",
    ("model", "2D_in"),
    (Column("MPJPE", "mm", "lower"), Column("Error", "mm/frame²", "lower", 2), Column("PCK@150", "%", "higher")),
    (
        Row((NASTY, "a"), (Cell(50.04, 1.26), Cell(-0.5), Cell(90.0))),
        Row(("*b", "a"), (Cell(49.96), Cell(), Cell(95.0))),
        Row(("[c]", "b"), (Cell(1.0), Cell(2.0), Cell(3.0)), ("other",), 0),
    ),
    (f"Doe, {NASTY}, https://example.org/a_b%20c#d&e~f",),
    "All rows: bench b_1.npz.",
)
WIDE = Table(
    "wide_table",
    "Wide",
    ("model",),
    tuple(Column(f"joint {place}", "mm", "lower") for place in range(30)),
    tuple(Row((name,), tuple(Cell(100.0 + place) for place in range(30))) for name in "abc"),
)


def body(latex):
    """Rows between \\toprule and \\bottomrule."""
    inside = latex.split("\\toprule\n")[1].split("\\bottomrule")[0]
    return [line for line in inside.splitlines() if line != r"\midrule"]


def test_names_print_as_they_are():
    assert escape("\\[*Müller\n日") == r"\textbackslash{}{[}{*}Müller ?"


def test_a_table_row_by_row():
    latex = latex_table(TABLE)
    heads, first, second, cited = body(latex)
    assert heads == r"model & 2D\_in & MPJPE (mm) & Error (mm/frame\textsuperscript{2}) & PCK@150 (\%) \\"
    assert first.endswith(r" & a & 50.0{\tiny\,$\pm$\,1.3} & $-0.50$ & 90.0 \\")
    assert second == r"{*}b & a & 50.0 & -- & \textbf{95.0} \\"
    assert cited == r"{[}c]\textsuperscript{a} & b & 1.0 & 2.00 & 3.0 \\"
    assert r"\textsuperscript{a}~cited: Doe, " in latex
    assert r"\url{https://example.org/a_b%20c#d&e~f}" in latex
    assert "Best in bold, among equal data. Mean $\\pm$ standard deviation over the seeds." in latex


@pytest.mark.parametrize("table", [TABLE, WIDE])
def test_the_structure_of_a_table(table):
    latex = latex_table(table)
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", latex):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    for line in body(latex):
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == len(table.labels) + len(table.columns) - 1
    braces = re.sub(r"\\[{}]", "", latex)
    assert braces.count("{") == braces.count("}")
    assert re.findall(r"\\(?:top|mid|bottom)rule", latex) == [
        r"\toprule",
        *[r"\midrule"] * len(table.blocks()),
        r"\bottomrule",
    ]
