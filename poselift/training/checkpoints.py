"""Checkpoints that are never half written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins.io import TorchCheckpointIO
from safetensors import SafetensorError

from poselift.core.errors import InputError, describe
from poselift.core.files import atomic_path


@contextmanager
def saying_what_is_left(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turns what goes wrong while a file is replaced into a message that says what is there now.

    Raises:
        InputError: it could not be written, because the disk is full for one.
    """
    earlier = "the one written before it is whole" if Path(path).exists() else "nothing was written before it"
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        reason = describe(error) if isinstance(error, OSError) else str(error).splitlines()[0]
        raise InputError(f"cannot write {path} ({reason}); {earlier}; make room and go on with resume=auto") from error


def _flush(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class AtomicCheckpointIO(TorchCheckpointIO):
    """Lightning's checkpoints: on the disk under another name before they take the place of the last one."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: str | os.PathLike[str], storage_options: Any | None = None
    ) -> None:
        """Writes a checkpoint.

        Raises:
            InputError: it cannot be written.
        """
        path = Path(path)
        with saying_what_is_left(path):
            with atomic_path(path) as temporary:
                with open(temporary, "wb") as file:
                    torch.save(checkpoint, file)
                _flush(temporary)
            _flush(path.parent)


def read_checkpoint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A checkpoint as plain data; no code that may be in it is run.

    Raises:
        InputError: it is not there, cannot be read, or is not of a training run of this project.
    """
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder; resume= takes a checkpoint, e.g. {Path(path) / 'checkpoints/last.ckpt'}")
    if not Path(path).is_file():
        raise InputError(f"no such file: {path}; resume= takes a checkpoint (.ckpt) of an earlier run, or auto")
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, UnpicklingError, EOFError) as error:
        raise InputError(f"{path} cannot be read as a checkpoint ({str(error).splitlines()[0]})") from error
    if not isinstance(checkpoint, dict) or not {"model", "loops", "state_dict", "global_step"} <= set(checkpoint):
        raise InputError(f"{path} is not a checkpoint of poselift train")
    return checkpoint


class LastCheckpoint(pl.callbacks.Checkpoint):
    """Keeps the checkpoint to go on from: every so many steps, and after the validation at an epoch's end.

    Between an epoch's last step and its validation there is none: a run goes on from before or after both.

    Args:
        path: of the checkpoint.
        every_n_train_steps: optimizer steps from one to the next.

    Raises:
        InputError: that is less than 1.
    """

    def __init__(self, path: str | os.PathLike[str], every_n_train_steps: int) -> None:
        if every_n_train_steps < 1:
            raise InputError(f"callbacks.last.every_n_train_steps={every_n_train_steps} must be 1 or more")
        self.path, self.every_n_train_steps = Path(path), every_n_train_steps
        self._saved = 0

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Takes away what a killed process left half written, and what a new run would not go on from."""
        self._saved = trainer.global_step
        if trainer.is_global_zero:
            if self._saved == 0:
                self.path.unlink(missing_ok=True)
            for stray in self.path.parent.glob(f".{self.path.stem}.*{self.path.suffix}"):
                stray.unlink(missing_ok=True)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Saves where a step is due; gradients that are still gathered are not saved, so only after a step."""
        step = trainer.global_step
        if step != self._saved and step % self.every_n_train_steps == 0 and not trainer.is_last_batch:
            self._save(trainer)

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Saves."""
        self._save(trainer)

    def _save(self, trainer: pl.Trainer) -> None:
        self._saved = trainer.global_step
        for logger in trainer.loggers:
            logger.save()
        trainer.save_checkpoint(self.path)
