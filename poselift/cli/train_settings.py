"""The values that conf/train.yaml takes, checked before anything is made."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

import torch
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from poselift.cli.config import check_config, check_name
from poselift.cli.sweep import in_sweep, name_in_sweep
from poselift.core.annotations import Amount, Count, Share, Whole, check_value
from poselift.core.errors import InputError

_Group = Mapping[str, Any]
_Parts = Mapping[str, _Group | None]


class TrainKeys(TypedDict):
    """The keys of conf/train.yaml, and what they take."""

    data: _Group
    optimizer: _Group
    schedule: _Group
    model: _Group
    masking: _Group | None
    loss: Mapping[str, float]
    trainer: _Group
    callbacks: _Parts
    logger: _Parts
    name: str | None
    seed: Annotated[int, 0, 2**32 - 1]
    frames: Count
    skeleton_in: str
    skeleton_out: str
    steps: Count
    output: str | None
    resume: str | None
    overwrite: bool
    init: str | None
    compile: bool


_RANGES = {
    "optimizer.lr": Amount,
    "optimizer.momentum": Share,
    "optimizer.weight_decay": Amount,
    "trainer.max_steps": Annotated[int, -1, math.inf],
    "trainer.accumulate_grad_batches": Count,
    "trainer.check_val_every_n_epoch": Count,
    "trainer.gradient_clip_val": Amount,
    "trainer.log_every_n_steps": Count,
    "trainer.num_sanity_val_steps": Annotated[int, -1, math.inf],
    "trainer.reload_dataloaders_every_n_epochs": Whole,
}
"""Numbers for other libraries, which say only which they take."""

_PRECISIONS = ("None", "32", "32-true", "16", "16-mixed", "bf16", "bf16-mixed")
"""Lightning's names of the precisions in which weights stay in float32, which batches and losses are in."""


def follow_command_line(config: DictConfig) -> None:
    """Sets what the command line decides: folder, name and steps.

    Each job of a sweep has its own folder and name. `steps=` counts more than the steps of a trainer such as smoke.
    """
    if in_sweep():
        config.output = HydraConfig.get().runtime.output_dir
        config.name = name_in_sweep(str(config.name))
    given = [line.split("=")[0].lstrip("+") for line in HydraConfig.get().overrides.task]
    if "steps" in given and "trainer.max_steps" not in given:
        config.trainer.max_steps = config.steps


def check_settings(config: DictConfig) -> None:
    """Checks the values of a config before anything is made.

    Raises:
        InputError: a value cannot be used.
    """
    check_config(config, TrainKeys)
    for key, kind in _RANGES.items():
        if OmegaConf.select(config, key) is not None:
            check_value(key, kind, OmegaConf.select(config, key))
    if config.trainer.get("devices") == -1 and not torch.accelerator.is_available():
        raise InputError(
            "trainer.devices=-1 takes all GPUs, and PyTorch sees none here; leave out trainer=ddp, or take two "
            "processes on the CPU: trainer.accelerator=cpu trainer.devices=2"
        )
    if config.trainer.get("accelerator") in ("gpu", "cuda") and not torch.accelerator.is_available():
        raise InputError("PyTorch sees no GPU here; leave out trainer=gpu to train on the CPU")
    if str(config.trainer.get("precision")) not in _PRECISIONS:
        raise InputError(
            f"trainer.precision={config.trainer.precision} is not for training lifters; choose 32-true, or bf16-mixed "
            "or 16-mixed on a GPU"
        )
    check_name(config.name)
