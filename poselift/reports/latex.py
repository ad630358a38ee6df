"""Tables as LaTeX: a file to input, and a document.

The document has all tables and plots.
"""

import unicodedata
from collections.abc import Sequence

from poselift.reports.tables import Printed, Row, Table, mark, split_url

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "²": r"\textsuperscript{2}",
    "³": r"\textsuperscript{3}",
    "°": r"$^\circ$",
    "±": r"$\pm$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "·": r"$\cdot$",
    # At the start of a row, these would be arguments of the line break before it.
    "[": "{[}",
    "*": "{*}",
    # Two of these would become another character.
    "`": "{`}",
    "'": "{'}",
}
_UPRIGHT = 8
"""The number of columns from which on their heads are rotated."""

_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,landscape,margin=1.5cm]{geometry}
\usepackage{booktabs,graphicx,url}
% Tables and plots stand where they are written: floats would leave pages half empty.
\makeatletter
\renewenvironment{table}[1][]
  {\par\bigskip\noindent\begin{minipage}{\linewidth}\def\@captype{table}}
  {\end{minipage}\par}
\newcommand{\plotcaption}{\def\@captype{figure}\caption}
\makeatother
\newcommand{\plot}[2]{\begin{minipage}[t]{0.49\linewidth}\vspace{0pt}\centering
  \includegraphics[width=\linewidth,height=0.4\textheight,keepaspectratio]{#1}\plotcaption{#2}\end{minipage}}
"""


def escape(text: str) -> str:
    """Text that LaTeX prints literally.

    Characters that its usual fonts lack become "?".
    """
    # Two hyphens would become a dash.
    return "".join(_escape(character) for character in text).replace("--", "-{}-")


def _escape(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isspace():
        return " "
    if " " < character <= "~":
        return character
    # Western letters with accents, which TeX's first fonts have, except the two of Icelandic.
    western = "\u00c0" <= character <= "\u00ff" and character not in "ÐðÞþ"
    return character if western and unicodedata.category(character)[0] == "L" else "?"


def latex_table(table: Table) -> str:
    """A table for a document with booktabs, graphicx and url."""
    heads = [escape(head) for head in table.heads]
    if len(table.columns) > _UPRIGHT:
        labels = len(table.labels)
        heads = [*heads[:labels], *(rf"\rotatebox{{90}}{{{head}}}" for head in heads[labels:])]
    blocks = ["".join(" & ".join(_row(table, row)) + " \\\\\n" for row in block) for block in table.blocks()]
    # No rules between single rows.
    rule = "\\midrule\n" if len(blocks) < len(table.rows) else ""
    lines = [
        "% needs \\usepackage{booktabs,graphicx,url}",
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escape(table.caption)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\smallskip",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        # Shrinks the table to the width of the line, and so far that a page also holds headings and citations.
        r"\sbox0{%",
        rf"\begin{{tabular}}{{{'l' * len(table.labels)}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        "\\midrule\n" + rule.join(blocks) + r"\bottomrule",
        r"\end{tabular}%",
        "}%",
        r"\ifdim\wd0>\linewidth\sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi",
        r"\ifdim\dimexpr\ht0+\dp0\relax>0.5\textheight\sbox0{\resizebox*{!}{0.5\textheight}{\usebox0}}\fi",
        r"\usebox0",
    ]
    if table.citations:
        lines += [
            r"\par\smallskip\raggedright\scriptsize",
            *(
                rf"\textsuperscript{{{mark(place)}}}~cited: {_citation(citation)}\quad"
                for place, citation in enumerate(table.citations)
            ),
        ]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def latex_document(
    title: str, parts: Sequence[tuple[str, Sequence[Table], Sequence[tuple[str, str]]]], folder: str
) -> str:
    """A document of all tables and plots.

    Each part begins on a page of its own, and holds as many as fit on a page.

    Args:
        title: of the document.
        parts: the title, the tables, and the path and caption of each plot.
        folder: of the tables' files, relative to the document.
    """
    lines = [_PREAMBLE + r"\begin{document}", rf"\section*{{{escape(title)}}}"]
    for place, (heading, tables, plots) in enumerate(parts):
        lines += [r"\clearpage"] if place else []
        lines += [rf"\subsection*{{{escape(heading)}}}"] if len(parts) > 1 else []
        lines += [rf"\input{{{folder}/{table.name}}}" for table in tables]
        for first in range(0, len(plots), 2):  # side by side
            pair = [rf"\plot{{{path}}}{{{escape(caption)}}}" for path, caption in plots[first : first + 2]]
            lines.append(r"\par\bigskip\noindent" + "\\hfill\n".join(["", *pair]).removeprefix("\\hfill"))
    return "\n".join([*lines, r"\par", r"\end{document}"]) + "\n"


def _row(table: Table, row: Row) -> list[str]:
    labels = [escape(label) for label in row.labels]
    if row.citation is not None:
        labels[0] += rf"\textsuperscript{{{mark(row.citation)}}}"
    return labels + [_cell(cell) for cell in table.format_cells(row)]


def _cell(cell: Printed) -> str:
    if cell.text is None:
        return "--"
    text = f"${cell.text}$" if cell.text.startswith("-") else cell.text
    deviation = rf"{{\tiny\,$\pm$\,{cell.deviation}}}" if cell.deviation else ""
    return (rf"\textbf{{{text}}}" if cell.best else text) + deviation


def _citation(citation: str) -> str:
    """A citation with its URL in LaTeX's command for URLs."""
    paper, url = split_url(citation)
    return escape(paper) + (rf" \url{{{url}}}" if url else "")
