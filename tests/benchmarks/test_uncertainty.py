import sys

import pytest
import torch

from benchmarks import uncertainty
from poselift.models import SpatioTemporalLifter, save_weights

SIZE = {
    "joint_dim": 8,
    "frame_dim": 32,
    "dim": 32,
    "heads": 4,
    "depth": 1,
    "skeleton_out": "cmu28",
    "uncertainty": True,
}


def run(monkeypatch, tmp_path, cmu_files, bias):
    """The table's one row for a lifter whose radii are all about exp(bias) times 5 cm."""
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(**SIZE)
    torch.nn.init.zeros_(lifter.uncertainty_head[2].weight)
    torch.nn.init.constant_(lifter.uncertainty_head[2].bias, bias)
    save_weights(tmp_path / "l.safetensors", lifter, 24, {})
    corpus, bench = cmu_files
    arguments = ["--corpus", corpus, "--bench", bench, "--weights", tmp_path / "l.safetensors", "--joints", "h36m17"]
    command = ["uncertainty.py", *arguments, "--source", "det", "--out", tmp_path / "out"]
    monkeypatch.setattr(sys, "argv", [str(word) for word in command])
    uncertainty.main()
    assert (tmp_path / "out" / "uncertainty.png").read_bytes().startswith(b"\x89PNG")
    return (tmp_path / "out" / "uncertainty.md").read_text().splitlines()[2].split(" | ")


@pytest.mark.parametrize(("bias", "share"), [(6.0, "100.0"), (-12.0, "0.0")])
def test_large_radii_hold_all_joints_and_small_ones_none(monkeypatch, tmp_path, cmu_files, bias, share):
    row = run(monkeypatch, tmp_path, cmu_files, bias)
    assert row[:3] == ["| l", "h36m17", "det"]
    assert row[3] == share


def test_feet_have_a_table_of_their_own(monkeypatch, tmp_path, cmu_files):
    run(monkeypatch, tmp_path, cmu_files, 6.0)
    head, _, row = (tmp_path / "out" / "uncertainty.md").read_text().splitlines()[4:]
    assert head == "| lifter | joints in | 2D | ankles | big toes | toes within |"
    name, *_, ankles, toes, within = [cell.strip() for cell in row.split("|")[1:-1]]
    assert name == "l"
    assert within == "100.0"
    assert 10 < float(ankles) < 5000, "mm"
    assert toes != ankles
