import numpy as np
import pytest

from benchmarks import height
from benchmarks.height import heights_of, row, virtual_people
from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu
from poselift.kinematics.height import SPREAD

pytestmark = pytest.mark.slow


def test_a_row_by_hand():
    heights = [(1.6, 1.6, 1.0), (1.6 * np.exp(0.9 * SPREAD), 1.6, 1.0), (1.6 * np.exp(-1.5 * SPREAD), 1.6, 1.0)]
    cells = [cell.strip() for cell in row("who", heights).split("|")[1:-1]]
    error = 100 * SPREAD * np.array([0, 0.9, -1.5])
    assert cells[:4] == ["who", "3", "1.60", "1.60"]
    assert cells[4:7] == [f"{error.mean():+.1f}", f"{error.std():.1f}", f"{np.sqrt((error**2).mean()):.1f}"]
    assert cells[7] == "67 % and 100 %"


def test_both_tables(files, cmu_files, weights, monkeypatch, capsys):
    monkeypatch.setattr(height, "FRAMES", 20)
    monkeypatch.setattr(height, "_BATCH", 8)
    height.main([*files, "--windows", "8"])
    printed = capsys.readouterr().out
    assert "| all | 2 |" in printed
    assert "| subject s02 | 2 |" in printed
    found = []
    for view in virtual_people(load_cmu(cmu_files[0], "train"), 8):
        try:
            found.append(heights_of(view, weights))
        except InputError:
            continue
    assert len(found) > 4
    true, known, assumed = np.array(found).T
    assert 0.03 < np.log(true).std() < 0.25, "bodies of other sizes"
    assert known != pytest.approx(assumed), "the camera makes a difference"
