"""Accuracy against cost on the CMU benchmark: the sizes of our lifter beside baselines, in one run.

    python -m benchmarks.lifters --corpus cmu50.npz --bench bench_test.npz --weights tiny small \
        --baselines runs/baselines/*/seed*/*.safetensors

Evaluates each of them as `python tools/evaluate.py protocol=cmu_bench` does, into OUT/runs, and measures what it costs
as `python tools/report.py` does: multiply-adds with those of attention, and time on one CPU thread, all lifters by
turns. Writes lifters.md, .csv and .tex, and the plots accuracy_macs and accuracy_time as .png and .pdf. Files of one
name are the seeds of one lifter. An evaluation of the same file that is in OUT/runs is not made again.
`python tools/report.py OUT/runs/* --cost none` makes all other tables of them.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir

from benchmarks.mmpose_networks import register
from poselift.cli.config import CONF
from poselift.cli.evaluate import run as evaluate
from poselift.core.errors import InputError
from poselift.core.files import check_writable, write_text
from poselift.models import load_weights
from poselift.reports.cost import Cost, cost_key, measure_costs
from poselift.reports.csv import csv_table
from poselift.reports.entries import Entry, Section, sections
from poselift.reports.latex import latex_table
from poselift.reports.markdown import markdown_table
from poselift.reports.report import COST_NOTE
from poselift.reports.runs import read_runs
from poselift.reports.tables import Cell, Column, Row, Table
from poselift.viz.plots import Method, family_plot, save_plot

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


def main() -> None:
    """Evaluates, measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="cmu50.npz")
    parser.add_argument("--bench", type=Path, required=True, help="bench_test.npz or bench_val.npz")
    parser.add_argument("--weights", nargs="+", default=["small"], help="ours: shipped ones by name, or files")
    parser.add_argument("--baselines", nargs="+", default=[], help="files; those of mmpose's networks need mmpose")
    parser.add_argument("--joints", default="h36m17", help="joint set that is seen")
    parser.add_argument("--source", default="det", choices=("det", "gt"), help="det: detector-like 2D; gt: exact")
    parser.add_argument("--repeats", type=int, default=20, help="how often each is timed")
    parser.add_argument("--out", type=Path, default=Path("outputs/lifters"))
    options = parser.parse_args()
    ours = {Path(weights).stem for weights in options.weights}
    if both := ours & {Path(weights).stem for weights in options.baselines}:
        parser.error(f"{', '.join(sorted(both))}: in --weights and in --baselines; files of one name are one lifter")
    register()
    try:
        check_writable(options.out)
        section = _evaluated([*options.weights, *options.baselines], options)
        costs, missing = measure_costs(section.entries, options.repeats)
        if missing:
            parser.error("; ".join(missing))
        compare(section, costs, ours, options.out)
    except InputError as error:
        parser.error(str(error))


def _evaluated(files: Sequence[str], options: argparse.Namespace) -> Section:
    """All lifters under the protocol, those of one name as the seeds of one row."""
    runs = []
    # Before the first of many long evaluations, whatever cannot be loaded has been said.
    for file, weights in [(file, load_weights(file)) for file in files]:
        lifter = (weights.sha256[:12], f"window{weights.window}")
        what = (weights.name, options.bench.stem, options.joints, options.source, *lifter)
        runs.append(str(options.out / "runs" / "_".join(what)))
        if (Path(runs[-1]) / "metrics.json").is_file():
            continue
        overrides = [
            "protocol=cmu_bench",
            f"data.corpus='{options.corpus}'",
            f"data.bench='{options.bench}'",
            f"data.skeleton={options.joints}",
            f"data.keypoints={options.source}",
            f"weights='{file}'",
            f"output='{runs[-1]}'",
        ]
        with initialize_config_dir(CONF, version_base="1.3"):
            config = compose("evaluate", overrides)
        evaluate(config)
    found, _ = sections(read_runs(runs))
    return found[0]


def compare(section: Section, costs: dict[str, Cost], ours: set[str], out: Path) -> None:
    """Writes the table and the plots.

    Args:
        section: all lifters, evaluated alike.
        costs: of each, by `cost_key`.
        ours: names of the lifters that the line joins.
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
    """A row for each lifter; times also as ratios to that of our cheapest."""
    unit = next(cost.ms for entry, cost in rows if entry.name in ours)
    cells = []
    for entry, cost in rows:
        of_cost = (cost.parameters / 1e6, cost.macs / 1e6, cost.ms, cost.ms / unit, cost.memory / 1e6)
        kind = "ours" if entry.name in ours else "baseline"
        labels = (entry.name, kind, entry.settings["window"], str(len(entry.runs)))
        cells.append(Row(labels, (*(_cell(entry, key) for key in _METRICS), *map(Cell, of_cost))))
    note = f"All rows: {section.common}. {COST_NOTE} Time ratio: to our cheapest."
    return Table(
        "lifters",
        f"{section.title}: accuracy against cost",
        ("lifter", "kind", "window", "seeds"),
        (*_METRICS.values(), *_COSTS),
        tuple(cells),
        note=note,
    )


def _cell(entry: Entry, metric: str) -> Cell:
    return entry.cell(lambda results: results["metrics"][metric]["mean"])


if __name__ == "__main__":
    main()
