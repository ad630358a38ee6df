from functools import partial
from types import SimpleNamespace

import pytest
import torch

from poselift.data.virtual import SyntheticData
from poselift.optim.schedules import constant
from poselift.training.mean_pose import MEAN_POSE, MeanPose
from poselift.training.task import LiftingTask


def error(lifter, seed):
    """What the callback logs of two made people with the seed of a run."""
    data = SyntheticData(clips=4, clip_frames=40, frames=8, skeletons={"h36m17": 1.0}, batch_size=8, seed=seed)
    data.setup("fit")
    task = LiftingTask(lifter, partial(torch.optim.AdamW, lr=1e-3), constant(), {"position": 1.0}, 0.0, 8, seed=seed)
    logged = {}
    task.log = lambda name, value, **options: logged.update({name: float(value)})
    callback, trainer = MeanPose(), SimpleNamespace(datamodule=data)
    callback.on_train_start(trainer, task)
    callback.on_validation_epoch_start(trainer, task)
    for number, view in enumerate(data.validation_views()[:2]):
        callback.on_validation_batch_end(trainer, task, None, view, number)
    callback.on_validation_epoch_end(trainer, task)
    return logged[MEAN_POSE]


@pytest.mark.slow
def test_the_mean_pose_does_not_depend_on_the_seed_of_the_run(lifter):
    assert 50 < error(lifter, 0) < 500
    assert error(lifter, 0) == error(lifter, 1)
