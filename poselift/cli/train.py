"""`python tools/train.py`: from a Hydra config to trained weights."""

import logging
import math
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from pytorch_lightning.loggers import Logger

from poselift.cli.config import output_folder, run_configured
from poselift.cli.record import RunRecord, evaluation_command
from poselift.core.errors import InputError
from poselift.models import Lifter, build_model, load_weights
from poselift.training.averaging import AverageLast
from poselift.training.callbacks import BestWeights
from poselift.training.checkpoints import AtomicCheckpointIO, read_checkpoint
from poselift.training.csv_log import CsvLog, read_log
from poselift.training.curves import plot_curves
from poselift.training.task import LiftingTask
from poselift.training.warm_start import warm_start


def run(config: DictConfig) -> float | None:
    """`train` for the command line; each job of a sweep has a folder of its own."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    if HydraConfig.initialized() and HydraConfig.get().mode == RunMode.MULTIRUN:
        config.output = HydraConfig.get().runtime.output_dir
    return run_configured(train, config)


def train(config: DictConfig) -> float | None:
    """Trains as the config says, and prints where the weights are and how they are evaluated.

    Returns:
        The best validation error, mm, for sweepers that look for the least; None where nothing was validated.

    Raises:
        InputError: something that the config names cannot be used, or a file cannot be written.
    """
    for message in _NOISE:
        warnings.filterwarnings("ignore", message=message)
    for key, least in (("seed", 0), ("steps", 1), ("frames", 1)):
        if not isinstance(config[key], int) or config[key] < least:
            raise InputError(f"{key}={config[key]} must be a whole number, {least} or more")
    if config.trainer.get("accelerator") in ("gpu", "cuda") and not torch.accelerator.is_available():
        raise InputError("there is no GPU here that PyTorch can use; leave out trainer=gpu to train on the CPU")
    if config.name in (None, ""):
        raise InputError("name= names no weights; give a name, or leave it out")
    output = output_folder(config)
    checkpoint = _checkpoint(config)
    _check_earlier(config, checkpoint)
    pl.seed_everything(config.seed, verbose=False)
    data: pl.LightningDataModule = instantiate(config.data, _convert_="all")
    task = _task(config)
    step = _step(checkpoint, task.lifter) if checkpoint else 0
    loggers = [instantiate(logger) for logger in config.logger.values() if logger]
    for logger in loggers:
        if isinstance(logger, CsvLog):
            logger.begin(step)
    callbacks = [instantiate(callback) for callback in config.callbacks.values() if callback]
    for callback in callbacks:
        if isinstance(callback, BestWeights | AverageLast):
            callback.description = {
                "command": "python " + " ".join(["tools/train.py", *sys.argv[1:]]),
                "seed": config.seed,
                "config": OmegaConf.to_container(config, resolve=True),
            }
    trainer: pl.Trainer = instantiate(
        config.trainer,
        callbacks=[*callbacks, RunRecord(output / "run.json", config)],
        logger=loggers,
        plugins=[AtomicCheckpointIO()],
        # Lightning would bring its own in the place of those that are left out.
        enable_checkpointing=any(isinstance(callback, pl.callbacks.Checkpoint) for callback in callbacks),
        enable_progress_bar=any(isinstance(callback, pl.callbacks.ProgressBar) for callback in callbacks),
        # Its table has one row, and FLOPs of 0, as it is not shown a window.
        enable_model_summary=False,
    )
    if trainer.is_global_zero:
        parameters = sum(parameter.numel() for parameter in task.lifter.parameters())
        print(f"{type(task.lifter).__name__}: {parameters:,} parameters")
    try:
        trainer.fit(task, datamodule=data, ckpt_path=checkpoint, weights_only=True if checkpoint else None)
    except SystemExit as stop:
        if isinstance(stop.__context__, KeyboardInterrupt):  # Lightning makes an exit of an interrupt
            _say_stopped(config, trainer)
            raise SystemExit(130) from None
        raise
    return _finish(config, callbacks, loggers) if trainer.is_global_zero else None


_NOISE = (
    # Batches are made on the device, in a thread, where worker processes cannot help; and they begin where they must.
    ".*does not have many workers.*",
    ".*has `__len__` defined.*",
    ".*dataloader is not resumable.*",
    # Of Lightning's own making.
    ".*LeafSpec.*",
)
"""Warnings of Lightning's that do not hold here, or that nobody can do anything about."""


