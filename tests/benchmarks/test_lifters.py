"""The comparison of lifters on a bench of two made-up clips."""

import csv
import json
import sys

import pytest
import torch

from benchmarks import lifters
from poselift.models import (
    JointTokenTransformer,
    SimpleBaseline,
    SpatioTemporalLifter,
    TemporalConvolution,
    save_weights,
)

SMALL = {"joint_dim": 16, "frame_dim": 32, "depth": 1, "heads": 4}
OURS = {"tiny": {"dim": 32}, "base": {"dim": 64}}
BASELINES = {
    "simple_baseline": SimpleBaseline(dim=16),
    "temporal_convolution": TemporalConvolution(channels=16, depth=1),
    "mixste_shape": JointTokenTransformer(dim=16, depth=1, heads=2),
}


@pytest.fixture
def weights(tmp_path):
    """Files of ours, `tiny` with two seeds, and of the baselines; all at random."""
    ours, theirs = [], []
    for name, seed in (("tiny", 0), ("tiny", 1), ("base", 0)):
        torch.manual_seed(seed)
        ours.append(tmp_path / f"seed{seed}" / f"{name}.safetensors")
        save_weights(ours[-1], SpatioTemporalLifter(**SMALL, **OURS[name]), 24, {"seed": seed})
    for name, lifter in BASELINES.items():
        theirs.append(tmp_path / "seed0" / f"{name}.safetensors")
        save_weights(theirs[-1], lifter, 24, {"seed": 0})
    return ours, theirs


@pytest.fixture
def compare(cmu_files, tmp_path, monkeypatch):
    """Runs the command; returns its folder."""
    monkeypatch.setattr(lifters, "register", lambda: None)  # the models of other tests stay as they are

    def run(ours, theirs):
        corpus, bench = cmu_files
        command = ["lifters", "--corpus", corpus, "--bench", bench, "--weights", *ours, "--baselines", *theirs]
        monkeypatch.setattr(sys, "argv", [*map(str, command), "--repeats", "1", "--out", str(tmp_path / "out")])
        lifters.main()
        return tmp_path / "out"

    return run


def rows_of(out):
    return {row["lifter"]: row for row in csv.DictReader((out / "lifters.csv").read_text().splitlines())}


def test_all_lifters_are_in_the_table(weights, compare):
    out = compare(*weights)
    rows = rows_of(out)
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

    # Errors are those that tools/evaluate.py wrote, the mean over the seeds.
    evaluated = {}
    for path in (out / "runs").glob("*/metrics.json"):
        results = json.loads(path.read_text())
        evaluated.setdefault(results["name"], []).append(results["metrics"]["mpjpe"]["mean"])
    assert len(evaluated["tiny"]) == 2
    for name, errors in evaluated.items():
        assert float(rows[name]["MPJPE (mm)"]) == pytest.approx(sum(errors) / len(errors))


def test_the_plots_have_ours_as_the_family(weights, compare, monkeypatch):
    drawn, draw = [], lifters.family_plot
    monkeypatch.setattr(lifters, "family_plot", lambda *given: drawn.append(given) or draw(*given))
    out = compare(*weights)
    rows = rows_of(out)
    for (family, others, label, _), column in zip(drawn, ("MACs (M/frame)", "Time (ms/frame)"), strict=True):
        assert "one CPU thread" in label or "MACs" in label
        assert {method.label for method in family} == set(OURS)
        assert {method.label for method in others} == {name.replace("_", " ") for name in BASELINES}
        for method in (*family, *others):
            row = rows[method.label.replace(" ", "_")]
            assert method.cost == float(row[column])
            assert method.value == float(row["MPJPE (mm)"])
        assert [method.label for method in family if method.deviation is not None] == ["tiny"]
    assert sorted(path.name for path in out.glob("accuracy_*")) == [
        "accuracy_macs.pdf",
        "accuracy_macs.png",
        "accuracy_time.pdf",
        "accuracy_time.png",
    ]


def test_what_is_evaluated_is_not_evaluated_again(weights, compare, monkeypatch):
    before = rows_of(compare(weights[0][2:], weights[1][:1]))
    monkeypatch.setattr(lifters, "evaluate", lambda config: pytest.fail("evaluated again"))
    after = rows_of(compare(weights[0][2:], weights[1][:1]))
    assert [row["MPJPE (mm)"] for row in after.values()] == [row["MPJPE (mm)"] for row in before.values()]


def test_another_window_is_evaluated_anew(weights, compare):
    ours, theirs = weights
    before = rows_of(compare(ours[2:], theirs[:1]))
    card = ours[2].with_suffix(".json")
    card.write_text(json.dumps({**json.loads(card.read_text()), "window": 12}))
    after = rows_of(compare(ours[2:], theirs[:1]))
    assert [row["base"]["window"] for row in (before, after)] == ["24", "12"]
    assert before["base"]["MPJPE (mm)"] != after["base"]["MPJPE (mm)"]
    assert before["simple_baseline"]["MPJPE (mm)"] == after["simple_baseline"]["MPJPE (mm)"]


def test_what_cannot_be_used_is_said_before_anything_is_evaluated(weights, compare, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(lifters, "evaluate", lambda config: pytest.fail("evaluated"))
    ours, theirs = weights
    for given, message in (
        ((ours, [tmp_path / "nothing.safetensors"]), "no such file"),
        ((ours, [*theirs, ours[0]]), "tiny: in --weights and in --baselines"),
    ):
        with pytest.raises(SystemExit):
            compare(*given)
        assert message in capsys.readouterr().err
