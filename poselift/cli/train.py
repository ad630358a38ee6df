"""`poselift train`: from a Hydra config to trained weights."""

import logging
import signal
import warnings
from pathlib import Path

import pytorch_lightning as pl
import torch
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig
from pytorch_lightning.utilities import rank_zero_only

from poselift.cli.config import output_folder, run_configured
from poselift.cli.earlier_run import check_earlier, find_checkpoint
from poselift.cli.sweep import in_sweep, name_in_sweep
from poselift.cli.train_end import end_stopped, finish, report_finished, say_what_comes
from poselift.cli.train_parts import RunParts, build_trainer, explain_settings, training_task
from poselift.cli.train_settings import check_settings
from poselift.core.errors import InputError
from poselift.data.module import MotionData
from poselift.training.checkpoints import explain_damage, read_resumed
from poselift.training.stopping import Stopped

_NOISE = (
    # A thread makes the batches on the device, so worker processes cannot help; the sampler resumes at the right batch.
    ".*does not have many workers.*",
    ".*has `__len__` defined.*",
    ".*dataloader is not resumable.*",
    # Lightning's own use of a deprecated function.
    ".*LeafSpec.*",
)
"""Warnings of Lightning that do not apply here, or that the user cannot act on."""


def run(config: DictConfig) -> float | None:
    """Runs `train` for the command line; each sweep job has its folder."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    if in_sweep():
        config.output = HydraConfig.get().runtime.output_dir
        config.name = name_in_sweep(str(config.name))
    if HydraConfig.initialized() and trainer_stops_early(config):
        config.trainer.max_steps = config.steps
    return run_configured(train, config)


def trainer_stops_early(config: DictConfig) -> bool:
    """Whether the trainer, such as smoke, has fewer steps than steps=."""
    given = [line.split("=")[0].lstrip("+") for line in HydraConfig.get().overrides.task]
    return "steps" in given and "trainer.max_steps" not in given and config.trainer.max_steps != config.steps


def train(config: DictConfig, data: MotionData | None = None) -> float | None:
    """The best validation error after training.

    Prints where the weights are and how to evaluate them.

    Args:
        config: of `poselift train`.
        data: to train on, if it is already there; made from `config.data` if None.

    Returns:
        The best validation error in mm, which sweepers minimise; None if no validation ran.

    Raises:
        InputError: a value of the config cannot be used, or a file cannot be written.
    """
    for message in _NOISE:
        warnings.filterwarnings("ignore", message=message)
    check_settings(config)
    # The other processes of trainer=ddp run this too.
    with output_folder(config, first=not getattr(rank_zero_only, "rank", 0)):
        return _train(config, data)


def _train(config: DictConfig, data: MotionData | None) -> float | None:
    """Trains in a folder that no other run uses; see `train`."""
    checkpoint = find_checkpoint(config)
    check_earlier(config, checkpoint)
    pl.seed_everything(config.seed, verbose=False)
    data = data or instantiate(config.data, _convert_="all")
    task = training_task(config, data)
    saved = read_resumed(checkpoint, task) if checkpoint else {}
    step = saved.get("global_step", 0)
    parts = RunParts.build(config, step)
    trainer = build_trainer(config, parts)
    if trainer.is_global_zero:
        parts.remove_partial(Path(config.output))
    try:
        with explain_damage(checkpoint, step, trainer):
            if 0 < trainer.max_steps <= step:
                return report_finished(config, trainer, task, parts, saved)
            if trainer.is_global_zero:
                say_what_comes(config, task, trainer, step)
            with explain_settings():
                trainer.fit(task, datamodule=data, ckpt_path=checkpoint, weights_only=True if checkpoint else None)
    except Stopped as stop:
        end_stopped(config, trainer, stop.number)
    except SystemExit as stop:
        if isinstance(stop.__context__, KeyboardInterrupt):  # Lightning turns an interrupt into an exit
            end_stopped(config, trainer, signal.SIGINT)
        raise
    except torch.OutOfMemoryError as error:
        raise InputError(
            f"the GPU has too little memory for a step of {data.batch_size} windows; choose a smaller "
            "data.batch_size= (trainer.accumulate_grad_batches=2 adds up two batches in a step)"
        ) from error
    return finish(config, trainer, parts) if trainer.is_global_zero else None
