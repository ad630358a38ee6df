"""Gradients and updates of a model of two weights, by hand."""

import json

import pytest
import pytorch_lightning as pl
import torch

from benchmarks.study.dynamics import BINS, Dynamics


class Two(pl.LightningModule):
    """loss = 3 a - 4 b + 0 c: the gradient is (3, -4, 0)."""

    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.tensor([1.0, 2.0, 2.0]))

    def training_step(self, batch, batch_idx):
        return self.weights @ torch.tensor([3.0, -4.0, 0.0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


# Lightning's own warnings: of the loader, and of a deprecated class.
@pytest.mark.filterwarnings("ignore")
def run(path, steps, every=1):
    trainer = pl.Trainer(
        accelerator="cpu",
        max_steps=steps,
        callbacks=[Dynamics(path, every)],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        gradient_clip_val=1.0,
    )
    trainer.fit(Two(), torch.utils.data.DataLoader(range(steps)))
    return json.loads(path.read_text())


@pytest.mark.filterwarnings("ignore")
def test_norms_and_histograms_are_those_of_the_step(tmp_path):
    first, second = run(tmp_path / "dynamics.json", 2)["steps"]
    assert (first["step"], second["step"]) == (0, 1)
    assert first["rate"] == 0.1
    assert first["gradient"] == pytest.approx(5.0), "before it is clipped to 1"
    assert first["update"] == pytest.approx(0.1)
    assert first["relative"] == pytest.approx(0.1 / 3)
    assert first["loss"] == pytest.approx(-5.0)
    assert second["loss"] == pytest.approx(-5.5)
    # A quarter of a power of ten each, from 1e-12: 3 and 4 have one each, and 0.06 and 0.08 share theirs.
    gradients, updates = [0] * BINS, [0] * BINS
    gradients[0] = updates[0] = 1
    gradients[49] = gradients[50] = 1
    updates[43] = 2
    assert first["gradients"] == gradients
    assert first["updates"] == updates


@pytest.mark.filterwarnings("ignore")
def test_only_every_so_many_steps_are_written(tmp_path):
    assert [step["step"] for step in run(tmp_path / "dynamics.json", 5, every=2)["steps"]] == [0, 2, 4]
