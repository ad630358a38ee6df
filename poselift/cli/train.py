"""`poselift train`: from a Hydra config to trained weights.

One file, because it reads from top to bottom as a run goes: check, build, train, finish.
"""

import logging
import math
import signal
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypedDict

import pytorch_lightning as pl
import torch
from hydra.core.hydra_config import HydraConfig
from hydra.errors import InstantiationException
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities import rank_zero_only
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from poselift.cli.config import check_config, check_name, output_folder, plain_dict, run_configured
from poselift.cli.earlier_run import (
    check_earlier,
    describe_difference,
    find_checkpoint,
    find_last_checkpoint,
    read_resumed,
)
from poselift.cli.run_record import RunRecord, evaluation_command, resume_command, train_command
from poselift.core.annotations import Amount, Count, Share, Whole, check_value
from poselift.core.errors import InputError, reason
from poselift.core.files import remove_partial_of
from poselift.data.module import MotionData
from poselift.models import build_model, load_weights
from poselift.reports.training_log import read_log
from poselift.training.averaging import AverageLast
from poselift.training.callbacks import BestWeights
from poselift.training.checkpoints import AtomicCheckpointIO, explain_damage
from poselift.training.csv_log import CsvLog
from poselift.training.loss_curves import plot_curves
from poselift.training.mean_pose import MEAN_POSE
from poselift.training.stopping import StopOnSignal, Stopped
from poselift.training.task import LiftingTask
from poselift.training.warm_start import warm_start

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


def run(config: DictConfig) -> float | None:
    """Runs `train` for the command line; each job of a sweep gets its own folder."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    if HydraConfig.initialized() and HydraConfig.get().mode == RunMode.MULTIRUN:
        config.output = HydraConfig.get().runtime.output_dir
    return run_configured(train, config)


def train(config: DictConfig, data: MotionData | None = None) -> float | None:
    """The best validation error after training; prints where the weights are and how to evaluate them.

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
    _check(config)
    # The other processes of trainer=ddp run this too.
    with output_folder(config, first=not getattr(rank_zero_only, "rank", 0)):
        return _train(config, data)


def _check(config: DictConfig) -> None:
    """Raises an InputError for values that cannot be used, before anything is made."""
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


def _train(config: DictConfig, data: MotionData | None) -> float | None:
    """Trains in a folder that no other run uses; see `train`."""
    checkpoint = find_checkpoint(config)
    check_earlier(config, checkpoint)
    pl.seed_everything(config.seed, verbose=False)
    data = data or instantiate(config.data, _convert_="all")
    task = training_task(config, data)
    saved = read_resumed(checkpoint, task) if checkpoint else {}
    step = saved.get("global_step", 0)
    loggers = _build_loggers(config, step)
    callbacks = _build_callbacks(config, loggers)
    trainer = _build_trainer(config, callbacks, loggers)
    if trainer.is_global_zero:
        _remove_partial(Path(config.output), callbacks, loggers)
    if 0 < trainer.max_steps <= step:
        with explain_damage(checkpoint, step, trainer):
            return _report_finished(config, trainer, task, callbacks, loggers, saved)
    if trainer.is_global_zero:
        _say_what_comes(config, task, trainer, step)
    try:
        with explain_damage(checkpoint, step, trainer), _explain_settings():
            trainer.fit(task, datamodule=data, ckpt_path=checkpoint, weights_only=True if checkpoint else None)
    except Stopped as stop:
        _end(config, trainer, stop.number)
    except SystemExit as stop:
        if isinstance(stop.__context__, KeyboardInterrupt):  # Lightning turns an interrupt into an exit
            _end(config, trainer, signal.SIGINT)
        raise
    except torch.OutOfMemoryError as error:
        raise InputError(
            f"the GPU has too little memory for a step of {data.batch_size} windows; choose a smaller "
            "data.batch_size= (trainer.accumulate_grad_batches=2 adds up two batches in a step)"
        ) from error
    return _finish(config, trainer, callbacks, loggers) if trainer.is_global_zero else None


_NOISE = (
    # A thread makes the batches on the device, so worker processes cannot help; the sampler resumes at the right batch.
    ".*does not have many workers.*",
    ".*has `__len__` defined.*",
    ".*dataloader is not resumable.*",
    # Lightning's own use of a deprecated function.
    ".*LeafSpec.*",
)
"""Warnings of Lightning that do not apply here, or that the user cannot act on."""

