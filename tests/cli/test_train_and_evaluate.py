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
SMOKE = [
    "trainer=smoke",
    "data.batch_size=4",
    "callbacks.ema.update_starting_at_step=0",
    "frames=16",
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]
"""Two steps of a tiny lifter, averaged from the first one on."""


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
    output = run("train.py", *SMOKE, f"output={folder}", "seed=3")
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
    more = ["trainer.max_steps=4", f"output={tmp_path}", "seed=3"]
    run("train.py", *SMOKE, *more, f"resume={trained / 'checkpoints' / 'last.ckpt'}")
    before, after = (
        torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True) for folder in (trained, tmp_path)
    )
    assert (before["global_step"], after["global_step"]) == (2, 4)
    assert after["epoch"] > before["epoch"]


def test_the_same_seed_gives_the_same_weights_and_another_does_not(trained, tmp_path):
    written = []
    for folder, seed in (("same", "data.seed=3"), ("other", "data.seed=4")):
        run("train.py", *SMOKE, f"output={tmp_path / folder}", "seed=3", seed)
        written.append(load_weights(tmp_path / folder / "lifter.safetensors").sha256)
    ours = load_weights(trained / "lifter.safetensors").sha256
    assert written[0] == ours
    assert written[1] != ours


def test_the_averaged_weights_are_written(trained):
    """Those that were validated: the average, not where the last step happened to be."""
    checkpoint = torch.load(trained / "checkpoints" / "last.ckpt", weights_only=True)
    written = load_weights(trained / "lifter.safetensors").lifter.state_dict()
    for key, value in written.items():
        torch.testing.assert_close(value, checkpoint["state_dict"][f"lifter.{key}"], atol=1e-3, rtol=1e-3)
    now = checkpoint["current_model_state"]["lifter.head.0.weight"]
    assert not torch.equal(now, checkpoint["state_dict"]["lifter.head.0.weight"])
    assert checkpoint["model"]["config"]["dim"] == 32


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
    run("train.py", *SMOKE, *files, f"output={tmp_path / 'run'}")
    assert (tmp_path / "run" / "lifter.safetensors").is_file()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("train.py", ["data=cmu", "data.corpus=nothing.npz", "data.bench=nothing.npz"], "no such file: nothing.npz"),
        ("train.py", ["data=cmu"], "corpus"),
        ("train.py", ["+loss.nonsense=1"], "no loss is called nonsense"),
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
