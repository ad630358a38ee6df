"""What a training run prints at its start and does last."""

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytorch_lightning as pl
import torch
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from poselift.cli.earlier_run import find_last_checkpoint
from poselift.cli.run_record import evaluation_command, resume_command
from poselift.cli.train_parts import RunParts
from poselift.core.errors import InputError
from poselift.core.progress_text import show
from poselift.data.module import MotionData
from poselift.reports.training_log import read_log
from poselift.training.csv_log import CsvLog
from poselift.training.loss_curves import plot_curves
from poselift.training.mean_pose import MEAN_POSE
from poselift.training.stopping import Stopped
from poselift.training.task import LiftingTask


def say_what_comes(config: DictConfig, task: LiftingTask, trainer: pl.Trainer, step: int) -> None:
    """Prints what begins: lifter's size, steps, checkpoints, how to stop. It also says how to go on."""
    parameters = sum(parameter.numel() for parameter in task.lifter.parameters())
    show(f"{type(task.lifter).__name__}: {parameters:,} parameters")
    if trainer.max_steps > 0:
        begins = f", from step {step:,}" if step else ""
        show(f"{trainer.max_steps:,} steps{begins}, into {config.output}; about how long, after the first few")
    if config.callbacks.last:
        show(
            f"From the first step on, Ctrl-C stops after the step and saves {config.callbacks.last.path}. Go on with: "
            f"{resume_command(config)}"
        )


@contextmanager
def explain_end(config: DictConfig, trainer: pl.Trainer, data: MotionData) -> Iterator[None]:
    """Says how to go on after a stop or without memory.

    Raises:
        SystemExit: a signal stopped it; with 128 and the signal's number, in the first of several processes.
        InputError: the GPU has too little memory.
    """
    try:
        yield
    except Stopped as stop:
        _end_stopped(config, trainer, stop.number)
    except SystemExit as stop:
        if isinstance(stop.__context__, KeyboardInterrupt):  # Lightning turns an interrupt into an exit
            _end_stopped(config, trainer, signal.SIGINT)
        raise
    except torch.OutOfMemoryError as error:
        raise InputError(
            f"the GPU has too little memory for a step of {data.batch_size} windows; choose a smaller "
            "data.batch_size= (trainer.accumulate_grad_batches=2 adds up two batches in a step)"
        ) from error


def _end_stopped(config: DictConfig, trainer: pl.Trainer, number: int) -> NoReturn:
    if not trainer.is_global_zero:
        raise SystemExit(0) from None  # Lightning kills the first process if another one fails
    if find_last_checkpoint(config):
        show(f"Stopped. Go on with: {resume_command(config)}")
    else:
        show(f"Stopped before the first checkpoint in {config.output}; start the run again.")
    raise SystemExit(128 + number) from None


def report_finished(
    config: DictConfig, trainer: pl.Trainer, task: LiftingTask, parts: RunParts, saved: dict[str, Any]
) -> float | None:
    """The best validation error of a complete run, mm.

    Prints how to train on. It writes what follows the last step again: the run may have been killed before.

    Raises:
        InputError: `resume` names another checkpoint than the last of the folder.
    """
    step = int(saved["global_step"])
    if config.resume != "auto":
        raise InputError(f"resume={config.resume} is at step {step:,} already; give more steps than steps={step}")
    if (best := parts.best) is not None:
        best.load_state_dict(saved["callbacks"].get(best.state_key, best.state_dict()))
    if not trainer.is_global_zero:
        return None
    more = {"steps" if config.steps == trainer.max_steps else "trainer.max_steps": 2 * step}
    show(
        f"This run is finished: it has its {step:,} steps. To train on, with the schedule of the new number of steps: "
        f"{resume_command(config, **more)}"
    )
    for average in parts.averages:
        average.write(task)
    return finish(config, trainer, parts)


def finish(config: DictConfig, trainer: pl.Trainer, parts: RunParts) -> float | None:
    """The best validation error, mm. Draws the curves and prints how to evaluate the best weights."""
    for log in parts.of(CsvLog):
        plot_curves(read_log(log.path), Path(config.output))
    for average in parts.averages:
        if average.averaged:
            show(f"Mean of the last {average.averaged}: {average.path}")
    best = parts.best
    if best is None or not math.isfinite(best.best):
        show("No validation ran, so there are no best weights.")
        return None
    if not best.path.is_file():
        show(f"The best weights are missing: {best.path}. Give another name= or output= to train again.")
        return best.best
    command = evaluation_command(config, HydraConfig.get().runtime.choices, best.path)
    mean_pose = trainer.callback_metrics.get(MEAN_POSE)
    beside = "" if mean_pose is None else f", a mean pose {float(mean_pose):.2f} mm"
    show(f"Best weights: {best.path} ({best.monitor} {best.best:.2f} mm{beside}). Evaluate them: {command}")
    return best.best
