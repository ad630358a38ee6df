"""The study: its rows, its measurements, and continuing after a stop."""

import csv
import json
import re
from pathlib import Path

import pytest

import benchmarks.study
from benchmarks.study.budgets import BUDGETS, Budget
from benchmarks.study.rows import FAMILIES, all_rows
from benchmarks.study.run import Study
from poselift.cli.config import CONF
from poselift.nn.attention import ATTENTION
from poselift.reports.entries import sections
from poselift.reports.runs import read_runs

pytestmark = pytest.mark.slow

ROOT = Path(CONF).parent
PAGE = ROOT / "docs" / "mechanisms.md"
TINY = Budget(
    steps=2,
    batch=4,
    frames=16,
    views=1,
    repeats=1,
    sizes={"martinez": ("model.dim=16",), "rnn": ("model.dim=16",)},
    other=("data.clips=2", "data.clip_frames=40", "callbacks.ema=null"),
)


def stems(group):
    return {path.stem for path in (Path(CONF) / group).glob("[!_]*.yaml")}


class TestRows:
    def test_every_name_on_disk_is_trained(self):
        overrides = {override for row in all_rows() for override in row.overrides}
        missing = {
            f"{group}={name}"
            for group in ("model", "model/attention", "schedule", "schedule/warmup")
            for name in stems(group)
        } - overrides
        # benchmarks/lifter_log.md compares it at equal cost.
        assert missing == {"model=mixste"}
        assert "model/init=t_fixup" in overrides
        assert set(ATTENTION) == stems("model/attention")

    def test_names_are_told_apart_and_files_are_there(self):
        rows = all_rows()
        assert len({row.name for row in rows}) == len(rows)
        for row in rows:
            assert (ROOT / row.code).is_file(), row
            assert (ROOT / row.test).is_file(), row
            assert row.family in FAMILIES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


# The warning is Lightning's own.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")
class TestRun:
    @pytest.fixture
    def study(self, folder, monkeypatch):
        monkeypatch.setitem(BUDGETS, "smoke", TINY)

        def start(*arguments):
            benchmarks.study.main(["--out", str(folder), *arguments])

        return start

    def test_rows_are_trained_scored_and_measured(self, study, folder, capsys):
        study("--seeds", "0", "1", "--workers", "2", "--only", "martinez", "rnn", "--page", str(folder / "page.md"))
        assert f"2 of {len(all_rows())} rows in {folder}" in capsys.readouterr().out
        found, _ = sections(read_runs([folder / "rows" / "martinez" / "seed_0", folder / "rows" / "rnn" / "seed_0"]))
        assert [entry.name for entry in found[0].entries] == ["martinez", "rnn"]
        rows = json.loads((folder / "study.json").read_text())["rows"]
        assert [row["name"] for row in rows] == ["martinez", "rnn"]
        for row in rows:
            errors = []
            for seed, training in enumerate(row["trainings"]):
                metrics = json.loads((folder / "rows" / row["name"] / f"seed_{seed}" / "metrics.json").read_text())
                errors.append(metrics["metrics"]["mpjpe"]["mean"])
                assert (training["seed"], training["error"]["mpjpe"]) == (seed, errors[-1])
                assert "model.dim=16" in training["command"]
            assert errors[0] != errors[1]
            cost = row["cost"]
            assert cost["growth"]["macs"] == pytest.approx(1.0, abs=1e-3), "frame by frame"
            assert cost["cost"]["729"]["macs"] == pytest.approx(27 * cost["cost"]["27"]["macs"], rel=1e-3)
        with open(folder / "study.csv", newline="") as file:
            table = list(csv.DictReader(file))
        assert float(table[1]["MPJPE (mm)"]) == pytest.approx(sum(errors) / 2)
        assert "| Before Transformers | rnn | none |" in (folder / "study.md").read_text()
        assert all((folder / "plots" / f"{name}.png").stat().st_size > 5000 for name in ("errors", "growth"))
        page = (folder / "page.md").read_text()
        assert "<br>`model=martinez` |" in page
        assert "`lstm`" not in page, "it was not trained"

    def test_what_is_finished_is_not_trained_again(self, study, folder, monkeypatch):
        runs = []
        monkeypatch.setattr(Study, "run", lambda self, row, seed: runs.append((row.name, seed)))
        study("--seeds", "0", "1", "--only", "martinez", "rnn")
        assert runs == []
        study("--seeds", "2", "--seconds", "-1", "--only", "martinez", "rnn")
        assert runs == [], "the time was over"
        monkeypatch.setitem(BUDGETS, "smoke", Budget(**{**vars(TINY), "steps": 3}))
        benchmarks.study.main(["--out", str(folder), "--only", "rnn"])
        assert runs == [("rnn", 0)], "under another budget it is another row"


class TestPage:
    """docs/mechanisms.md, as it stands in the repository."""

    def test_every_name_is_there_with_its_override_and_its_figures(self):
        lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
        shown = {}
        for line in lines:
            first, *figures = (cell.strip() for cell in line.strip("|").split(" | "))
            name, override = re.fullmatch(r"`(\w+)` \[code]\(\S+\), \[test]\(\S+\)<br>`([^`]+)`", first).groups()
            shown[name] = (override, figures)
        assert sorted(shown) == sorted(row.name for row in all_rows())
        for row in all_rows():
            override, (positions, trained, *figures) = shown[row.name]
            assert (override, positions) == (" ".join(row.overrides), row.positions)
            assert re.fullmatch(r"(GPU: [\d, ]+)?(CPU: [\d, ]+)?", trained)
            several = len(re.findall(r"\d", trained)) > 1
            assert len(figures) == 8
            for error in figures[:2]:
                assert re.fullmatch(r"\d+\.\d ± \d+\.\d" if several else r"\d+\.\d|-", error)
            # "-": not measured
            assert all(figure == "-" or float(figure) > 0 for figure in figures[2:])

    @pytest.mark.parametrize(("budget", "device"), [("short", "cpu"), ("long_243", "cpu"), ("long_729", "cuda")])
    def test_the_commands_are_in_the_repository(self, budget, device, capsys):
        data = ["--corpus", "cmu50.npz", "--bench", "bench_val.npz"]
        benchmarks.study.main(["--budget", budget, "--device", device, *data, "--commands"])
        kept = ROOT / "benchmarks" / "study" / f"{budget}_commands.txt"
        assert capsys.readouterr().out == kept.read_text(encoding="utf-8")
