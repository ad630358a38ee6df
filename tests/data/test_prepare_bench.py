import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from poselift.data.cmu import MISSING
from poselift.data.cmu_bench import CmuBench
from poselift.data.prepare_bench import prepare_bench
from poselift.geometry import project

TOOL = Path(__file__).parents[2] / "tools" / "prepare_bench.py"


@pytest.fixture
def corpus_file(cmu_files):
    return cmu_files[0]


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(corpus_file, tmp_path):
    files = [tmp_path / f"{name}.npz" for name in "abc"]
    for file, seed in zip(files, (0, 0, 1), strict=True):
        assert "views" in prepare_bench(corpus_file, file, "test", seed=seed)
    first, again, other = (file.read_bytes() for file in files)
    assert first == again
    assert first != other


def test_the_views_are_those_of_the_benchmark(corpus_file, tmp_path):
    """Read back, the exact projections of the corpus's joints are near the detections."""
    prepare_bench(corpus_file, tmp_path / "bench.npz", "test", views=3)
    detected, exact = (list(CmuBench(corpus_file, tmp_path / "bench.npz", keypoints=kind)) for kind in ("det", "gt"))
    with np.load(corpus_file) as corpus, np.load(tmp_path / "bench.npz") as bench:
        assert len(detected) == 3 * int((corpus["split"] == "test").sum())
        assert (corpus["split"][bench["clip_index"]] == "test").all()
        missing = (bench["keypoints"] == MISSING).any(-1)
        assert (bench["scores"][missing] == 0).all()
    assert not torch.equal(detected[0].root, detected[1].root), "each view has its own camera"
    for view, truth in zip(detected, exact, strict=True):
        assert np.isin(tuple(view.image_size.tolist()), (1920, 1080, 1280, 960, 1000)).all()
        points = view.joints + view.root[:, None]
        torch.testing.assert_close(truth.keypoints[:, 0], project(points[:, 0], view.K), atol=1e-2, rtol=0)
        both = (view.scores > 0) & (truth.scores > 0)
        error = (view.keypoints - truth.keypoints).norm(dim=-1)[both].median()
        assert 0 < error < 0.05 * view.image_size.max()


def test_the_tool(corpus_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["prepare_bench.py", str(corpus_file), str(tmp_path / "b.npz"), "--split=test"])
    runpy.run_path(str(TOOL), run_name="__main__")
    assert "b.npz: " in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["prepare_bench.py", str(tmp_path / "no.npz"), str(tmp_path / "c.npz")])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(TOOL), run_name="__main__")
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err
    assert not (tmp_path / "c.npz").exists()
