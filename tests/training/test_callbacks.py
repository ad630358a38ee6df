from types import SimpleNamespace

import pytest
import pytorch_lightning as pl
import torch

from poselift.core import progress_text as progress
from poselift.training.callbacks import Progress, TimeLeft


def test_the_bar_has_short_names_and_no_version(monkeypatch):
    values = {"v_num": "", "train/loss": 0.1, "val/mpjpe_subjects": 43.5, "lr": 1.0}
    monkeypatch.setattr("pytorch_lightning.callbacks.RichProgressBar.get_metrics", lambda *_: values)
    assert Progress().get_metrics(pl.Trainer(logger=False, barebones=True), pl.LightningModule()) == {
        "loss": 0.1,
        "val mm": 43.5,
        "lr": 1.0,
    }


@pytest.mark.parametrize("main", [True, False])
def test_a_run_whose_output_is_redirected_prints_a_line_a_minute(monkeypatch, capsys, main):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    trainer = SimpleNamespace(
        global_step=100,
        max_steps=400,
        accumulate_grad_batches=1,
        is_global_zero=main,
        callback_metrics={"train/loss": torch.tensor(0.5)},
    )
    left = TimeLeft()
    left.on_train_start(trainer, None)
    while trainer.global_step < 200:  # a resumed run, a step a second
        trainer.global_step += 1
        now[0] += 1.0
        left.on_train_batch_end(trainer, None, None, None, 0)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("step")]
    assert lines == ["step 160 of 400, loss 0.5000: 20 % after 60 s, about 4 min left"] * main
