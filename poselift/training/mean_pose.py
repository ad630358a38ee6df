"""The error of a mean pose, to compare a lifter with."""

import copy
import math

import pytorch_lightning as pl
from jaxtyping import Float
from torch import Tensor

from poselift.data.module import MotionData
from poselift.data.views import View
from poselift.metrics import MPJPE, PerGroup
from poselift.training.objective import subtract_first
from poselift.training.task import LiftingTask

MEAN_POSE = "val/mean_pose_subjects"
"""The name of the logged error."""


class MeanPose(pl.Callback):
    """Logs a training batch's mean pose's error on validation.

    It is the error of a lifter that always predicts this pose.

    The batch does not depend on the seed of the run, so that runs with several seeds stand beside one number.
    It counts joints and subjects as `val/mpjpe_subjects` does, mm. It logs nothing if the training data has no 3D, or
    lacks a joint that is measured.
    """

    def __init__(self) -> None:
        self._pose: Float[Tensor, "k 3"] | None = None
        self._errors: PerGroup[MPJPE] = PerGroup()

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Averages a batch that is the same in every process.

        Also in a resumed run, and with every seed.
        """
        assert isinstance(pl_module, LiftingTask)
        data: MotionData = trainer.datamodule  # type: ignore[attr-defined]  # not in Lightning's types
        first = copy.copy(data.training)
        first.seed = first.epoch = first.rank = 0
        joints = subtract_first(first.make(0).joints, pl_module.lifter.skeleton_out)[:, :, pl_module.measured]
        self._pose = joints.flatten(0, 1).nanmean(0).cpu()

    def on_validation_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Forgets the errors of the last validation."""
        self._errors = PerGroup()

    def on_validation_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: object,
        batch: View,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Adds the errors of one view."""
        assert isinstance(pl_module, LiftingTask)
        if self._pose is not None and bool(self._pose.isfinite().all()):
            target = subtract_first(batch.joints.cpu(), batch.skeleton)[:, pl_module.measured]
            error = MPJPE()
            error.update(self._pose.expand_as(target), target, target.isfinite().all(-1))
            self._errors.add(batch.subject, error)

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Logs the mean over subjects.

        Nothing if a joint of the mean pose is unknown.
        """
        value = self._errors.gather().mean()
        if not math.isnan(value):
            pl_module.log(MEAN_POSE, value, sync_dist=True)
