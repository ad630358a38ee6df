from dataclasses import replace
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
def make_task(monkeypatch):
    def make():
        torch.manual_seed(0)
        lifter = SpatioTemporalLifter(joint_dim=16, joint_heads=2, frame_dim=64, dim=64, depth=1, heads=4)
        loss = {"position": 1.0, "velocity": 0.05, "scale_free": 0.5, "bone_length": 0.2}
        task = LiftingTask(lifter, partial(torch.optim.AdamW, lr=5e-3), constant(5), loss, 0.02, 24)
        monkeypatch.setattr(task, "log", lambda *arguments, **options: None)  # there is no trainer
        return task

    return make


STEPS = 150


def train(task, shuffled):
    """The mean loss of the last steps; shuffled keypoints belong to other windows."""
    corpus = synthetic_corpus(8, 100, seed=0)
    data = TrainingBatches(
        corpus,
        32,
        STEPS,
        WindowSampler(corpus, 8),
        JointSetSampler({"h36m17": 1.0}),
        CameraRange(),
        DetectorNoise(),
        Augmentation(recombine=0.0, bend=0.0, tilt=0.0),
        seed=0,
    )
    optimizer = task.configure_optimizers()["optimizer"]
    losses = []
    for index, batch in enumerate(data):
        if shuffled:
            batch = replace(batch, keypoints=batch.keypoints.roll(1, 0), scores=batch.scores.roll(1, 0))
        loss = task.training_step(batch, index)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-20:]) / 20


def test_it_learns_from_the_keypoints(make_task):
    """With its own keypoints it gets well below the mean pose, which is all that others' keypoints can teach."""
    assert train(make_task(), shuffled=False) < 0.75 * train(make_task(), shuffled=True)


def test_norms_and_biases_are_not_decayed(make_task):
    task = make_task()
    decayed, plain = task.configure_optimizers()["optimizer"].param_groups
    assert decayed["weight_decay"] == 0.02
    assert plain["weight_decay"] == 0.0
    assert all(p.ndim >= 2 for p in decayed["params"])
    assert sum(len(group["params"]) for group in (decayed, plain)) == len(list(task.parameters()))


def test_unknown_losses_are_named():
    with pytest.raises(ValueError, match="no loss is called nonsense; there are position"):
        LiftingTask(SpatioTemporalLifter(), torch.optim.AdamW, constant(), {"nonsense": 1.0}, 0.0, 24)
