"""The command as a researcher runs it."""

import json

import pytest
import torch
from hydra import compose, initialize_config_dir

from poselift.cli.config import CONF
from poselift.cli.evaluate import evaluate
from poselift.models import (
    LifterConfig,
    RecurrentConfig,
    RecurrentLifter,
    SpatioTemporalLifter,
    save_weights,
)
from tests.cli.running import poselift
from tests.reports.results import results, write

pytestmark = pytest.mark.slow


def report(*arguments):
    ran = poselift("report", *arguments)
    assert ran.code == 0, ran.err
    return ran.out


@pytest.fixture
def no_plots(monkeypatch):
    """Leaves the plots out, which take seconds; the first test below makes them."""
    monkeypatch.setattr("poselift.reports.report_folder.section_plots", lambda *_: [])


def test_the_command_writes_what_it_says(tmp_path):
    runs = [write(tmp_path / name, results(error, name=name)) for name, error in (("a", 50.0), ("b", 40.0))]
    out = report(*runs, "--out", tmp_path / "out")
    assert "index.html, report.tex, report.md, tables/, plots/ (2 rows)" in out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"index.html", "report.tex", "report.md", "tables", "plots", "cost.json"}
    assert "| b | **40.0** |" in (tmp_path / "out" / "report.md").read_text()


def evaluated(output, bench, *overrides):
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("evaluate", [*bench, *map(str, overrides), f"output={output}"])
    evaluate(config)
    return output


@pytest.fixture
def bench(cmu_files):
    corpus, bench = cmu_files
    return ["protocol=cmu_bench", f"data.corpus={corpus}", f"data.bench={bench}"]


def test_a_name_with_half_a_letter_is_written_as_an_escape(tmp_path):
    write(tmp_path / "run", results(name="half \ud800"))
    report(tmp_path / "run", "--out", tmp_path / "report")
    assert r"half \ud800" in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.usefixtures("no_plots")
def test_saved_predictions_give_the_same_tables_to_the_last_digit(bench, tmp_path):
    """Of lifters of two architectures, one of them in windows of its own."""
    torch.manual_seed(0)
    lifters = {
        "ours": SpatioTemporalLifter(LifterConfig(joint_dim=16, frame_dim=32, dim=32, depth=1, heads=4)),
        "lstm": RecurrentLifter(RecurrentConfig(dim=16)),
    }
    live, saved = [], []
    for name, lifter in lifters.items():
        save_weights(tmp_path / f"{name}.safetensors", lifter, 16, {"seed": 0})
        weights = f"weights={tmp_path / name}.safetensors"
        live.append(evaluated(tmp_path / "live" / name, bench, weights, *["window=8"] * (name == "lstm")))
        predictions = f"predictions={live[-1] / 'predictions.npz'}"
        saved.append(evaluated(tmp_path / "saved" / name, bench, predictions))
    report(*live, "--out", tmp_path / "a")
    report(*saved, "--out", tmp_path / "b", "--cost", tmp_path / "a" / "cost.json")
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / folder / "tables").iterdir()} for folder in "ab"
    )
    assert len(one) == 3 * 10
    assert one == other
    rows = (tmp_path / "a" / "tables" / "cmu_bench_comparison.md").read_text()
    assert all(f"| {name} |" in rows for name in lifters)
    costs = json.loads((tmp_path / "a" / "cost.json").read_text())["costs"]
    assert sorted(key.split()[1] for key in costs) == ["window=16", "window=8"]


@pytest.mark.usefixtures("no_plots")
def test_the_folder_of_a_sweep_stands_for_its_jobs(tmp_path):
    for seed in range(3):
        write(tmp_path / "sweep" / str(seed), results(50.0 + seed, seed=seed))
    (tmp_path / "sweep" / "multirun.yaml").write_text("hydra: {}")
    for number, given in enumerate(
        ([tmp_path / "sweep"], [tmp_path / "sweep" / "*"], [*(tmp_path / "sweep").iterdir()])
    ):
        assert "(1 row)" in report(*given, "--out", tmp_path / f"out{number}", "--cost", "none", "--peers", "none")


@pytest.mark.usefixtures("no_plots")
def test_patterns_and_protocols(tmp_path):
    for seed in range(3):
        write(tmp_path / f"run{seed}", results(50.0 + seed, seed=seed))
    write(tmp_path / "h36m", results(protocol="h36m_p1", data={"keypoints": "gt"}))
    assert "(2 rows)" in report(tmp_path / "run*", tmp_path / "h36m", "--out", tmp_path / "out", "--cost", "none")
    assert "| ours | 3 | 51.0 ± 1.0 |" in (tmp_path / "out" / "tables" / "cmu_bench_comparison.md").read_text()
    cited = (tmp_path / "out" / "tables" / "h36m_p1_comparison.md").read_text()
    assert "| MixSTE (" in cited
    assert not (tmp_path / "out" / "cost.json").exists()
    report(tmp_path / "h36m", "--out", tmp_path / "alone", "--cost", "none", "--peers", "none")
    assert "MixSTE" not in (tmp_path / "alone" / "tables" / "h36m_p1_comparison.md").read_text()
