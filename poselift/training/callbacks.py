"""A run's progress bar, time left and best weights."""

import copy
import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import RichProgressBar

from poselift.core.errors import InputError
from poselift.core.progress_text import MinuteLines, Output, in_words
from poselift.models import Lifter, save_weights
from poselift.training.checkpoints import explain_write_errors
from poselift.training.task import LiftingTask


class Progress(RichProgressBar):
    """Lightning's bar with short names, and without epochs.

    The number of epochs is -2 where steps end a run.
    """

    def _get_train_description(self, current_epoch: int) -> str:
        return f"Epoch {current_epoch}".ljust(len(self.validation_description))

    def get_metrics(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> dict[str, Any]:
        """The loss and the validation error, under short names.

        The bar does not cut them; the logger's version is left out.
        """
        values = super().get_metrics(trainer, pl_module)
        return {_SHORT.get(name, name): value for name, value in values.items() if name != "v_num"}


_SHORT = {"train/loss": "loss", "val/mpjpe_subjects": "val mm"}


class TimeLeft(pl.Callback):
    """Prints about how long a run takes, after its first steps.

    Where no bar shows it, a line a minute.
    """

    _FIRST, _MEASURED = 2, 5
    """Steps before the clock starts, which build what later steps reuse; and steps that it measures."""

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Counts from the step at which this process starts."""
        self._begin = trainer.global_step + self._FIRST
        self._since = time.monotonic()
        self._first, self._lines = trainer.global_step, MinuteLines(Output(quiet=not trainer.is_global_zero))

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Starts the clock, and prints the estimate and the lines."""
        if (batch_idx + 1) % trainer.accumulate_grad_batches or trainer.max_steps < 0:
            return
        if trainer.global_step == self._begin:
            self._since = time.monotonic()
        elif trainer.global_step == self._begin + self._MEASURED and trainer.is_global_zero:
            step = (time.monotonic() - self._since) / self._MEASURED
            left = in_words(step * (trainer.max_steps - trainer.global_step))
            print(f"About {left} left, validations not counted ({step:.2f} s a step).")
        loss = trainer.callback_metrics.get("train/loss")
        at = f"step {trainer.global_step} of {trainer.max_steps}" + (
            "" if loss is None else f", loss {float(loss):.4f}"
        )
        # A resumed run has done its earlier steps in another process.
        done = (trainer.global_step - self._first) / max(trainer.max_steps - self._first, 1)
        self._lines.report(at, done)


class BestWeights(pl.Callback):
    """Writes the lifter's weights at each validation with a new lowest error.

    It must precede an averaging callback in the list. That callback removes the averaged weights at the end of
    validation, before the errors are known, so this one copies the lifter earlier.

    Args:
        path: of the safetensors file; its JSON is beside it.
        monitor: the name of the logged error.
    """

    def __init__(self, path: str | Path, monitor: str) -> None:
        self.path, self.monitor = Path(path), monitor
        self.best = float("inf")
        self.description: dict[str, Any] = {}
        self._validated: Lifter | None = None

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Forgets the lowest error of a run resumed elsewhere.

        Its weights are not in that folder.
        """
        if not self.path.is_file():
            self.best = float("inf")

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Copies the validated lifter."""
        assert isinstance(pl_module, LiftingTask)
        self._validated = copy.deepcopy(pl_module.lifter)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Writes the copy if the error is the lowest so far.

        Raises:
            InputError: no error is logged under the name in `monitor`.
        """
        assert isinstance(pl_module, LiftingTask)
        if trainer.sanity_checking:
            return
        value = trainer.callback_metrics.get(self.monitor)
        if value is None:
            logged = ", ".join(sorted(name for name in trainer.callback_metrics if name.startswith("val/")))
            raise InputError(f"callbacks.weights.monitor={self.monitor} is not logged; choose {logged}")
        if not float(value) < self.best or not trainer.is_global_zero:
            return
        assert self._validated is not None, "validation ends after its last epoch"
        self.best = float(value)
        training = {**self.description, "step": trainer.global_step, self.monitor: round(self.best, 2)}
        # float16 halves the file and moves joints by hundredths of a millimetre; checkpoints keep float32.
        with explain_write_errors(self.path):
            save_weights(self.path, self._validated, pl_module.window, training, torch.float16, pelvis=pl_module.pelvis)

    def state_dict(self) -> dict[str, Any]:
        """The lowest error so far, for a resumed run."""
        return {"best": self.best}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the lowest error."""
        self.best = float(state_dict["best"])
