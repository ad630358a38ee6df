from unittest.mock import create_autospec

import pytest
import pytorch_lightning as pl
import torch

from poselift.core.errors import InputError
from poselift.models import SimpleBaseline, SimpleBaselineConfig, load_weights
from poselift.optim.schedules import constant
from poselift.training.averaging import AverageLast, ExponentialAverage, average_weights
from poselift.training.task import LiftingTask
from tests.core.full_disk import full_disk


def test_the_mean_of_each_parameter():
    weights = ([1.0, 2.0], [3.0, 6.0], [5.0, 1.0])
    states = [{"w": torch.tensor(w), "steps": torch.tensor(step)} for step, w in enumerate(weights, 1)]
    mean = average_weights(states)
    assert mean["w"].tolist() == [3.0, 3.0]
    assert mean["w"].dtype == torch.float32
    assert mean["steps"] == 3
    assert average_weights(states, buffers={"w"})["w"].tolist() == [5.0, 1.0]


def test_the_last_ones_are_kept_and_averaged(lifter, tmp_path):
    """Also those that an earlier run left beyond the step are forgotten."""
    task = LiftingTask(lifter, torch.optim.AdamW, constant(), {"position": 1.0}, 0.0, 24)
    callback = AverageLast(tmp_path / "mean.safetensors", tmp_path / "kept", count=3)
    trainer = create_autospec(pl.Trainer, instance=True)
    trainer.global_step, trainer.sanity_checking, trainer.is_global_zero = 99, False, True
    callback.on_validation_end(trainer, task)
    trainer.global_step = 0
    callback.on_train_start(trainer, task)
    assert not list((tmp_path / "kept").iterdir())
    with full_disk(1000), pytest.raises(InputError, match=r"cannot write .*step_00000000\.safetensors"):
        callback.on_validation_end(trainer, task)
    for step in range(1, 6):
        with torch.no_grad():
            task.lifter.head[0].bias.fill_(step)
        trainer.global_step = 10 * step
        callback.on_validation_end(trainer, task)
    assert len(list((tmp_path / "kept").glob("*.safetensors"))) == 3
    assert len(list((tmp_path / "kept").glob("*.json"))) == 3
    with full_disk(1000), pytest.raises(InputError, match=r"cannot write .*mean\.safetensors .*; there is no earlier"):
        callback.on_train_end(trainer, task)
    assert callback.averaged == 0
    callback.on_train_end(trainer, task)
    assert callback.averaged == 3
    mean = load_weights(tmp_path / "mean.safetensors")
    assert mean.lifter.head[0].bias.unique().item() == (3 + 4 + 5) / 3
    assert mean.card["training"]["mean_of_steps"] == [30, 40, 50]
    assert task.lifter.head[0].bias.unique().item() == 5  # the run's own weights stay


def test_batch_norms_keep_the_last_weights(tmp_path):
    lifter = SimpleBaseline(SimpleBaselineConfig(dim=8, depth=1))
    task = LiftingTask(lifter, torch.optim.AdamW, constant(), {"position": 1.0}, 0.0, 24)
    callback = AverageLast(tmp_path / "mean.safetensors", tmp_path / "kept")
    trainer = create_autospec(pl.Trainer, instance=True)
    trainer.sanity_checking, trainer.is_global_zero = False, True
    for step in (1, 2):
        with torch.no_grad():
            lifter.out.bias.fill_(step)
        trainer.global_step = step
        callback.on_validation_end(trainer, task)
    callback.on_train_end(trainer, task)
    mean = load_weights(tmp_path / "mean.safetensors")
    assert (callback.averaged, mean.card["training"]["mean_of_steps"]) == (1, [2])
    assert mean.lifter.out.bias.unique().item() == 2


class Marks(torch.nn.Module):
    """A weight that moves, a table that does not and is not saved, and numbers that are drawn anew."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(3))
        table = torch.rand(1000, generator=torch.Generator().manual_seed(0))
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("drawn", torch.zeros(1000))


def test_the_exponential_average_moves_only_what_moves():
    marks, callback = Marks(), ExponentialAverage(decay=0.9, start=2)
    averaged = torch.optim.swa_utils.AveragedModel(marks, **callback._kwargs, use_buffers=callback._use_buffers)
    expected, count = None, 0
    for step in range(150):
        with torch.no_grad():
            marks.weight.fill_(step)
        marks.drawn = torch.randn(1000)
        assert callback.should_update(step_idx=step)
        averaged.update_parameters(marks)
        if step <= 2:  # A run of no more steps than these has its own weights for an average.
            torch.testing.assert_close(averaged.module.weight, marks.weight)
            expected = float(step)
        else:  # The first steps are averaged over as many as there are.
            count += 1
            decay = min(0.9, (1 + count) / (10 + count))
            expected = decay * expected + (1 - decay) * step
    assert not callback.should_update(epoch_idx=3)
    torch.testing.assert_close(averaged.module.weight, torch.full((3,), expected))
    assert torch.equal(averaged.module.table, marks.table)
    assert torch.equal(averaged.module.drawn, marks.drawn)
