"""Commands and training steps, run in this process."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import numpy as np
import torch
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict

from poselift.cli.config import CONF
from poselift.cli.main import main
from poselift.cli.train import train
from poselift.cli.train_parts import training_task
from poselift.recordings import read_motion, write_npz

TINY_LIFTER = [f"model.{size}" for size in ("joint_dim=16", "frame_dim=32", "dim=32", "depth=1", "heads=4")]
TINY_DATA = ["frames=16", "data.batch_size=4", "data.clips=2", "data.clip_frames=40"]
SMALL = {
    "lifter": ["joint_dim=16", "frame_dim=16", "dim=32", "depth=2", "heads=4"],
    "encoder_decoder": ["dim=32", "depth=2", "heads=4"],
    "tcn": ["channels=16", "depth=1"],
    "mixste": ["dim=16", "depth=1", "heads=2"],
}
NOTHING_WRITTEN = ["logger.csv=null", "callbacks.progress=null"]


@dataclass(frozen=True)
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str


@contextmanager
def hydra_as_before() -> Iterator[None]:
    """Takes back what Hydra changes in a process: the current config and the root logger."""
    current, root = HydraConfig.instance(), logging.getLogger()
    config = current.cfg
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        current.cfg = config
        root.handlers[:], root.level = handlers, level


def poselift(*arguments) -> Ran:
    """Runs `poselift` with these arguments."""
    code = 0
    with hydra_as_before(), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code
    return Ran(code, out.getvalue(), err.getvalue())


def assert_refused(message: str, *arguments) -> None:
    """The command ends with exit code 2 and one line that has the message."""
    ran = poselift(*arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    assert ran.err.startswith("error: ")
    assert message in ran.err


def emptied(npz: Path) -> None:
    """Takes the pose out of all frames of a motion, as `poselift lift` writes people whom it could not lift."""
    motion = read_motion(npz)
    nowhere = {name: np.full_like(getattr(motion, name), np.nan) for name in ("joints", "root")}
    write_npz(npz, replace(motion, **nowhere))


def small_model(overrides: Iterable[str]) -> list[str]:
    """The overrides, after those that make their model so small that a test is quick."""
    chosen = list(overrides)
    model = next((part.removeprefix("model=") for part in chosen if part.startswith("model=")), "lifter")
    return [*(f"model.{key}" for key in SMALL.get(model, ["dim=16"])), *chosen]


@contextmanager
def composed(*overrides) -> Iterator[DictConfig]:
    """The config of `poselift train`, while Hydra is as it would be when the command runs."""
    with hydra_as_before(), initialize_config_dir(CONF, version_base="1.3"):
        config = compose("train", [str(override) for override in overrides], return_hydra_config=True)
        HydraConfig.instance().set_config(config)
        with open_dict(config):
            del config["hydra"]
        yield config


def assert_complete(config: DictConfig) -> None:
    """No key is missing, and all interpolations resolve."""
    assert OmegaConf.missing_keys(config) == set()
    OmegaConf.to_container(config, resolve=True)


def trained(*overrides) -> float | None:
    """Trains as `poselift train` does, but raises its errors."""
    with composed(*overrides) as config:
        return train(config)


def two_steps(config: DictConfig):
    """A task after two optimizer steps that change its weights, and its errors on one view.

    Without Lightning's trainer, which takes longer than the steps.
    """
    torch.manual_seed(0)
    data = instantiate(config.data, _convert_="all")
    task = training_task(config, data)
    logged: dict[str, float] = {}
    task.log = lambda name, value, **options: logged.update({name: float(value)})
    data.setup("fit")
    setting = task.configure_optimizers()
    before = [parameter.detach().clone() for parameter in task.lifter.parameters()]
    for index, batch in zip(range(2), data.train_dataloader(), strict=False):
        setting["optimizer"].zero_grad()
        task.training_step(batch, index).backward()
        setting["optimizer"].step()
        setting["lr_scheduler"]["scheduler"].step()
    assert any(not torch.equal(*pair) for pair in zip(before, task.lifter.parameters(), strict=True))
    task.lifter.eval()
    task.on_validation_epoch_start()
    with torch.no_grad():
        task.validation_step(next(iter(data.val_dataloader())), 0)
    task.on_validation_epoch_end()
    return task, logged
