"""The two scripts as a researcher runs them, on the synthetic source and on small files in the CMU format."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from poselift.models import load_weights

ROOT = Path(__file__).parents[2]
TINY = ["model.joint_dim=16", "model.frame_dim=32", "model.dim=32", "model.depth=1", "model.heads=4", "frames=16"]


def script(name, *arguments):
    command = [sys.executable, str(ROOT / "tools" / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def run(name, *arguments):
    done = script(name, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run of two steps on the synthetic source."""
    folder = tmp_path_factory.mktemp("run")
    output = run("train.py", "trainer=smoke", "data.batch_size=4", f"output={folder}", "seed=3", *TINY)
    assert "lifter.safetensors" in output
    return folder


def test_a_run_leaves_weights_logs_and_checkpoints(trained):
    weights = load_weights(trained / "lifter.safetensors")
    assert weights.window == 16
    assert weights.card["training"]["seed"] == 3
    assert weights.card["training"]["command"].startswith("python tools/train.py trainer=smoke")
    with open(trained / "logs" / "version_0" / "metrics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert any(row["val/mpjpe_subjects"] for row in rows)
    assert list((trained / "tensorboard").rglob("events.out.tfevents.*"))
    assert (trained / "checkpoints" / "last.ckpt").is_file()
    assert (trained / "config" / "config.yaml").is_file()


def test_a_run_can_go_on(trained, tmp_path):
    more = ["trainer=smoke", "trainer.max_steps=4", "data.batch_size=4", f"output={tmp_path}", "seed=3", *TINY]
    run("train.py", *more, f"resume={trained / 'checkpoints' / 'last.ckpt'}")
    before, after = (
        torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True) for folder in (trained, tmp_path)
    )
    assert (before["global_step"], after["global_step"]) == (2, 4)
    assert after["epoch"] > before["epoch"]


def test_the_same_seed_gives_the_same_weights(trained, tmp_path):
    run("train.py", "trainer=smoke", "data.batch_size=4", f"output={tmp_path}", "seed=3", *TINY)
    assert load_weights(tmp_path / "lifter.safetensors").sha256 == load_weights(trained / "lifter.safetensors").sha256


def test_evaluation_prints_a_table_and_writes_metrics(trained, cmu_files, tmp_path):
    corpus, bench = cmu_files
    output = run(
        "evaluate.py",
        "data=cmu_bench",
        f"data.corpus={corpus}",
        f"data.bench={bench}",
        "data.joints=coco17",
        f"weights={trained / 'lifter.safetensors'}",
        f"output={tmp_path / 'out'}",
    )
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    for name in ("mpjpe", "p_mpjpe", "n_mpjpe", "mpjve", "pck150", "auc"):
        assert set(metrics[name]) == {"frames", "subjects"}
        # Both views are of one subject, so the two means are the same.
        assert metrics[name]["frames"] == pytest.approx(metrics["subjects"]["s02"][name], abs=1e-3)
        assert metrics[name]["subjects"] == pytest.approx(metrics[name]["frames"], abs=1e-3)
        assert name in output
    assert 0 < metrics["p_mpjpe"]["frames"] <= metrics["n_mpjpe"]["frames"] <= 2 * metrics["mpjpe"]["frames"]
    assert metrics["settings"]["joints"] == "coco17"


def test_training_on_files_in_the_cmu_format(cmu_files, tmp_path):
    corpus, bench = cmu_files
    files = ["data=cmu", f"data.corpus={corpus}", f"data.bench={bench}"]
    run("train.py", "trainer=smoke", *files, "data.batch_size=4", f"output={tmp_path / 'run'}", *TINY)
    assert (tmp_path / "run" / "lifter.safetensors").is_file()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("train.py", ["data=cmu", "data.corpus=nothing.npz", "data.bench=nothing.npz"], "no such file: nothing.npz"),
        ("train.py", ["data=cmu"], "corpus"),
        ("evaluate.py", ["weights=nonsense", "data.corpus=a", "data.bench=b"], "no weights are called 'nonsense'"),
        ("evaluate.py", ["data.corpus=a", "data.bench=b", "camera=odd"], "camera=odd"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(name, arguments, message, tmp_path):
    done = script(name, *arguments, f"output={tmp_path}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert message in last
