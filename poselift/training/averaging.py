"""Means of a run's weights: exponential, and of last validations."""

import copy
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import WeightAveraging
from torch import Tensor

from poselift.core.annotations import Count, Share, Whole
from poselift.models import load_weights, save_weights
from poselift.training.checkpoints import explain_write_errors
from poselift.training.task import LiftingTask


def average_weights(states: Sequence[dict[str, Tensor]], buffers: Collection[str] = ()) -> dict[str, Tensor]:
    """The mean of several states of one model.

    Vaswani et al. 2017, section 6.1.

    Sums are in float64. Buffers, and values that are no floating-point numbers, are those of the last state.

    Args:
        states: `state_dict()`s, at least one.
        buffers: names of the model's buffers. The mean of two random draws, as of Performer's, has too small a spread.

    Raises:
        ValueError: there is no state, or the states are not of one model.
    """
    if not states:
        raise ValueError("there are no weights to average; give at least one state")
    shapes = [{name: tuple(value.shape) for name, value in state.items()} for state in states]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("the weights to average are not of one model: their names or shapes differ")
    return {
        name: torch.stack([state[name].double() for state in states]).mean(0).to(last.dtype)
        if last.is_floating_point() and name not in buffers
        else last
        for name, last in states[-1].items()
    }


class ExponentialAverage(WeightAveraging):
    """Validates with an exponential moving average of the weights.

    Saves it as the best weights.

    Lightning's EMA computes d a + (1 - d) b, whose rounding changes even equal numbers. This one moves a towards b by
    their difference. Buffers are copied, as in `average_weights`.

    The decay grows from 0 to `decay` over the first steps, so that a short run's average forgets the initial weights.

    A model with batch norms keeps its own weights, because averaged weights do not fit the statistics of its norms.

    Args:
        decay: d, the share of the average that remains at each step, in the long run.
        start: the step up to which the average equals the weights.
    """

    def __init__(self, decay: Share = 0.998, start: Whole = 50) -> None:
        super().__init__(use_buffers=False, multi_avg_fn=self._average)
        self.decay, self.start = decay, start

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Turns averaging off if the model has batch norms."""
        if _has_batch_norms(pl_module):
            self.decay = 0.0
        super().setup(trainer, pl_module, stage)

    def should_update(self, step_idx: int | None = None, epoch_idx: int | None = None) -> bool:
        """True at steps, False at the end of epochs."""
        return step_idx is not None

    @torch.no_grad()
    def _average(self, averaged: list[Tensor], current: list[Tensor], count: Tensor | int) -> None:
        """Moves parameters of one kind in place."""
        # After n steps the average reaches back over a tenth of them, or over fewer if `decay` is smaller.
        steps = int(count) - self.start
        stays = min(self.decay, (1 + steps) / (10 + steps)) if steps > 0 else 0.0
        torch._foreach_lerp_(averaged, current, 1 - stays)


def _has_batch_norms(module: torch.nn.Module) -> bool:
    return any(isinstance(part, torch.nn.BatchNorm1d) for part in module.modules())


class AverageLast(pl.Callback):
    """Saves the last validations' weights, and their mean at the end.

    Do not combine it with `ExponentialAverage`, whose weights change little from one validation to the next. A model
    with batch norms keeps the weights of its last validation, because averaged weights do not fit the statistics of its
    norms.

    Args:
        path: of the mean's safetensors file; its JSON is beside it.
        folder: for the weights of each validation.
        count: the number of validations to average.

    Attributes:
        averaged: the number of validations in the mean that was written; 0 before.
    """

    def __init__(self, path: str | Path, folder: str | Path, count: Count = 5) -> None:
        self.path, self.folder, self.count = Path(path), Path(folder), count
        self.averaged = 0
        self.description: dict[str, Any] = {}

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Removes the weights that an earlier run saved at later steps."""
        if trainer.is_global_zero:
            self._remove(
                [path for path in self._list_files() if int(path.stem.removeprefix("step_")) > trainer.global_step]
            )

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Saves the weights and removes the oldest.

        Raises:
            InputError: the file cannot be written.
        """
        assert isinstance(pl_module, LiftingTask)
        if trainer.sanity_checking or not trainer.is_global_zero:
            return
        path = self.folder / f"step_{trainer.global_step:08d}.safetensors"
        training = {"step": trainer.global_step}
        with explain_write_errors(path):
            save_weights(path, pl_module.lifter, pl_module.window, training, pelvis=pl_module.pelvis)
        self._remove(self._list_files()[: -self.count])

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Writes the mean."""
        assert isinstance(pl_module, LiftingTask)
        if trainer.is_global_zero:
            self.write(pl_module)

    def write(self, task: LiftingTask) -> None:
        """Writes the mean of the weights that the validations saved.

        It is for a lifter like that of the task.

        Raises:
            InputError: a file cannot be read or written.
        """
        kept = [load_weights(path) for path in self._list_files()[-1 if _has_batch_norms(task) else 0 :]]
        if not kept:  # Nothing was validated; the run reports that.
            return
        mean = copy.deepcopy(task.lifter)
        buffers = {name for name, _ in mean.named_buffers()}
        mean.load_state_dict(average_weights([weights.lifter.state_dict() for weights in kept], buffers))
        steps = [weights.card["training"]["step"] for weights in kept]
        training = {**self.description, "mean_of_steps": steps}
        with explain_write_errors(self.path):
            save_weights(self.path, mean, task.window, training, pelvis=task.pelvis)
        self.averaged = len(kept)

    def partial(self) -> list[Path]:
        """Weights of which a killed process may have left temporary files."""
        names = {path.name.split(".")[1] for path in self.folder.glob(".step_*.*")}
        return [self.folder / f"{name}.safetensors" for name in sorted(names)]

    def _list_files(self) -> list[Path]:
        return sorted(self.folder.glob("step_*.safetensors"))

    def _remove(self, paths: list[Path]) -> None:
        for path in paths:
            path.unlink()
            path.with_suffix(".json").unlink(missing_ok=True)
