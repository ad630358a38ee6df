"""The size of gradients and updates at each step, as papers on warm-up and initialisation show it."""

import math
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from poselift.core.files import write_json

LOWEST, HIGHEST, BINS = -12.0, 2.0, 56
"""Range and bins of the histograms, in powers of ten of absolute values; zeros count as the lowest."""


class Dynamics(pl.Callback):
    """Writes learning rate, loss, gradient and update of optimizer steps, with histograms over all parameters.

    The gradient is that of the loss before clipping. The update is the step of the optimizer, and `relative` its norm
    over that of the parameters. Huang et al. 2020
    (https://proceedings.mlr.press/v119/huang20f.html) show both as histograms over the steps: without warm-up Adam's
    first updates are large, and the gradients then vanish.

    Args:
        path: of the JSON file.
        every: the interval between written steps.
    """

    def __init__(self, path: str | Path, every: int = 1) -> None:
        self.path, self.every = Path(path), every
        self._steps: list[dict[str, Any]] = []
        self._before: list[Tensor] | None = None

    def on_before_optimizer_step(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, optimizer: torch.optim.Optimizer
    ) -> None:
        """Stores the gradient and the parameters."""
        if trainer.global_step % self.every:
            return
        gradients = [p.grad for p in pl_module.parameters() if p.grad is not None]
        self._before = [p.detach().clone() for p in pl_module.parameters()]
        rate = optimizer.param_groups[0]["lr"]
        self._steps.append(
            {"step": trainer.global_step, "rate": rate, "gradient": _norm(gradients), "gradients": _counts(gradients)}
        )

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Stores the update of the optimizer."""
        if self._before is None:
            return
        updates = [p.detach() - before for p, before in zip(pl_module.parameters(), self._before, strict=True)]
        update = _norm(updates)
        self._steps[-1] |= {
            "loss": _finite(outputs["loss"]),
            "update": update,
            "relative": None if update is None else update / max(_norm(self._before) or 0.0, 1e-12),
            "updates": _counts(updates),
        }
        self._before = None

    def on_exception(self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException) -> None:
        """Writes the steps before a training diverged."""
        self._steps = [step for step in self._steps if "loss" in step]
        self.on_train_end(trainer, pl_module)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Writes the file."""
        bins = {"lowest": LOWEST, "highest": HIGHEST, "count": BINS}
        write_json(self.path, {"bins": bins, "steps": self._steps})


def _norm(tensors: list[Tensor]) -> float | None:
    return _finite(torch.stack([tensor.norm() for tensor in tensors]).norm())


def _finite(value: Tensor) -> float | None:
    """The value for JSON; None if it is not finite."""
    number = float(value)
    return number if math.isfinite(number) else None


def _counts(tensors: list[Tensor]) -> list[int]:
    """The histogram of the powers of ten of all entries."""
    powers = torch.cat([tensor.flatten() for tensor in tensors]).float().abs().log10()
    return [int(count) for count in torch.histc(powers.clamp(LOWEST, HIGHEST), BINS, LOWEST, HIGHEST)]
