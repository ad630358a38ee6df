"""The LightningModule that trains a lifter."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor, distributed
from torch.nn.attention import SDPBackend, sdpa_kernel

from poselift.core.errors import InputError
from poselift.data.batches import Batch
from poselift.data.module import MotionData
from poselift.data.views import View
from poselift.lifting import LiftOptions, lift_view
from poselift.metrics.functional import Terms, aligned_joint_errors, joint_errors, velocity_errors
from poselift.models import Estimate, Lifter, Weights, encode
from poselift.optim.schedules import Schedule
from poselift.skeleton import H36M17
from poselift.structures import Pelvis
from poselift.training.masking import Masking
from poselift.training.objective import Objective, from_first
from poselift.training.resume import close_epoch, first_batch, seed_step

_NETWORK = LiftOptions(flip=False, refine=False, constant_bones=False, every_frame=True)
"""Validation measures the network alone: what follows it costs time and changes little in the order of checkpoints."""


class LiftingTask(pl.LightningModule):
    """Trains a lifter on windows, validates it on whole views.

    Args:
        lifter: from `poselift.models`.
        optimizer: from parameter groups to an optimizer.
        schedule: from the step to a factor on the learning rate.
        loss: weight of each of `poselift.training.objective.LOSSES`, by name.
        weight_decay: of matrices; biases and norms have none.
        window: frames in a window when views are lifted.
        masking: what is hidden from the lifter in training.
        seed: of the run; each step's own is made from it.
        pelvis: where the pelvis of the training data lies: "spine", "hips" or None (`Weights.pelvis`).

    Raises:
        InputError: a loss is not known, or radii are given and not trained, or trained and not given.
    """

    def __init__(
        self,
        lifter: Lifter,
        optimizer: Callable[..., torch.optim.Optimizer],
        schedule: Schedule,
        loss: Mapping[str, float | int],
        weight_decay: float,
        window: int,
        masking: Masking | None = None,
        seed: int = 0,
        pelvis: Pelvis | None = None,
    ) -> None:
        super().__init__()
        self.lifter = lifter
        self.objective = Objective(loss, lifter.skeleton_in, lifter.skeleton_out)
        if lifter.gives_uncertainty != ("uncertainty" in self.objective.weights):
            raise InputError(
                "model.uncertainty=true and a weight for loss.uncertainty go together: give both or neither"
            )
        self.masking = masking or Masking()
        self.window, self.seed, self.pelvis = window, seed, pelvis
        self._optimizer, self._schedule, self._weight_decay = optimizer, schedule, weight_decay
        self._errors: dict[tuple[str, str], Tensor] = {}
        # The field's 17 joints where all of them come out, so that lifters with more are compared by the same.
        joints = lifter.skeleton_out.joints
        self._measured = lifter.skeleton_out.indices(H36M17.joints if set(H36M17.joints) <= set(joints) else joints)

    def on_train_start(self) -> None:
        """Begins the epoch after the one that a checkpoint ended with as a new one."""
        loop = self.trainer.fit_loop.epoch_loop
        if loop.batch_progress.current.ready == 0:
            loop.restarting = False

    def on_train_batch_start(self, batch: Batch, batch_idx: int) -> None:
        """Makes what the step draws a function of its number."""
        seed_step(self.seed, self.global_rank, self.trainer.fit_loop.total_batch_idx)

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """The weighted sum of the losses of one batch."""
        seen = self.masking.hide(batch)
        encoded = encode(seen.keypoints, seen.scores, seen.times, seen.K, seen.image_size, seen.valid, seen.distortion)
        with _fast_attention(self.device):
            # What writes one pose after the other is fed the true ones (Williams and Zipser 1989); lifting, its own.
            estimate = (
                Estimate(self.lifter(encoded, from_first(batch.joints, self.lifter.skeleton_out)))
                if self.lifter.teacher_forced
                else self.lifter.estimate(encoded)
            )
        losses = self.objective(estimate.joints.float(), batch, estimate.uncertainty)
        penalty = self.lifter.penalty()
        if penalty is not None:
            losses |= {"penalty": penalty, "loss": losses["loss"] + penalty}
        for name, value in losses.items():
            self.log(f"train/{name}", value.detach(), prog_bar=name == "loss", batch_size=len(batch.valid))
        return losses["loss"]

    def on_validation_epoch_start(self) -> None:
        """Begins with nothing counted."""
        self._errors = {}

    def validation_step(self, view: View, batch_idx: int) -> None:
        """Lifts one view and counts its errors."""
        # A compiled lifter would be compiled anew for most views, because they differ in length.
        with torch.compiler.set_stance("force_eager"):
            motion = lift_view(view, Weights("", self.lifter, self.window, pelvis=self.pelvis), _NETWORK)
        predicted = torch.from_numpy(motion.joints)[:, self._measured]
        target = from_first(view.joints.cpu(), view.skeleton)[:, self._measured]
        mask = target.isfinite().all(-1)
        measured = {
            "mpjpe": joint_errors(predicted, target, mask),
            "p_mpjpe": aligned_joint_errors(predicted, target, mask),
            "mpjve": velocity_errors(predicted, target, mask),
        }
        for name, terms in measured.items():
            key = (name, view.subject)
            self._errors[key] = self._errors.get(key, 0.0) + _sum_and_count(terms)

    def on_validation_epoch_end(self) -> None:
        """Logs the mean over frames and the mean over subjects, mm, the same in every process.

        Raises:
            InputError: no view has 3D joints to compare with.
        """
        errors = _over_processes(self._errors)
        for name in ("mpjpe", "p_mpjpe", "mpjve"):
            subjects = [pair for (metric, _), pair in sorted(errors.items()) if metric == name and pair[1] > 0]
            if not subjects:
                raise InputError("no view to validate on has 3D joints that the lifter gives; choose others as data.*")
            total = torch.stack(subjects).sum(0)
            self.log(f"val/{name}", float(total[0] / total[1]))
            means = torch.stack([pair[0] / pair[1] for pair in subjects])
            self.log(f"val/{name}_subjects", float(means.mean()), prog_bar=name == "mpjpe")

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Says what the weights are for, as plain data, and where the run stands."""
        checkpoint["model"] = {
            "name": type(self.lifter).__name__,
            "config": asdict(self.lifter.config),
            "window": self.window,
            "pelvis": self.pelvis,
        }
        close_epoch(checkpoint["loops"]["fit_loop"])

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Has the data begin with the batch that comes next."""
        data: MotionData = self.trainer.datamodule  # type: ignore[attr-defined]
        data.training.first = first_batch(checkpoint["loops"]["fit_loop"])

    def configure_optimizers(self) -> Any:
        """The optimizer, stepped with the schedule.

        Raises:
            InputError: one of them refuses its settings.
        """
        decayed = [p for p in self.parameters() if p.ndim >= 2]
        plain = [p for p in self.parameters() if p.ndim < 2]
        groups = [{"params": decayed, "weight_decay": self._weight_decay}, {"params": plain, "weight_decay": 0.0}]
        try:
            optimizer = self._optimizer(groups)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, self._schedule)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise InputError(f"the optimizer or its schedule cannot be made of its settings ({error})") from error
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


def _fast_attention(device: torch.device) -> AbstractContextManager[None]:
    """On a CPU the fused attention's gradient in bfloat16 takes longer than all else of a step: plain products there.

    benchmarks/training_step.py measures it.
    """
    return sdpa_kernel(SDPBackend.MATH) if device.type == "cpu" else nullcontext()


def _sum_and_count(terms: Terms) -> Tensor:
    """Sum of the values that count, and how many do, in float64 on the CPU."""
    values = torch.where(terms.counts, terms.values, 0.0).double().sum()
    return torch.stack((values, terms.counts.double().sum())).cpu()


def _over_processes(errors: dict[tuple[str, str], Tensor]) -> dict[tuple[str, str], Tensor]:
    """The sums over all processes that train together."""
    if not distributed.is_initialized():
        return errors
    parts: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(parts, errors)
    return {key: torch.stack([part[key] for part in parts if key in part]).sum(0) for key in set().union(*parts)}
