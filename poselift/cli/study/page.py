"""The page that lists every name: the command that trains it, its file, its test and its row in the study."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from poselift.cli.config import CONF
from poselift.cli.study.rows import FAMILIES, Row
from poselift.cli.study.run import Study
from poselift.cli.study.tables import NOTE, summary_cells, summary_columns
from poselift.core.files import write_text

_ROOT = Path(CONF).parent

_ENOUGH = 1000
_FEW = (
    " These are too few steps to say which row is better: they show that all of them train. Times are rough where the "
    "machine has other work."
)
"""What is said of a budget of fewer steps than are enough."""

_INTRODUCTION = """\
# Every mechanism, and what it came to

Each name of the survey is an override of `tools/train.py`. Here is the command that trains it, the file that it is in
with its formula and paper, the test of that file, and its row in the study. This page is written by the study itself:

    {command}

Self-attention that is soft and global is `scaled_dot` under `softmax`; attention across, from a decoder to an encoder,
is in `encoder_decoder`, and `model/attention@model.decoder_attention=NAME` and
`model/attention@model.cross_attention=NAME` choose the mechanisms of its decoder. Over the joints of a frame they go
with `model.joint_attention.name=NAME`. What cannot be (a mechanism that mixes all tokens made causal, T-Fixup with a
norm) is refused before anything is trained.

Label smoothing, the last of the Transformer's training tricks, has no place in regression: there is no distribution
over classes to smooth. Where the thesis and a paper print different formulas (the scales of T-Fixup, the exponent -1.5
of Noam's warm-up), the code has the paper's.

{budget} {note}
"""


def write_page(
    path: Path, study: Study, command: str, rows: Sequence[Row], results: Mapping[str, Mapping[str, Any]]
) -> None:
    """Writes the page, of the rows that were trained alone.

    Args:
        path: of the Markdown file; its links are relative to it.
        study: that the rows are of.
        command: that makes the page.
        rows: in the order of the tables.
        results: by the row's name.
    """
    budget = study.budget
    said = (
        f"Each row had {budget.steps} steps of {budget.batch} windows of {budget.frames} frames, and a tenth of the "
        f"steps to warm up where its schedule says how many; the first {budget.views} validation views of "
        f"{study.protocol.title} are scored. Models are as small as the budget wants them: the whole command of a row "
        f"stands in its row.json."
        f"{'' if budget.steps >= _ENOUGH else _FEW}"
    )
    parts = [_INTRODUCTION.format(command=command, budget=said, note=NOTE)]
    for family in FAMILIES:
        trained = [row for row in rows if row.family == family and row.name in results]
        if trained:
            parts.append(f"## {family}\n\n{_table(path, trained, results)}")
    write_text(path, "\n".join(parts))


def _table(path: Path, rows: Sequence[Row], results: Mapping[str, Mapping[str, Any]]) -> str:
    columns = summary_columns()
    heads = [f"{column.title} ({column.unit})" if column.unit else column.title for column in columns]
    lines = [
        f"| {' | '.join(['name', 'trained by', 'code', 'test', *heads])} |",
        f"| {' | '.join(['---'] * 4 + ['---:'] * len(columns))} |",
    ]
    for row in rows:
        numbers = [
            column.text(cell) or "-" for column, cell in zip(columns, summary_cells(results[row.name]), strict=True)
        ]
        command = f"`python tools/train.py {' '.join(row.overrides)}`"
        lines.append(
            f"| {' | '.join([f'`{row.name}`', command, _link(path, row.code), _link(path, row.test), *numbers])} |"
        )
    return "\n".join(lines) + "\n"


def _link(page: Path, file: str) -> str:
    where = os.path.relpath(_ROOT / file, page.absolute().parent)
    return f"[{Path(file).name}]({Path(where).as_posix()})"
