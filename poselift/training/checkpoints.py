"""Checkpoints, written atomically."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins.io import TorchCheckpointIO

from poselift.core.annotations import Count
from poselift.core.errors import InputError, describe, first_line, reason
from poselift.core.files import atomic_path
from poselift.core.torch_files import CHECKSUM, content_sha256, read_checkpoint_file
from poselift.training.stopping import StopOnSignal, Stopped
from poselift.training.task import LiftingTask


@contextmanager
def explain_write_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turns errors of writing into an `InputError`.

    It names the state of the file.

    Raises:
        InputError: the file cannot be written, for example because the disk is full.
    """
    earlier = "the earlier one is intact" if Path(path).exists() else "there is no earlier one"
    try:
        yield
    except (OSError, RuntimeError, InputError) as raised:
        error = raised.__cause__ or raised if isinstance(raised, InputError) else raised
        reason = describe(error) if isinstance(error, OSError) else first_line(error)
        raise InputError(
            f"cannot write {path} ({reason}); {earlier}; free some space and continue with resume=auto"
        ) from error


def _flush(path: Path) -> None:
    """Waits until a file or a folder's names are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class AtomicCheckpointIO(TorchCheckpointIO):
    """Lightning's checkpoints, written whole or not at all.

    They replace the last one only when they are complete on the disk.
    """

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: str | os.PathLike[str], storage_options: Any | None = None
    ) -> None:
        """Writes a checkpoint.

        Raises:
            InputError: the file cannot be written.
        """
        path = Path(path)
        with explain_write_errors(path):
            with atomic_path(path) as temporary:
                with open(temporary, "wb") as file:
                    torch.save({**checkpoint, CHECKSUM: content_sha256(checkpoint)}, file)
                _flush(temporary)
            _flush(path.parent)


@contextmanager
def explain_damage(path: str | None, step: int, trainer: pl.Trainer) -> Iterator[None]:
    """Turns a resumed run's early errors into one about its checkpoint.

    It does so up to the first step.

    Damage inside of values shows only when Lightning and the optimizer use them. Checkpoints with a checksum have none.

    Args:
        path: the checkpoint; None for a new run.
        step: of the checkpoint.
        trainer: of the run.

    Raises:
        InputError: an error that is not meant for people came from the checkpoint.
    """
    try:
        yield
    except (InputError, OSError, Stopped, torch.OutOfMemoryError):
        raise
    except Exception as error:
        if path is None or trainer.global_step > step + 1:
            raise
        raise InputError(
            f"{path} cannot be resumed from: it is damaged, or of another version ({reason(error)}); take another "
            "checkpoint, or start anew with init= and another output="
        ) from error


def read_checkpoint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A checkpoint as plain data, without running its code.

    Raises:
        InputError: the file is missing, unreadable, or not of a training run of this project.
    """
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder; resume= takes a checkpoint, e.g. {Path(path) / 'checkpoints/last.ckpt'}")
    if not Path(path).is_file():
        raise InputError(f"no such file: {path}; resume= takes a checkpoint (.ckpt) of an earlier run, or auto")
    checkpoint = read_checkpoint_file(path)
    kinds = {"model": dict, "loops": dict, "state_dict": dict, "global_step": int}
    if not all(isinstance(checkpoint.get(key), kind) for key, kind in kinds.items()):
        raise InputError(f"{path} is not a checkpoint of poselift train; give one of its files checkpoints/*.ckpt")
    return checkpoint


def read_resumed(path: str, task: LiftingTask) -> dict[str, Any]:
    """The content of a checkpoint from which this task can resume.

    Raises:
        InputError: the file is no checkpoint, or one of another lifter or optimizer.
    """
    checkpoint = read_checkpoint(path)
    config = asdict(task.lifter.config)
    theirs = checkpoint["model"].get("config")
    if theirs != config:
        unlike = describe_difference(theirs, config)
        raise InputError(f"{path} belongs to another lifter: {unlike}; give the model= of that run, or another output=")
    # Checkpoints of earlier versions lack it.
    optimizer = checkpoint.get("optimizer", task.optimizer_settings)
    if optimizer != task.optimizer_settings:
        unlike = describe_difference(optimizer, task.optimizer_settings)
        raise InputError(
            f"{path} has another optimizer: {unlike}; a resumed run keeps its optimizer: set optimizer= and "
            "optimizer.* back, or start anew with init=FILE.safetensors and another output="
        )
    return checkpoint


def describe_difference(there: Any, here: dict[str, Any]) -> str:
    """Keys in which two configs differ, with both values. One is as a file has it."""
    if not isinstance(there, dict):
        return f"{there!r:.40} there, which is no config"
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    return ", ".join(f"{key} is {there.get(key)} there and {here.get(key)} here" for key in keys) or "another class"


class LastCheckpoint(pl.callbacks.Checkpoint):
    """Saves the checkpoint to resume from.

    Every few steps, before a stop, and after the validation of each epoch.

    It saves none between an epoch's last step and its validation, so a run resumes before or after both. It saves
    before the last step, so a run that ends in the validation repeats one step.

    Args:
        path: of the checkpoint.
        every_n_train_steps: optimizer steps between checkpoints.
    """

    def __init__(self, path: str | os.PathLike[str], every_n_train_steps: Count) -> None:
        self.path, self.every_n_train_steps = Path(path), every_n_train_steps

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Removes the old checkpoint in a new run."""
        if trainer.is_global_zero and trainer.global_step == 0:
            self.path.unlink(missing_ok=True)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Saves if due, and only after an optimizer step.

        A checkpoint has no accumulated gradients.
        """
        gathered = trainer.accumulate_grad_batches
        if (batch_idx + 1) % gathered or trainer.is_last_batch:
            return
        before_last = batch_idx + 1 == (int(trainer.num_training_batches) - 1) // gathered * gathered
        if before_last or trainer.global_step % self.every_n_train_steps == 0 or _stops(trainer):
            self._save(trainer)

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Saves after the validation."""
        self._save(trainer)

    def _save(self, trainer: pl.Trainer) -> None:
        for logger in trainer.loggers:
            logger.save()
        trainer.save_checkpoint(self.path)


def _stops(trainer: pl.Trainer) -> bool:
    """Whether a signal ends the run after this step."""
    return any(isinstance(callback, StopOnSignal) and callback.stops for callback in trainer.callbacks)  # type: ignore[attr-defined]  # not in Lightning's types
