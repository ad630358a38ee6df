"""A run that is killed and resumed ends with the same bits as one that never stopped."""

import multiprocessing
import random
import runpy
import signal
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[2]
RUN = [
    "trainer=cpu",
    "trainer.accumulate_grad_batches=2",
    "trainer.log_every_n_steps=1",
    "data.batches=7",  # odd, so that the last step of an epoch has one batch
    "steps=10",
    "schedule.decay.steps=10",  # of the learning rate, in shorter runs too
    "seed=5",
    "frames=16",
    "data.batch_size=4",
    "data.clips=4",
    "data.clip_frames=40",
    "masking=hide",
    "callbacks.ema.start=1",
    "callbacks.last.every_n_train_steps=3",
    "callbacks.progress=null",
    "model.dropout=0.1",
    "model.drop_path=0.2",
    *(f"model.{part}" for part in ("joint_dim=8", "joint_heads=2", "frame_dim=16", "dim=16", "depth=2", "heads=2")),
]
IMPORTED = ["poselift.cli.train", "poselift.training.task", "matplotlib.backends.backend_pdf", "fontTools.subset"]
BATCHES = 7 + 7 + 4
"""In three epochs of 4, 4 and 2 steps."""


# One worker trains for all tests of this file.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("resume")]


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def train(patch):
    """Runs tools/train.py in its own process, forked from one that has done the imports; gives its exit code."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    patch.syspath_prepend(str(Path(__file__).parent))
    patch.chdir(ROOT)
    patch.setenv("PYTHONWARNINGS", "ignore")

    def start(output, *overrides, batch=-1, place="done"):
        kill = [f"+callbacks.killer={{_target_: killing.Killer, batch: {batch}, place: {place}}}"]
        witness = [f"+callbacks.witness={{_target_: killing.Witness, path: {output}/generators.json}}"]
        script = str(ROOT / "tools" / "train.py")
        patch.setattr(sys, "argv", [script, *RUN, f"output={output}", *kill, *witness, *overrides])
        process = context.Process(target=runpy.run_path, args=(script,), kwargs={"run_name": "__main__"}, daemon=True)
        process.start()
        process.join(240)
        return process.exitcode

    return start


def flat(value, path=""):
    """Every leaf of a checkpoint by its path."""
    if isinstance(value, dict):
        return {key: leaf for name in value for key, leaf in flat(value[name], f"{path}/{name}").items()}
    if isinstance(value, list | tuple):
        return {key: leaf for i, item in enumerate(value) for key, leaf in flat(item, f"{path}/{i}").items()}
    return {path: value}


def assert_same_run(one, other):
    """The whole checkpoint, the log, the best weights and the generators are equal."""
    a, b = (flat(torch.load(run / "checkpoints" / "last.ckpt", weights_only=True)) for run in (one, other))
    a, b = (
        {key: leaf for key, leaf in leaves.items() if "val_loop" not in key} for leaves in (a, b)
    )  # how often views were counted since the process began
    assert a.keys() == b.keys()
    for wanted in ("/state_dict/", "/current_model_state/", "/optimizer_states/", "/lr_schedulers/", "/loops/"):
        assert any(key.startswith(wanted) for key in a), wanted
    for key, leaf in a.items():
        same = torch.equal(leaf, b[key]) if isinstance(leaf, torch.Tensor) else leaf == b[key]
        assert same, f"{key}: {leaf} and {b[key]}"
    for name in ("metrics.csv", "generators.json", "lifter.safetensors"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


@pytest.fixture(scope="module")
def whole(train, tmp_path_factory):
    """A run that is never killed."""
    folder = tmp_path_factory.mktemp("whole")
    assert train(folder) == 0
    return folder


def test_a_run_that_is_killed_four_times_equals_the_whole_run(train, whole, tmp_path):
    """At random batches of one run: at the start and end of a batch, in a validation, and while a file is written."""
    draw = random.Random(0)
    kills = sorted((draw.randrange(BATCHES), place) for place in ("begun", "done", "writing", "validation"))
    for batch, place in kills:
        code = train(tmp_path, "resume=auto", batch=batch, place=place)
        assert code == -signal.SIGKILL, f"killed at {kills}, not at {batch} {place}"
    assert train(tmp_path, "resume=auto") == 0
    assert_same_run(whole, tmp_path)
    assert not list((tmp_path / "checkpoints").glob(".*"))


def test_a_run_that_signals_end_equals_the_whole_run(train, whole, tmp_path):
    """In a step between two of the usual checkpoints, with gradients half gathered, and in a validation."""
    for signal_name, batch, place in (("SIGTERM", 2, "step"), ("SIGINT", 5, "validation"), ("SIGINT", 9, "step")):
        ender = (
            f"+callbacks.ender={{_target_: killing.Ender, signal_name: {signal_name}, batch: {batch}, place: {place}}}"
        )
        assert train(tmp_path, "resume=auto", ender) == 128 + signal.Signals[signal_name]
        checkpoint = torch.load(tmp_path / "checkpoints" / "last.ckpt", weights_only=True)
        assert checkpoint["global_step"] == {2: 2, 5: 3, 9: 6}[batch], "at most the step before a validation is lost"
    assert train(tmp_path, "resume=auto") == 0
    assert_same_run(whole, tmp_path)


def test_a_finished_run_continues_from_the_end_of_its_epoch(train, whole, tmp_path):
    assert train(tmp_path, "steps=8") == 0
    assert train(tmp_path, "resume=auto") == 0
    assert_same_run(whole, tmp_path)
