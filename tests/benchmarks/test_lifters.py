"""The comparison of lifters on a bench of two made-up clips."""

import csv
import json

import pytest
import torch

from benchmarks import lifters
from poselift.models import (
    JointTokenConfig,
    JointTokenTransformer,
    LifterConfig,
    SimpleBaseline,
    SimpleBaselineConfig,
    SpatioTemporalLifter,
    TemporalConvolution,
    TemporalConvolutionConfig,
    save_weights,
)

pytestmark = pytest.mark.slow

OURS = {
    name: LifterConfig(joint_dim=16, frame_dim=32, depth=1, heads=4, dim=dim)
    for name, dim in {"tiny": 32, "wide": 64}.items()
}
BASELINES = {
    "simple_baseline": SimpleBaseline(SimpleBaselineConfig(dim=16)),
    "temporal_convolution": TemporalConvolution(TemporalConvolutionConfig(channels=16, depth=1)),
    "mixste_shape": JointTokenTransformer(JointTokenConfig(dim=16, depth=1, heads=2)),
}


@pytest.fixture
def weights(tmp_path):
    """Files of ours, `tiny` with two seeds, and of the baselines, with random weights."""
    ours, theirs = [], []
    for name, seed in (("tiny", 0), ("tiny", 1), ("wide", 0)):
        torch.manual_seed(seed)
        ours.append(tmp_path / f"seed{seed}" / f"{name}.safetensors")
        save_weights(ours[-1], SpatioTemporalLifter(OURS[name]), 24, {"seed": seed})
    for name, lifter in BASELINES.items():
        theirs.append(tmp_path / "seed0" / f"{name}.safetensors")
        save_weights(theirs[-1], lifter, 24, {"seed": 0})
    return ours, theirs


@pytest.fixture
def compare(cmu_files, tmp_path):
    """Runs the command; returns its folder."""

    def run(ours, theirs):
        corpus, bench = cmu_files
        command = ["--corpus", corpus, "--bench", bench, "--weights", *ours, "--baselines", *theirs]
        lifters.main([*map(str, command), "--repeats", "1", "--out", str(tmp_path / "out")])
        return tmp_path / "out"

    return run


def test_the_table_and_the_plots_have_all_lifters(weights, compare, monkeypatch):
    drawn, draw = [], lifters.family_plot
    monkeypatch.setattr(lifters, "family_plot", lambda *given: drawn.append(given) or draw(*given))
    out = compare(*weights)
    rows = {row["lifter"]: row for row in csv.DictReader((out / "lifters.csv").read_text().splitlines())}
    kinds = {**dict.fromkeys(OURS, "ours"), **dict.fromkeys(BASELINES, "baseline")}
    assert {name: row["kind"] for name, row in rows.items()} == kinds
    assert {name: row["seeds"] for name, row in rows.items()} == {**dict.fromkeys(kinds, "1"), "tiny": "2"}
    assert list(rows) == sorted(rows, key=lambda name: float(rows[name]["MACs (M/frame)"]))
    for name, lifter in BASELINES.items():
        parameters = sum(parameter.numel() for parameter in lifter.parameters())
        assert float(rows[name]["Parameters (M)"]) == parameters / 1e6
    first = next(float(row["Time (ms/frame)"]) for row in rows.values() if row["kind"] == "ours")
    for row in rows.values():
        assert float(row["Time ratio"]) == pytest.approx(float(row["Time (ms/frame)"]) / first)

    # Errors are those of the evaluations, the mean over the seeds.
    evaluated = {}
    for path in (out / "runs").glob("*/metrics.json"):
        results = json.loads(path.read_text())
        evaluated.setdefault(results["name"], []).append(results["metrics"]["mpjpe"]["mean"])
    assert len(evaluated["tiny"]) == 2
    for name, errors in evaluated.items():
        assert float(rows[name]["MPJPE (mm)"]) == pytest.approx(sum(errors) / len(errors))

    for (family, others, label, _), column in zip(drawn, ("MACs (M/frame)", "Time (ms/frame)"), strict=True):
        assert "one CPU thread" in label or "MACs" in label
        assert {method.label for method in family} == set(OURS)
        assert {method.label for method in others} == {name.replace("_", " ") for name in BASELINES}
        for method in (*family, *others):
            row = rows[method.label.replace(" ", "_")]
            assert (method.cost, method.value) == (float(row[column]), float(row["MPJPE (mm)"]))
        assert [method.label for method in family if method.deviation is not None] == ["tiny"]
    written = {path.name for path in out.glob("accuracy_*")}
    assert written == {f"accuracy_{cost}.{ending}" for cost in ("macs", "time") for ending in ("pdf", "png")}