_PRECISIONS = ("None", "32", "32-true", "16", "16-mixed", "bf16", "bf16-mixed")
"""Lightning's names of the precisions in which weights stay in float32, which batches and losses are in."""


def _build_trainer(config: DictConfig, callbacks: list[pl.Callback], loggers: list[Logger]) -> pl.Trainer:
    """The trainer, with what every run has.

    Raises:
        InputError: it rejects its settings.
    """
    record = RunRecord(Path(config.output) / "run.json", config)
    try:
        trainer: pl.Trainer = instantiate(
            config.trainer,
            callbacks=[*callbacks, record, StopOnSignal()],
            logger=loggers,
            plugins=[AtomicCheckpointIO()],
            # Otherwise Lightning adds its own callbacks for those that the config leaves out.
            enable_checkpointing=any(isinstance(callback, pl.callbacks.Checkpoint) for callback in callbacks),
            enable_progress_bar=any(isinstance(callback, pl.callbacks.ProgressBar) for callback in callbacks),
            # Its table has one row, and 0 FLOPs, because it sees no window.
            enable_model_summary=False,
        )
    except InstantiationException as error:
        raise _explain_rejection(error.__cause__ or error) from error
    return trainer


@contextmanager
def _explain_settings() -> Iterator[None]:
    """Turns what Lightning raises about settings, when it meets the data, into an `InputError`.

    Errors of a step or a callback, or of their use of Lightning, have frames of other code.
    """
    try:
        yield
    except (ValueError, ZeroDivisionError, MisconfigurationException) as error:
        _, _, *frames = traceback.extract_tb(error.__traceback__)  # after those of this file
        if any("pytorch_lightning" not in frame.filename for frame in frames):
            raise
        raise _explain_rejection(error) from error


def _explain_rejection(error: BaseException) -> InputError:
    return InputError(f"the trainer rejects its settings ({reason(error)}); change trainer.*")


def _build_loggers(config: DictConfig, step: int) -> list[Logger]:
    """The loggers of a run that starts at a step."""
    loggers: list[Logger] = [instantiate(logger) for logger in config.logger.values() if logger]
    for logger in loggers:
        if isinstance(logger, CsvLog):
            logger.begin(step)
    return loggers


def _build_callbacks(config: DictConfig, loggers: list[Logger]) -> list[pl.Callback]:
    """The callbacks of the config; those that write weights know how the run was started."""
    callbacks: list[pl.Callback] = [instantiate(callback) for callback in config.callbacks.values() if callback]
    if not loggers:  # without one, Lightning refuses the monitor of the learning rate
        callbacks = [callback for callback in callbacks if not isinstance(callback, pl.callbacks.LearningRateMonitor)]
    for callback in callbacks:
        if isinstance(callback, BestWeights | AverageLast):
            callback.description = {
                "command": train_command(),
                "seed": config.seed,
                "config": plain_dict(config),
            }
    return callbacks


def training_task(config: DictConfig, data: MotionData) -> LiftingTask:
    """The lifter, warm-started if `init` is given, with its optimizer, schedule and loss."""
    pelvis = data.pelvis
    optimizer = plain_dict(config.optimizer)
    weight_decay = optimizer.pop("weight_decay", 0.0)
    lifter = build_model(instantiate(config.model, _convert_="all"))
    if config.init is not None:
        weights = load_weights(config.init)
        pelvis = pelvis or weights.pelvis  # data without 3D does not move it
        try:
            warm_start(lifter, weights.lifter)
        except InputError as error:
            unlike = describe_difference(asdict(weights.lifter.config), asdict(lifter.config))
            raise InputError(f"init={config.init} does not fit this lifter: {unlike} ({error})") from error
    task = LiftingTask(
        lifter=lifter,
        optimizer=instantiate(optimizer, _convert_="all"),
        schedule=instantiate(config.schedule),
        loss=plain_dict(config.loss),
        weight_decay=weight_decay,
        window=config.frames,
        masking=instantiate(config.masking),
        seed=config.seed,
        pelvis=pelvis,
    )
    if config.compile:
        task.lifter.compile()
    return task


