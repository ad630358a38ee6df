import pytorch_lightning as pl

from poselift.training.callbacks import Progress


def test_the_bar_has_short_names_and_no_version(monkeypatch):
    values = {"v_num": "", "train/loss": 0.1, "val/mpjpe_subjects": 43.5, "lr": 1.0}
    monkeypatch.setattr("pytorch_lightning.callbacks.RichProgressBar.get_metrics", lambda *_: values)
    assert Progress().get_metrics(pl.Trainer(logger=False, barebones=True), pl.LightningModule()) == {
        "loss": 0.1,
        "val mm": 43.5,
        "lr": 1.0,
    }
