"""What happens beside the training steps."""

import copy
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import RichProgressBar

from poselift.models import Lifter, save_weights
from poselift.training.checkpoints import saying_what_is_left
from poselift.training.task import LiftingTask


class Progress(RichProgressBar):
    """Lightning's bar, which would count epochs up to -2 where it is the steps that end a run."""

    def _get_train_description(self, current_epoch: int) -> str:
        return f"Epoch {current_epoch}".ljust(len(self.validation_description))


class BestWeights(pl.Callback):
    """Writes the lifter, ready for use, each time validation is better than ever.

    Comes before an averaging callback in the list: that one puts the averaged weights in place for validation and
    takes them out at its end, before the errors are known. So the lifter is copied first and judged after.

    Args:
        path: of the safetensors file; the JSON goes beside it.
        monitor: the logged value that shall be small.
    """

    def __init__(self, path: str | Path, monitor: str) -> None:
        self.path, self.monitor = Path(path), monitor
        self.best = float("inf")
        self.description: dict[str, Any] = {}
        self._validated: Lifter | None = None

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Copies the lifter that was validated."""
        assert isinstance(pl_module, LiftingTask)
        self._validated = copy.deepcopy(pl_module.lifter)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Writes it where the value has fallen."""
        assert isinstance(pl_module, LiftingTask)
        value = trainer.callback_metrics.get(self.monitor)
        if trainer.sanity_checking or value is None or not float(value) < self.best or not trainer.is_global_zero:
            return
        assert self._validated is not None, "validation ends after its last epoch"
        self.best = float(value)
        training = {**self.description, "step": trainer.global_step, self.monitor: round(self.best, 2)}
        # Half the size, and the rounding moves joints by hundredths of a millimetre; checkpoints keep all digits.
        with saying_what_is_left(self.path):
            save_weights(self.path, self._validated, pl_module.window, training, torch.float16, pelvis=pl_module.pelvis)

    def state_dict(self) -> dict[str, Any]:
        """The best value so far, for a run that goes on."""
        return {"best": self.best}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes up the best value."""
        self.best = state_dict["best"]
