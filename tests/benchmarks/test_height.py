import numpy as np
import pytest
import torch

from benchmarks import height
from benchmarks.height import row, virtual_people
from poselift.lifting.height import SPREAD
from poselift.models import SpatioTemporalLifter, Weights


def test_a_row_by_hand():
    heights = [(1.6, 1.6, 1.0), (1.6 * np.exp(0.9 * SPREAD), 1.6, 1.0), (1.6 * np.exp(-1.5 * SPREAD), 1.6, 1.0)]
    cells = [cell.strip() for cell in row("who", heights, 1).split("|")[1:-1]]
    off = 100 * SPREAD * np.array([0, 0.9, -1.5])
    assert cells[:4] == ["who", "3", "1.60", "1.60"]
    assert cells[4:7] == [f"{off.mean():+.1f}", f"{off.std():.1f}", f"{np.sqrt((off**2).mean()):.1f}"]
    assert cells[7] == "67 % and 100 %"


def test_both_tables(cmu_files, tmp_path, monkeypatch, capsys):
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(joint_dim=16, joint_depth=1, joint_heads=2, frame_dim=32, dim=32, depth=1, heads=4)
    weights = Weights("test", lifter.eval(), 40, "0" * 64, tmp_path / "test.safetensors", {})
    monkeypatch.setattr(height, "load_weights", lambda name: weights)
    monkeypatch.setattr(height, "FRAMES", 30)
    corpus, bench = cmu_files
    arguments = ["--corpus", corpus, "--bench", bench, "--windows", 32]
    monkeypatch.setattr("sys.argv", ["height.py", *map(str, arguments)])
    threads = torch.get_num_threads()
    height.main()
    torch.set_num_threads(threads)
    printed = capsys.readouterr().out
    assert "| all | 2 |" in printed
    assert "| subject s02 | 2 |" in printed
    people = list(virtual_people(corpus, weights, 32))
    assert len(people) > 20
    true, known, assumed = np.array(people).T
    assert 0.05 < np.log(true).std() < 0.25, "bodies of other sizes"
    assert known != pytest.approx(assumed), "the camera makes a difference"
