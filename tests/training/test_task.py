from functools import partial

import pytest
import torch

from poselift.data.batches import Augmentation, TrainingBatches
from poselift.data.joint_sets import JointSetSampler
from poselift.data.noise import DetectorNoise
from poselift.data.synthetic import synthetic_corpus
from poselift.data.virtual_camera import CameraRange
from poselift.data.windows import WindowSampler
from poselift.models import SpatioTemporalLifter
from poselift.optim.schedules import constant
from poselift.training.task import LiftingTask


@pytest.fixture
def task(monkeypatch):
    torch.manual_seed(0)
    lifter = SpatioTemporalLifter(joint_dim=16, joint_heads=2, frame_dim=64, dim=64, depth=1, heads=4)
    loss = {"position": 1.0, "velocity": 0.05, "scale_free": 0.5, "bone_length": 0.2}
    task = LiftingTask(lifter, partial(torch.optim.AdamW, lr=3e-3), constant(5), loss, 0.02, 24)
    monkeypatch.setattr(task, "log", lambda *arguments, **options: None)  # there is no trainer
    return task


def test_it_learns(task):
    """On stick people who only walk, a few dozen steps halve the loss."""
    corpus = synthetic_corpus(8, 100, seed=0)
    data = TrainingBatches(
        corpus,
        32,
        60,
        WindowSampler(corpus, 16),
        JointSetSampler({"h36m17": 1.0}),
        CameraRange(),
        DetectorNoise(),
        Augmentation(recombine=0.0, bend=0.0, tilt=0.0),
        seed=0,
    )
    optimizer = task.configure_optimizers()["optimizer"]
    losses = []
    for index, batch in enumerate(data):
        loss = task.training_step(batch, index)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert sum(losses[-5:]) < 0.5 * sum(losses[:5])


def test_norms_and_biases_are_not_decayed(task):
    decayed, plain = task.configure_optimizers()["optimizer"].param_groups
    assert decayed["weight_decay"] == 0.02
    assert plain["weight_decay"] == 0.0
    assert all(p.ndim >= 2 for p in decayed["params"])
    assert sum(len(group["params"]) for group in (decayed, plain)) == len(list(task.parameters()))


def test_unknown_losses_are_named():
    with pytest.raises(ValueError, match="no loss is called nonsense; there are position"):
        LiftingTask(SpatioTemporalLifter(), torch.optim.AdamW, constant(), {"nonsense": 1.0}, 0.0, 24)
