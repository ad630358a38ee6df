"""The LightningModule that trains a lifter."""

from collections.abc import Callable
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from poselift.core.errors import InputError
from poselift.data.batches import Batch
from poselift.data.views import View
from poselift.losses import bone_length_loss, position_loss, scale_free_loss, velocity_loss
from poselift.metrics.functional import Terms, aligned_joint_errors, joint_errors, velocity_errors
from poselift.models import encode, lift_sequence
from poselift.optim.schedules import Schedule
from poselift.skeleton import CMU28, Skeleton

LOSSES = ("position", "velocity", "scale_free", "bone_length")
"""What the training loss is a weighted sum of."""


class LiftingTask(pl.LightningModule):
    """Trains a lifter on windows, validates it on whole views.

    Args:
        lifter: from `poselift.models`.
        optimizer: from parameter groups to an optimizer.
        schedule: from the step to a factor on the learning rate.
        loss: weight of each of `LOSSES`, by name.
        weight_decay: of matrices; biases and norms have none.
        window: frames in a window when views are lifted.

    Raises:
        InputError: a loss is not known.
    """

    def __init__(
        self,
        lifter: nn.Module,
        optimizer: Callable[..., torch.optim.Optimizer],
        schedule: Schedule,
        loss: dict[str, float],
        weight_decay: float,
        window: int,
    ) -> None:
        super().__init__()
        unknown = set(loss) - set(LOSSES)
        if unknown:
            raise InputError(f"no loss is called {', '.join(sorted(unknown))}; there are {', '.join(LOSSES)}")
        self.lifter = lifter
        self.loss_weights = dict(loss)
        self._optimizer, self._schedule, self._weight_decay = optimizer, schedule, weight_decay
        self.window = window
        self._errors: dict[str, list[tuple[str, Tensor, Tensor]]] = {}
        skeleton_out: Skeleton = lifter.skeleton_out  # type: ignore[assignment]
        self._out = CMU28.indices(list(skeleton_out.joints))
        self._bones = skeleton_out.bone_indices

    def training_step(self, batch: Batch, batch_index: int) -> Tensor:
        """The weighted sum of the losses of one batch."""
        encoded = encode(batch.keypoints, batch.scores, batch.times, batch.K, batch.image_size, batch.valid)
        predicted = self.lifter(encoded).float()
        target = batch.joints[:, :, self._out]
        mask = target.isfinite().all(-1) & batch.valid[..., None]
        target = torch.where(mask[..., None], target, 0.0)
        losses = {
            "position": lambda: position_loss(predicted, target, mask),
            "velocity": lambda: velocity_loss(predicted, target, mask, batch.times),
            "scale_free": lambda: scale_free_loss(predicted, target, mask),
            "bone_length": lambda: bone_length_loss(predicted, target, mask, self._bones),
        }
        total = predicted.new_zeros(())
        for name, weight in self.loss_weights.items():
            if weight:
                value = losses[name]()
                self.log(f"train/{name}", value.detach(), on_step=True, batch_size=len(mask))
                total = total + weight * value
        self.log("train/loss", total.detach(), on_step=True, prog_bar=True, batch_size=len(mask))
        return total

    def on_validation_epoch_start(self) -> None:
        """Begins with nothing counted."""
        self._errors = {}

    def validation_step(self, view: View, batch_index: int) -> None:
        """Lifts one view and counts its errors."""
        device = self.device
        predicted = lift_sequence(
            self.lifter,
            view.keypoints.to(device),
            view.scores.to(device),
            view.times.to(device),
            view.K.to(device),
            view.image_size.to(device),
            window=self.window,
            flip=False,
        )
        target = view.joints[:, self._out].to(device)
        mask = target.isfinite().all(-1)
        count = {
            "mpjpe": joint_errors(predicted, target, mask),
            "p_mpjpe": aligned_joint_errors(predicted, target, mask),
            "mpjve": velocity_errors(predicted, target, mask),
        }
        for name, terms in count.items():
            self._errors.setdefault(name, []).append((view.subject, *_sum(terms)))

    def on_validation_epoch_end(self) -> None:
        """Logs the mean over frames and the mean over subjects, mm."""
        for name, rows in self._errors.items():
            total = sum(error for _, error, _ in rows) / sum(number for _, _, number in rows)
            means = []
            for subject in sorted({subject for subject, _, _ in rows}):
                own = [(error, number) for who, error, number in rows if who == subject]
                means.append(sum(error for error, _ in own) / sum(number for _, number in own))
            self.log(f"val/{name}", total)
            self.log(f"val/{name}_subjects", sum(means) / len(means), prog_bar=name == "mpjpe")

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Says what the weights are for, as plain data."""
        checkpoint["model"] = {
            "name": type(self.lifter).__name__,
            "config": self.lifter.config,
            "window": self.window,
        }

    def configure_optimizers(self) -> Any:
        """The optimizer, stepped with the schedule."""
        decayed = [p for p in self.parameters() if p.ndim >= 2]
        plain = [p for p in self.parameters() if p.ndim < 2]
        optimizer = self._optimizer(
            [{"params": decayed, "weight_decay": self._weight_decay}, {"params": plain, "weight_decay": 0.0}]
        )
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, self._schedule)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


def _sum(terms: Terms) -> tuple[Tensor, Tensor]:
    """Sum of the values that count, and how many do."""
    return torch.where(terms.counts, terms.values, 0.0).sum(), terms.counts.sum()
