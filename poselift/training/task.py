"""The LightningModule that trains a lifter."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from poselift.core.errors import InputError
from poselift.data.batches import Batch
from poselift.data.module import MotionData
from poselift.data.views import View
from poselift.lifting import LiftOptions, lift
from poselift.lifting.dataset_views import camera_of, keypoints_of
from poselift.metrics import MPJPE, MPJVE, PMPJPE, PairMetric, PerGroup
from poselift.models import Estimate, Lifter, Weights, encode
from poselift.optim.schedules import Schedule
from poselift.skeleton import H36M17, Pelvis
from poselift.training.masking import Masking
from poselift.training.objective import Objective, subtract_first
from poselift.training.resume import close_epoch, first_batch, seed_step

_NETWORK = LiftOptions(flip=False, refine=False, constant_bones=False, every_frame=True)
"""Validation measures the network alone: the steps around it cost time and hardly change the order of checkpoints."""

_MEASURED: dict[str, type[PairMetric]] = {"mpjpe": MPJPE, "p_mpjpe": PMPJPE, "mpjve": MPJVE}
"""The validation errors by their names in the log."""


class LiftingTask(pl.LightningModule):
    """Trains a lifter on windows and validates it on whole views.

    Args:
        lifter: from `poselift.models`.
        optimizer: makes an optimizer from parameter groups.
        schedule: maps the step to a factor of the learning rate.
        loss: the weight of each of `poselift.training.objective.LOSSES`, by name.
        weight_decay: of matrices; biases and norms have none.
        window: frames in a window of validation.
        masking: hides keypoints from the lifter in training.
        seed: of the run; the seed of each step follows from it.
        pelvis: where the pelvis of the training data lies: "spine", "hips" or None (`Weights.pelvis`).

    Attributes:
        measured: indices of the output joints that validation measures.

    Raises:
        InputError: a loss is unknown, or only one of `model.uncertainty` and `loss.uncertainty` is set.
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
                "model.uncertainty=true and a weight for loss.uncertainty go together; set both or neither"
            )
        self.masking = masking or Masking()
        self.window, self.seed, self.pelvis = window, seed, pelvis
        self._optimizer, self._schedule, self._weight_decay = optimizer, schedule, weight_decay
        self._errors: dict[str, PerGroup[PairMetric]] = {}
        # Lifters with more joints are measured on the field's 17 too, so that their errors compare.
        joints = lifter.skeleton_out.joints
        self.measured = lifter.skeleton_out.indices(H36M17.joints if set(H36M17.joints) <= set(joints) else joints)

    @property
    def optimizer_settings(self) -> dict[str, Any]:
        """The optimizer's name and settings as plain data.

        A resumed run has those of its checkpoint.
        """
        kind = getattr(self._optimizer, "func", self._optimizer)
        settings = getattr(self._optimizer, "keywords", {})
        every = {"optimizer": getattr(kind, "__name__", ""), **settings, "weight_decay": self._weight_decay}
        # Without objects, which a checkpoint cannot hold.
        plain: dict[str, Any] = json.loads(json.dumps(every, default=lambda value: type(value).__name__))
        return plain

    def on_train_start(self) -> None:
        """Starts a new epoch after a checkpoint of an epoch's end."""
        loop = self.trainer.fit_loop.epoch_loop
        if loop.batch_progress.current.ready == 0:
            loop.restarting = False

    def on_train_batch_start(self, batch: Batch, batch_idx: int) -> None:
        """Seeds the step by its number.

        A resumed run then draws the same.
        """
        seed_step(self.seed, self.global_rank, self.trainer.fit_loop.total_batch_idx)

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """The weighted sum of the losses of one batch."""
        seen = self.masking.hide(batch)
        encoded = encode(seen.keypoints, seen.scores, seen.times, seen.K, seen.image_size, seen.valid, seen.distortion)
        with _fast_attention(self.device):
            # Autoregressive lifters get the true poses in training (Williams and Zipser 1989) and their own in use.
            estimate = (
                Estimate(self.lifter(encoded, subtract_first(batch.joints, self.lifter.skeleton_out)))
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

    def on_before_backward(self, loss: Tensor) -> None:
        """Ends training whose loss is NaN or infinite.

        The model is not spoilt then.

        Raises:
            InputError: the loss of any process is not finite.
        """
        if not self.trainer.strategy.reduce_boolean_decision(bool(loss.isfinite())):
            raise InputError(self._diverged("loss is not finite"))

    def on_validation_epoch_start(self) -> None:
        """Forgets the errors of the last validation."""
        self._errors = {name: PerGroup() for name in _MEASURED}

    def validation_step(self, view: View, batch_idx: int) -> None:
        """Lifts one view and adds its errors."""
        # A compiled lifter would be compiled anew for most views, because they differ in length.
        with torch.compiler.set_stance("force_eager"):
            weights = Weights("", self.lifter, self.window, pelvis=self.pelvis)
            motion = lift(keypoints_of(view), weights, camera_of(view), _NETWORK)
        predicted = torch.from_numpy(motion.joints)[:, self.measured]
        target = subtract_first(view.joints.cpu(), view.skeleton)[:, self.measured]
        mask = target.isfinite().all(-1)
        for name, metric in _MEASURED.items():
            error = metric()
            error.update(predicted, target, mask)
            self._errors[name].add(view.subject, error)

    def on_validation_epoch_end(self) -> None:
        """Logs the mean over frames and over subjects, mm.

        They are equal in every process.

        Raises:
            InputError: no view has 3D joints to compare with.
        """
        for name, errors in self._errors.items():
            everywhere = errors.gather()
            if not everywhere.means():
                if name == "mpjpe":
                    raise InputError("no validation view has 3D joints that the lifter outputs; choose other data")
                continue  # views of one frame have no velocity
            # Equal in every process; Lightning warns of values that it does not average itself.
            self.log(f"val/{name}", float(everywhere.all().mean()), sync_dist=True)
            self.log(f"val/{name}_subjects", everywhere.mean(), prog_bar=name == "mpjpe", sync_dist=True)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Adds the model's and optimizer's configs, and the run's position.

        They are plain data.

        Raises:
            InputError: a weight is NaN or infinite, so that the checkpoint would replace a good one.
        """
        if not all(bool(parameter.isfinite().all()) for parameter in self.lifter.parameters()):
            raise InputError(self._diverged("weights are not finite"))
        checkpoint["model"] = {
            "name": type(self.lifter).__name__,
            "config": asdict(self.lifter.config),
            "window": self.window,
            "pelvis": self.pelvis,
        }
        checkpoint["optimizer"] = self.optimizer_settings
        close_epoch(checkpoint["loops"]["fit_loop"])

    def _diverged(self, what: str) -> str:
        return (
            f"training diverged: its {what} at step {self.trainer.global_step}. Checkpoints and weights of earlier "
            "steps are kept. Start again with a lower optimizer.lr=; if that does not help, check the data"
        )

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Sets the data to the next batch."""
        data: MotionData = self.trainer.datamodule  # type: ignore[attr-defined]  # not in Lightning's types
        data.training.first = first_batch(checkpoint["loops"]["fit_loop"])

    def configure_optimizers(self) -> Any:
        """The optimizer and its schedule.

        Raises:
            InputError: one of them rejects its settings.
        """
        decayed = [p for p in self.parameters() if p.ndim >= 2]
        plain = [p for p in self.parameters() if p.ndim < 2]
        groups = [{"params": decayed, "weight_decay": self._weight_decay}, {"params": plain, "weight_decay": 0.0}]
        try:
            optimizer = self._optimizer(groups)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, self._schedule)
        except (TypeError, ValueError, IndexError, ArithmeticError) as error:
            raise InputError(
                f"the optimizer or its schedule rejects its settings ({error}); change optimizer.* or schedule.*"
            ) from error
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


def _fast_attention(device: torch.device) -> AbstractContextManager[None]:
    """Plain matrix products for attention on a CPU.

    There the gradient of the fused form in bfloat16 is slow.

    benchmarks/README.md has the times of both.
    """
    return sdpa_kernel(SDPBackend.MATH) if device.type == "cpu" else nullcontext()
