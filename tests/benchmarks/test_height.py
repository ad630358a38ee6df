import numpy as np
import pytest

from benchmarks import height
from benchmarks.height import heights_of, virtual_people
from poselift.core.errors import InputError
from poselift.data.cmu import load_cmu

pytestmark = pytest.mark.slow


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
