"""Accuracy against cost on the CMU benchmark: our lifters beside baselines, in one run.

    python -m benchmarks.lifters --corpus cmu50.npz --bench bench_test.npz --weights tiny small \
        --baselines runs/baselines/*/seed*/*.safetensors

Evaluates each of them as `poselift evaluate protocol=cmu_bench` does, into DIR/runs, and measures its cost as
`poselift report` does: multiply-adds including attention, and time on one CPU thread, in turns. Writes lifters.md,
.csv and .tex, and the plots accuracy_macs and accuracy_time as .png and .pdf. Files of one name are the seeds of one
lifter. Overrides of the evaluation make ablations, such as the network alone: `refine=false constant_bones=false`.
"""

from collections.abc import Sequence
from pathlib import Path

import benchmarks.mmpose_networks  # noqa: F401, so that its networks can be loaded
from benchmarks.command import add_bench, command_line, errors_shown, evaluated
from benchmarks.family_plot import family_plot
from poselift.core.files import check_writable, write_text
from poselift.models import load_weights
from poselift.reports.cost import Cost, cost_key, measure_costs
from poselift.reports.csv_tables import csv_table
from poselift.reports.entries import Entry, Section, sections
from poselift.reports.latex import latex_table
from poselift.reports.markdown import markdown_table
from poselift.reports.report_folder import COST_NOTE
from poselift.reports.runs import read_runs
from poselift.reports.tables import Cell, Column, Row, Table
from poselift.viz.plots import Method, save_plot

_METRICS = {
    "mpjpe": Column("MPJPE", "mm", "lower"),
    "p_mpjpe": Column("P-MPJPE", "mm", "lower"),
    "mpjve": Column("MPJVE", "mm/frame", "lower", 2),
}
_COSTS = (
    Column("Parameters", "M", "lower", 2),
    Column("MACs", "M/frame", "lower", 2),
    Column("Time", "ms/frame", "lower", 3),
    Column("Time ratio", "", "lower", 2),
    Column("Memory", "MB", "lower", 1),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluates, measures and writes."""
    parser = command_line(__doc__)
    add_bench(parser, skeleton="h36m17")
    parser.add_argument("--baselines", nargs="+", default=[], metavar="FILE", help="mmpose's networks need mmpose")
    parser.add_argument("--keypoints", default="det", choices=("det", "gt"), help="det: detector-like 2D; gt: exact 2D")
    parser.add_argument("--repeats", type=int, default=20, help="of each timing; default 20")
    parser.add_argument("--out", type=Path, default=Path("outputs/lifters"), help="default outputs/lifters")
    parser.add_argument("overrides", nargs="*", help="of the evaluation, for all rows; before the options")
    options = parser.parse_intermixed_args(arguments)
    ours = {Path(file).stem for file in options.weights}
    if both := ours & {Path(file).stem for file in options.baselines}:
        parser.error(f"{', '.join(sorted(both))}: in --weights and in --baselines; files of one name are one lifter")
    with errors_shown(parser):
        check_writable(options.out)
        files = [*options.weights, *options.baselines]
        # All files are loaded before the first of many long evaluations, so that a wrong one is reported at once.
        folders = {file: f"{Path(file).stem}_{load_weights(file).sha256[:12]}" for file in files}
        runs = [
            evaluated(
                file, options, options.skeleton, options.keypoints, options.out / "runs" / folder, *options.overrides
            )
            for file, folder in folders.items()
        ]
        (section,), _ = sections(read_runs(runs))
        costs, missing = measure_costs(section.entries, options.repeats)
        if missing:
            parser.error("; ".join(missing))
        write(section, costs, ours, options.out)


def write(section: Section, costs: dict[str, Cost], ours: set[str], out: Path) -> None:
    """Writes the table and the plots.

    Args:
        section: all lifters, evaluated alike.
        costs: by `cost_key`.
        ours: names of the lifters that a line joins.
        out: the folder.
    """
    rows = [(entry, costs[cost_key(entry)]) for entry in section.entries]
    table = _table(section, sorted(rows, key=lambda row: row[1].macs), ours)
    for ending, text in ((".md", markdown_table), (".csv", csv_table), (".tex", latex_table)):
        write_text(out / f"lifters{ending}", text(table))
    for name, label, cost_of in (
        ("macs", "MACs (million a frame)", lambda cost: cost.macs / 1e6),
        ("time", "time on one CPU thread (ms a frame)", lambda cost: cost.ms),
    ):
        methods: dict[bool, list[Method]] = {True: [], False: []}
        for entry, cost in rows:
            error = _cell(entry, "mpjpe")
            point = Method(entry.name.replace("_", " "), cost_of(cost), error.mean, error.deviation)
            methods[entry.name in ours].append(point)
        save_plot(family_plot(methods[True], methods[False], label, "MPJPE (mm)"), out / f"accuracy_{name}")
    print(markdown_table(table))
    print(f"Written to {out}: lifters.md, .csv and .tex, accuracy_macs and accuracy_time as .png and .pdf")


def _table(section: Section, rows: Sequence[tuple[Entry, Cost]], ours: set[str]) -> Table:
    """A row for each lifter; time ratios are to the cheapest of ours."""
    unit = next(cost.ms for entry, cost in rows if entry.name in ours)
    cells = []
    for entry, cost in rows:
        of_cost = (cost.parameters / 1e6, cost.macs / 1e6, cost.ms, cost.ms / unit, cost.memory / 1e6)
        kind = "ours" if entry.name in ours else "baseline"
        labels = (entry.name, kind, entry.settings["window"], str(len(entry.runs)))
        cells.append(Row(labels, (*(_cell(entry, key) for key in _METRICS), *map(Cell, of_cost))))
    return Table(
        "lifters",
        f"{section.title}: accuracy against cost",
        ("lifter", "kind", "window", "seeds"),
        (*_METRICS.values(), *_COSTS),
        tuple(cells),
        note=f"All rows: {section.common}. {COST_NOTE} Time ratio: to the cheapest of ours.",
    )


def _cell(entry: Entry, metric: str) -> Cell:
    return entry.cell(lambda results: results["metrics"][metric]["mean"])


if __name__ == "__main__":
    main()
