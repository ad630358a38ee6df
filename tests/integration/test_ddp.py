"""Two processes measure what one does."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
import pytorch_lightning as pl
import torch
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from poselift.cli.config import CONF
from poselift.models.checkpoint import load_checkpoint
from poselift.optim.schedules import constant
from poselift.training.mean_pose import MEAN_POSE
from poselift.training.task import LiftingTask
from tests.cli.running import poselift

ROOT = Path(__file__).parents[2]
SMALL = [
    "frames=16",
    "data.batch_size=4",
    "data.batches=3",
    "data.clips=4",
    "data.clip_frames=40",
    "steps=6",
    "callbacks.progress=null",
    "callbacks.ema=null",
    *(f"model.{part}" for part in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")),
]

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore:.*LeafSpec.*:FutureWarning"),  # Lightning's
    pytest.mark.slow,
    pytest.mark.xdist_group("ddp"),
]


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """The folder of a run of two processes."""
    # As pip writes it for the console script: Lightning starts the second process by its name and arguments.
    script = tmp_path_factory.mktemp("bin") / "poselift"
    script.write_text("import sys\n\nfrom poselift.cli.main import main\n\nsys.exit(main())\n")
    folder = tmp_path_factory.mktemp("run")
    ddp = ["trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2"]
    command = [sys.executable, str(script), "train", *SMALL, f"output={folder}", *ddp]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Best weights: ") == 1, "printed once, not by each process"
    return folder


def validation(folder):
    """The validation errors of each step."""
    with open(folder / "metrics.csv", newline="") as file:
        return {
            row["step"]: {name: float(value) for name, value in row.items() if name.startswith("val/")}
            for row in csv.DictReader(file)
            if row["val/mpjpe"]
        }


def test_the_errors_of_two_processes_are_those_of_one(two):
    """The weights that two processes validated together, validated by this one."""
    with initialize_config_dir(CONF, version_base="1.3"):
        data = instantiate(compose("train", SMALL).data, _convert_="all")
    lifter = load_checkpoint(two / "checkpoints" / "last.ckpt").lifter
    task = LiftingTask(lifter, torch.optim.AdamW, constant(), {"position": 1.0}, 0.0, window=16)
    trainer = pl.Trainer(
        accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, enable_progress_bar=False
    )
    (measured,) = trainer.validate(task, data, verbose=False)
    logged = validation(two)["5"]
    logged.pop(MEAN_POSE)  # of a callback, which the next test compares
    assert logged.keys() == measured.keys()
    for name, value in logged.items():
        assert measured[name] == pytest.approx(value, rel=1e-6), name


def test_two_processes_train_as_one_does_on_the_batches_of_both(two, tmp_path):
    """The mean of two processes' gradients is that of one process that gathers two batches, but for rounding."""
    gathered = ["trainer=cpu", "trainer.accumulate_grad_batches=2", "data.batches=6"]
    ran = poselift("train", *SMALL, *gathered, f"output={tmp_path}")
    assert ran.code == 0, ran.err
    ours, theirs = validation(tmp_path), validation(two)
    assert ours.keys() == theirs.keys() == {"2", "5"}
    for step, values in ours.items():
        assert values == pytest.approx(theirs[step], rel=1e-4)