def _task(config: DictConfig) -> LiftingTask:
    """The lifter, begun from `init` where that is given, and how it is trained."""
    optimizer = dict(OmegaConf.to_container(config.optimizer, resolve=True))  # type: ignore[arg-type]
    weight_decay = optimizer.pop("weight_decay", 0.0)
    lifter = build_model(instantiate(config.model, _convert_="all"))
    if config.init is not None:
        weights = load_weights(config.init)
        try:
            warm_start(lifter, weights.lifter)
        except InputError as error:
            difference = _difference(asdict(weights.lifter.config), asdict(lifter.config))
            raise InputError(f"init={config.init} is of another lifter: {difference} ({error})") from error
    task = LiftingTask(
        lifter=lifter,
        optimizer=instantiate(optimizer, _convert_="all"),
        schedule=instantiate(config.schedule),
        loss=OmegaConf.to_container(config.loss, resolve=True),  # type: ignore[arg-type]
        weight_decay=weight_decay,
        window=config.frames,
        masking=instantiate(config.masking),
        seed=config.seed,
    )
    if config.compile:
        task.lifter.compile()
    return task


def _checkpoint(config: DictConfig) -> str | None:
    """The checkpoint to go on from; None for a new run."""
    if config.resume != "auto":
        return None if config.resume is None else str(config.resume)
    return _last(config)


def _last(config: DictConfig) -> str | None:
    """The checkpoint that the run, or an earlier one in its folder, has written; None where there is none."""
    last = config.callbacks.last
    return last.path if last and Path(last.path).is_file() else None


def _check_earlier(config: DictConfig, checkpoint: str | None) -> None:
    """Makes sure that the weights and the checkpoint of an earlier run are not replaced by those of another.

    What an unfinished run leaves besides, such as its log, is no reason to refuse.

    Args:
        config: of the run.
        checkpoint: to go on from.

    Raises:
        InputError: the folder holds some, the run does not go on from there, and nobody said to overwrite them.
    """
    output = Path(config.output)
    goes_on = checkpoint is not None and (
        config.resume == "auto" or Path(checkpoint).resolve().is_relative_to(output.resolve())
    )
    if config.overwrite or goes_on:
        return
    paths = [Path(callback.get("path") or "") for callback in config.callbacks.values() if callback]
    earlier = [path.name for path in paths if path.suffix in (".safetensors", ".ckpt") and path.is_file()]
    if earlier:
        going_on = "resume=auto to go on with it, " if _last(config) else ""
        raise InputError(
            f"{output} holds an earlier run ({', '.join(earlier)}); give another output=, {going_on}or overwrite=true "
            "to train anew in its place"
        )


def _step(path: str, lifter: Lifter) -> int:
    """The step of a checkpoint, after which a run of this lifter goes on."""
    checkpoint = read_checkpoint(path)
    if checkpoint["model"]["config"] != asdict(lifter.config):
        difference = _difference(checkpoint["model"]["config"], asdict(lifter.config))
        raise InputError(f"{path} is of another lifter: {difference}; give the run's own model=, or another output=")
    return int(checkpoint["global_step"])


def _difference(there: dict[str, Any], here: dict[str, Any]) -> str:
    """What two configs of lifters differ in."""
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    return ", ".join(f"{key} is {there.get(key)} there and {here.get(key)} here" for key in keys) or "another class"


def _say_stopped(config: DictConfig, trainer: pl.Trainer) -> None:
    """Says how a run that was interrupted goes on."""
    if not trainer.is_global_zero:
        return
    if _last(config):
        print(f"Stopped. The same command with resume=auto goes on in {config.output}.")
    else:
        print(f"Stopped before a checkpoint was in {config.output}; the run can only begin anew.")


def _finish(config: DictConfig, callbacks: list[pl.Callback], loggers: list[Logger]) -> float | None:
    """Draws the curves, and says which weights are best and how they are evaluated; their validation error."""
    for logger in loggers:
        if isinstance(logger, CsvLog):
            plot_curves(read_log(logger.path), Path(config.output), config.name)
    for callback in callbacks:
        if isinstance(callback, AverageLast) and callback.path.is_file():
            print(f"Mean of the last {callback.count}: {callback.path}")
    best = next((callback for callback in callbacks if isinstance(callback, BestWeights)), None)
    if best is None or not math.isfinite(best.best):
        print("Nothing was validated, so there are no best weights.")
        return None
    command = evaluation_command(config, HydraConfig.get().runtime.choices, best.path)
    print(f"Best weights: {best.path} ({best.monitor} {best.best:.2f} mm). Evaluate them: {command}")
    return best.best
