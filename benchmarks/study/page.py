"""The page that lists every mechanism: its override, file, test and results in the study."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.study.results import Result, spreads
from benchmarks.study.rows import FAMILIES, REFERENCE
from benchmarks.study.run import Study
from benchmarks.study.tables import NOTE, summary_cells
from poselift.core.files import write_text
from poselift.reports.tables import Cell, Column

_ROOT = Path(__file__).parents[2]

_FRAMES = "243"
"""In the window of the costs on the page."""

_COLUMNS = (
    Column("MPJPE", "mm", "lower"),
    Column("P-MPJPE", "mm", "lower"),
    Column("params", "thousand", "lower", 0),
    Column("MACs k", "", "lower", 2),
    Column("time k", "", "lower", 2),
    Column("mem. k", "", "lower", 2),
    Column("MACs", "million", "lower", 0),
    Column("time", "ms", "lower", 0),
)
"""Short heads without units, so that a table fits a page; `_HEADS` explains them."""

_HEADS = (
    "In the tables, `trained` is the device and the seeds of the trainings, `params` is the number of parameters in "
    "thousands, k is the exponent of each cost (`mem.` is memory), and the last two columns are the cost of a window "
    f"of T = {_FRAMES} frames: MACs in millions and time in ms. Positions are part of the task: compare rows with the "
    "same ones, such as a mechanism without rotary positions with the `control` of its family that has sinusoidal ones."
)
_SURE = 2.5
"""Standard deviations of a difference by which two rows must differ: 99 % for one pair, because many are compared."""
_ENOUGH = 500
_FEW = " These are too few steps to rank the rows; they show that every row trains."
"""The note on a budget with too few steps."""

_INTRODUCTION = """\
# Every mechanism and its results

Each mechanism of [the thesis](thesis.md) is an override of `poselift train`. The tables show the override below the
name, with links to the code (formula and paper are in its docstring) and to its test, and the results in the study. For
example, this command trains `additive`:

    poselift train model/attention=additive

The study itself writes this page:

    {command}

Soft global self-attention is `scaled_dot` with `softmax`. Cross-attention from a decoder to an encoder is in
`encoder_decoder`; `model/attention@model.decoder_attention=NAME` and `model/attention@model.cross_attention=NAME`
choose the mechanisms of its decoder. `model.joint_attention.name=NAME` chooses the mechanism over the joints of a
frame. An impossible combination (a mechanism that mixes all tokens made causal, T-Fixup with a norm) gives an error
before training starts.

Label smoothing is not part of the study: regression has no distribution over classes to smooth. Where [the
thesis](thesis.md) and a paper print different formulas (the scales of T-Fixup, the exponent -1.5 of Noam's warm-up),
the code follows the paper.

{budget}

{note} {heads}

![The error of every row](../benchmarks/study/errors.png)
"""


def write_page(path: Path, study: Study, command: str, results: Mapping[str, Result]) -> None:
    """Writes the page of all rows that have results.

    Args:
        path: of the Markdown file; its links are relative to it.
        study: of the rows.
        command: that makes the page.
        results: by the name of the row.
    """
    budget = study.budget
    said = (
        f"Each row trained for {budget.steps} steps of {budget.batch} windows of {budget.frames} frames, with the "
        f"optimizer `{budget.optimizer}` where it names no other. Warm-ups with a length take a tenth of the steps. "
        f"Errors are on the first {budget.views} validation views of {study.protocol.title}. The budget sets the size "
        f"of the models; `--commands` prints the full command of each row "
        f"({_link(path, 'those of the budget short', 'benchmarks/study/short_commands.txt')})."
        f"{_noise(results) if budget.steps >= _ENOUGH else _FEW}"
    )
    parts = [_INTRODUCTION.format(command=command, budget=said, note=NOTE, heads=_HEADS)]
    for family in FAMILIES:
        trained = [result for result in results.values() if result.row.family == family]
        if trained:
            parts.append(f"## {family}\n\n{_table(path, trained)}")
    write_text(path, "\n".join(parts))


def _noise(results: Mapping[str, Result]) -> str:
    """What the seeds say about differences between rows."""
    pooled = {kind: deviation for kind, deviation in spreads(results).items() if not math.isnan(deviation)}
    if not pooled:
        return ""
    seeds = max(len(result.trainings) for result in results.values())
    kinds = "; ".join(
        f"{deviation:.1f} mm of {kind}, so {_SURE * deviation * math.sqrt(2 / seeds):.1f}"
        for kind, deviation in pooled.items()
    )
    return (
        f"\n\nOne seed gives all rows the same windows. Two rows of {seeds} seeds are equal as far as this study can "
        f"tell if they differ by less than {_SURE} standard deviations of their difference. The deviation over the "
        f"seeds, pooled over the rows of a kind, is {kinds}. Among rows with the same positions, each table begins "
        f"with the smallest error. {_same(results)}"
    )


def _same(results: Mapping[str, Result]) -> str:
    """Names the rows that are the default lifter under another name."""
    same = [f"`{name}`" for name, result in results.items() if result.row.equals == REFERENCE]
    return f"These rows are the default lifter, `{REFERENCE}`: {', '.join(same)}." if same else ""


def _table(path: Path, results: Sequence[Result]) -> str:
    """The table of a family: the smallest error first among rows with the same positions."""
    lines = [
        f"| {' | '.join(['name and override', 'positions', 'trained', *(column.title for column in _COLUMNS)])} |",
        f"| {' | '.join(['---', '---', '---', *['---:'] * len(_COLUMNS)])} |",
    ]
    for result in sorted(results, key=lambda result: (result.row.positions, result.error())):
        row = result.row
        cost = result.cost["cost"][_FRAMES] if result.cost else {}
        cells = (*summary_cells(result), _scaled(cost.get("macs"), 1e-6), _scaled(cost.get("ms"), 1.0))
        numbers = [_number(column, cell) for column, cell in zip(_COLUMNS, cells, strict=True)]
        links = f"{_link(path, 'code', row.code)}, {_link(path, 'test', row.test)}"
        name = f"`{row.name}` {links}<br>`{' '.join(row.overrides)}`"
        lines.append(f"| {' | '.join([name, row.positions, result.trained, *numbers])} |")
    return "\n".join(lines) + "\n"


def _scaled(value: float | None, factor: float) -> Cell:
    return Cell(None if value is None else value * factor)


def _number(column: Column, cell: Cell) -> str:
    text, deviation = column.text(cell), column.deviation(cell)
    return "-" if text is None else f"{text} ± {deviation}" if deviation else text


def _link(page: Path, text: str, file: str) -> str:
    where = os.path.relpath(_ROOT / file, page.absolute().parent)
    return f"[{text}]({Path(where).as_posix()})"
