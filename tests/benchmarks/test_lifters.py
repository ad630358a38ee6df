"""The comparison of lifters on a bench of two made-up clips."""

import csv

import pytest
import torch

from benchmarks import lifters
from poselift.models import LifterConfig, SimpleBaseline, SimpleBaselineConfig, SpatioTemporalLifter, save_weights

pytestmark = pytest.mark.slow


def test_the_table_and_the_plots_have_all_lifters(cmu_files, tmp_path):
    """Two seeds of one of ours, another size, and a baseline, with random weights."""
    ours = []
    for name, dim, seed in (("tiny", 32, 0), ("tiny", 32, 1), ("wide", 64, 0)):
        torch.manual_seed(seed)
        ours.append(tmp_path / f"seed{seed}" / f"{name}.safetensors")
        config = LifterConfig(joint_dim=16, frame_dim=32, depth=1, heads=4, dim=dim)
        save_weights(ours[-1], SpatioTemporalLifter(config), 24, {"seed": seed})
    baseline = tmp_path / "seed0" / "simple_baseline.safetensors"
    save_weights(baseline, SimpleBaseline(SimpleBaselineConfig(dim=16)), 24, {"seed": 0})
    out = tmp_path / "out"
    command = ["--corpus", cmu_files[0], "--bench", cmu_files[1], "--weights", *ours, "--baselines", baseline]
    lifters.main([*map(str, command), "--repeats", "1", "--out", str(out)])
    rows = {row["lifter"]: row for row in csv.DictReader((out / "lifters.csv").read_text().splitlines())}
    assert {name: (row["kind"], row["seeds"]) for name, row in rows.items()} == {
        "tiny": ("ours", "2"),
        "wide": ("ours", "1"),
        "simple_baseline": ("baseline", "1"),
    }
    assert list(rows) == sorted(rows, key=lambda name: float(rows[name]["MACs (M/frame)"]))
    written = {path.name for path in out.glob("accuracy_*")}
    assert written == {f"accuracy_{cost}.{ending}" for cost in ("macs", "time") for ending in ("pdf", "png")}
