"""Means of the weights of a run: exponential while it trains, and of the last few at its end."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import WeightAveraging
from torch import Tensor

from poselift.core.errors import InputError
from poselift.models import load_weights, save_weights
from poselift.training.task import LiftingTask


def average_weights(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each parameter over several states of one model (Vaswani et al. 2017, section 6.1).

    Sums are in float64. What is not a floating-point number is the last state's.

    Args:
        states: `state_dict()`s, at least one.

    Raises:
        ValueError: there is none, or they are not of one model.
    """
    if not states:
        raise ValueError("there are no weights to average")
    shapes = [{name: tuple(value.shape) for name, value in state.items()} for state in states]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("the weights to average are not of one model")
    return {
        name: torch.stack([state[name].double() for state in states]).mean(0).to(last.dtype)
        if last.is_floating_point()
        else last
        for name, last in states[-1].items()
    }


class ExponentialAverage(WeightAveraging):
    """Keeps an exponential moving average of the weights, validates with it, and gives it out.

    Lightning's own EMA mixes each number as d a + (1 - d) b, which changes by rounding even where both are equal: a
    table that is not saved with the weights would drift, and a run that goes on would no longer be the same. This
    one goes from a towards b by their difference.

    The share that stays grows from 0 to `decay` over the first steps, as the mean of few steps would: a short run's
    average does not remember how it began.

    A model with batch norms keeps its own weights: the statistics of its norms were gathered under them, and the mean
    of either does not go with the mean of the other.

    Args:
        decay: d, the share of the average that stays at each step, in the long run.
        start: the step up to which the average is the weights themselves.
    """

    def __init__(self, decay: float = 0.998, start: int = 50) -> None:
        super().__init__(use_buffers=True, multi_avg_fn=self._average)
        self.decay, self.start = decay, start

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Looks whether the model has batch norms."""
        if any(isinstance(module, torch.nn.BatchNorm1d) for module in pl_module.modules()):
            self.decay = 0.0
        super().setup(trainer, pl_module, stage)

    def should_update(self, step_idx: int | None = None, epoch_idx: int | None = None) -> bool:
        """Whether the step counts; epochs by themselves do not."""
        return step_idx is not None

    @torch.no_grad()
    def _average(self, averaged: list[Tensor], current: list[Tensor], count: Tensor | int) -> None:
        """Moves tensors of one kind, in place; whole numbers are taken as they are."""
        if averaged[0].is_floating_point():
            # After n steps the average reaches back over a tenth of them, or less where `decay` is shorter.
            steps = int(count) - self.start
            stays = min(self.decay, (1 + steps) / (10 + steps)) if steps > 0 else 0.0
            torch._foreach_lerp_(averaged, current, 1 - stays)
        else:
            torch._foreach_copy_(averaged, current)


class AverageLast(pl.Callback):
    """Keeps the weights of the last few validations, and writes their mean at the end of the training.

    Not together with an averaging callback such as the EMA, whose weights change less from one to the next.

    Args:
        path: of the mean's safetensors file; the JSON goes beside it.
        folder: where the weights of each validation are kept.
        count: how many are averaged.

    Raises:
        InputError: that is less than 1.
    """

    def __init__(self, path: str | Path, folder: str | Path, count: int = 5) -> None:
        if count < 1:
            raise InputError(f"callbacks.average.count={count} must be 1 or more")
        self.path, self.folder, self.count = Path(path), Path(folder), count
        self.description: dict[str, Any] = {}

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Forgets what an earlier run kept of steps that are still to come."""
        if trainer.is_global_zero:
            self._remove([path for path in self._kept() if int(path.stem.removeprefix("step_")) > trainer.global_step])

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keeps the weights, and lets go of the oldest."""
        assert isinstance(pl_module, LiftingTask)
        if trainer.sanity_checking or not trainer.is_global_zero:
            return
        path = self.folder / f"step_{trainer.global_step:08d}.safetensors"
        save_weights(path, pl_module.lifter, pl_module.window, {"step": trainer.global_step}, pelvis=pl_module.pelvis)
        self._remove(self._kept()[: -self.count])

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Writes the mean."""
        assert isinstance(pl_module, LiftingTask)
        if not trainer.is_global_zero:
            return
        kept = [load_weights(path) for path in self._kept()]
        if not kept:  # Nothing was validated, which the run says itself.
            return
        mean = copy.deepcopy(pl_module.lifter)
        mean.load_state_dict(average_weights([weights.lifter.state_dict() for weights in kept]))
        steps = [weights.card["training"]["step"] for weights in kept]
        training = {**self.description, "mean_of_steps": steps}
        save_weights(self.path, mean, pl_module.window, training, pelvis=pl_module.pelvis)

    def _kept(self) -> list[Path]:
        return sorted(self.folder.glob("step_*.safetensors"))

    def _remove(self, paths: list[Path]) -> None:
        for path in paths:
            path.unlink()
            path.with_suffix(".json").unlink(missing_ok=True)
