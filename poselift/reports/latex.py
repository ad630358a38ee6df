"""Tables as LaTeX: a file for a paper to input, and a document of all of them."""

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
    # The end of a row would take these for its own.
    "[": "{[}",
    "*": "{*}",
    # Two of these would become another character.
    "`": "{`}",
    "'": "{'}",
}
_UPRIGHT = 8
"""Columns of numbers, beyond which their heads stand upright."""

_FLOATS = 4
"""Tables of the document between two breaks of the page."""

_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,landscape,margin=1.5cm]{geometry}
\usepackage{booktabs,graphicx,url}
"""


def escape(text: str) -> str:
    """Text that LaTeX prints as it is; a character that its usual fonts do not have becomes "?"."""
    # Two hyphens would become a dash.
    return "".join(_escape(character) for character in text).replace("--", "-{}-")


def _escape(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isspace():
        return " "
    if " " < character <= "~":
        return character
    # Western letters with accents, which TeX's first fonts can put together, but for two of Icelandic.
    western = "\u00c0" <= character <= "\u00ff" and character not in "ÐðÞþ"
    return character if western and unicodedata.category(character)[0] == "L" else "?"


def latex_table(table: Table) -> str:
    """A table for a document to input, which needs booktabs, graphicx and url."""
    heads = [escape(head) for head in table.heads]
    if len(table.columns) > _UPRIGHT:
        labels = len(table.labels)
        heads = [*heads[:labels], *(rf"\rotatebox{{90}}{{{head}}}" for head in heads[labels:])]
    blocks = ["".join(" & ".join(_row(table, row)) + " \\\\\n" for row in block) for block in table.blocks()]
    # Rules between single rows would say nothing.
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
        # As wide as it is, but no wider than the line.
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{'l' * len(table.labels)}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
        "\\midrule\n" + rule.join(blocks) + r"\bottomrule",
        r"\end{tabular}%",
        "}",
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


def latex_document(title: str, tables: Sequence[Table], figures: Sequence[tuple[str, str]], folder: str) -> str:
    """A document that prints the tables and figures as they stand.

    Args:
        title: of the document.
        tables: whose files are in `folder`.
        figures: path and caption of each.
        folder: where `latex_table`s are, relative to the document.
    """
    lines = [_PREAMBLE + r"\begin{document}", rf"\section*{{{escape(title)}}}"]
    for place, table in enumerate(tables, 1):
        lines.append(rf"\input{{{folder}/{table.name}}}")
        # TeX keeps only so many floats that no page has taken.
        lines += [r"\clearpage"] if place % _FLOATS == 0 or place == len(tables) else []
    for path, caption in figures:
        lines += [
            r"\begin{figure}[p]",
            r"\centering",
            rf"\includegraphics[width=\linewidth,height=0.85\textheight,keepaspectratio]{{{path}}}",
            rf"\caption{{{escape(caption)}}}",
            r"\end{figure}",
            r"\clearpage",
        ]
    return "\n".join([*lines, r"\end{document}"]) + "\n"


def _row(table: Table, row: Row) -> list[str]:
    labels = [escape(label) for label in row.labels]
    if row.citation is not None:
        labels[0] += rf"\textsuperscript{{{mark(row.citation)}}}"
    return labels + [_cell(cell) for cell in table.printed(row)]


def _cell(cell: Printed) -> str:
    if cell.text is None:
        return "--"
    text = f"${cell.text}$" if cell.text.startswith("-") else cell.text
    deviation = rf"{{\tiny\,$\pm$\,{cell.deviation}}}" if cell.deviation else ""
    return (rf"\textbf{{{text}}}" if cell.best else text) + deviation


def _citation(citation: str) -> str:
    """A citation with its URL set as one."""
    paper, url = split_url(citation)
    return escape(paper) + (rf" \url{{{url}}}" if url else "")