def _remove_partial(output: Path, callbacks: list[pl.Callback], loggers: list[Logger]) -> None:
    """Removes what killed processes left of the run's files."""
    written = [output / name for name in ("run.json", "config.yaml", "curves.png", "curves.pdf")]
    for part in (*callbacks, *loggers):
        if isinstance(path := getattr(part, "path", None), Path):
            written.append(path)
        if isinstance(part, AverageLast):
            written += part.partial()
    for path in written:
        remove_partial_of(path)
        if path.suffix == ".safetensors":
            remove_partial_of(path.with_suffix(".json"))


def _say_what_comes(config: DictConfig, task: LiftingTask, trainer: pl.Trainer, step: int) -> None:
    """Prints the size of the lifter, the number of steps, where checkpoints go, and how to stop and go on."""
    parameters = sum(parameter.numel() for parameter in task.lifter.parameters())
    print(f"{type(task.lifter).__name__}: {parameters:,} parameters")
    if trainer.max_steps > 0:
        begins = f", from step {step:,}" if step else ""
        print(f"{trainer.max_steps:,} steps{begins}, into {config.output}; about how long, after the first few")
    if config.callbacks.last:
        print(
            f"From the first step on, Ctrl-C stops after the step and saves {config.callbacks.last.path}. Go on with: "
            f"{resume_command(config)}"
        )


def _end(config: DictConfig, trainer: pl.Trainer, number: int) -> NoReturn:
    """Prints how to continue a stopped run, and exits.

    Raises:
        SystemExit: with 128 and the number of the signal, in the first of several processes.
    """
    if not trainer.is_global_zero:
        raise SystemExit(0) from None  # Lightning kills the first process if another one fails
    if find_last_checkpoint(config):
        print(f"Stopped. Go on with: {resume_command(config)}")
    else:
        print(f"Stopped before the first checkpoint in {config.output}; start the run again.")
    raise SystemExit(128 + number) from None


def _report_finished(
    config: DictConfig,
    trainer: pl.Trainer,
    task: LiftingTask,
    callbacks: list[pl.Callback],
    loggers: list[Logger],
    saved: dict[str, Any],
) -> float | None:
    """The best validation error of a run that has all its steps, mm; prints how to train on.

    It writes what follows the last step again: the run may have been killed before.

    Raises:
        InputError: `resume` names another checkpoint than the last of the folder.
    """
    step = int(saved["global_step"])
    if config.resume != "auto":
        raise InputError(f"resume={config.resume} is at step {step:,} already; give more steps than steps={step}")
    best = next((callback for callback in callbacks if isinstance(callback, BestWeights)), None)
    if best is not None:
        best.load_state_dict(saved["callbacks"].get(best.state_key, best.state_dict()))
    if not trainer.is_global_zero:
        return None
    more = {"steps" if config.steps == trainer.max_steps else "trainer.max_steps": 2 * step}
    print(
        f"This run is finished: it has its {step:,} steps. To train on, with the schedule of the new number of steps: "
        f"{resume_command(config, **more)}"
    )
    for callback in callbacks:
        if isinstance(callback, AverageLast):
            callback.write(task)
    return _finish(config, trainer, callbacks, loggers)


def _finish(
    config: DictConfig, trainer: pl.Trainer, callbacks: list[pl.Callback], loggers: list[Logger]
) -> float | None:
    """The best validation error, mm; draws the curves and prints how to evaluate the best weights."""
    for logger in loggers:
        if isinstance(logger, CsvLog):
            plot_curves(read_log(logger.path), Path(config.output))
    for callback in callbacks:
        if isinstance(callback, AverageLast) and callback.averaged:
            print(f"Mean of the last {callback.averaged}: {callback.path}")
    best = next((callback for callback in callbacks if isinstance(callback, BestWeights)), None)
    if best is None or not math.isfinite(best.best):
        print("No validation ran, so there are no best weights.")
        return None
    if not best.path.is_file():
        print(f"The best weights are missing: {best.path}. Give another name= or output= to train again.")
        return best.best
    command = evaluation_command(config, HydraConfig.get().runtime.choices, best.path)
    mean_pose = trainer.callback_metrics.get(MEAN_POSE)
    beside = "" if mean_pose is None else f", a mean pose {float(mean_pose):.2f} mm"
    print(f"Best weights: {best.path} ({best.monitor} {best.best:.2f} mm{beside}). Evaluate them: {command}")
    return best.best
