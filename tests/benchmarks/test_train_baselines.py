"""Budgets, and resuming; no lifter is trained."""

import importlib.util

import pytest
from hydra.utils import instantiate

from benchmarks import train_baselines
from benchmarks.command import composed
from benchmarks.train_baselines import ROWS, own_overrides
from poselift.models import Lifter, build_model

pytestmark = pytest.mark.slow

COMMON = ["data=synthetic", "frames=48", "data.batch_size=96"]
MMPOSE = importlib.util.find_spec("mmpose") is not None


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_a_lifter_that_sees_as_many_frames_in_a_step(name):
    row = ROWS[name]
    config = composed("train", [*COMMON, *own_overrides(row, COMMON)])
    assert config.frames == (row.frames or 48)
    # To the nearest whole window.
    assert config.frames * config.data.batch_size == pytest.approx(48 * 96, abs=config.frames / 2)
    if MMPOSE or not row.of_mmpose:
        assert isinstance(build_model(instantiate(config.model, _convert_="all")), Lifter)


class Trainings:
    """Replaces `tools/train.py`: records its calls."""

    def __init__(self):
        self.calls = []

    def __call__(self, overrides):
        given = composed("train", [override for override in overrides if not override.startswith("hydra.")])
        self.calls.append((given.name, given.seed, given.steps, given.resume))
        return True


@pytest.fixture
def trainings(monkeypatch):
    trainings = Trainings()
    monkeypatch.setattr(train_baselines, "_run", trainings)
    return trainings


@pytest.fixture
def train(tmp_path):
    return lambda *arguments: train_baselines.main([*COMMON, *arguments, "--out", str(tmp_path / "a folder")])


def test_rows_and_seeds_are_trained_once(train, trainings, capsys):
    train("--steps", "20", "--rows", "lstm", "simple_baseline", "--seed", "0", "4")
    expected = [(name, seed, 20, "auto") for name in ("lstm", "simple_baseline") for seed in (0, 4)]
    assert trainings.calls == expected
    train("--steps", "20", "--rows", "lstm", "simple_baseline", "--seed", "0", "4", "5")
    assert trainings.calls[4:] == [("lstm", 5, 20, "auto"), ("simple_baseline", 5, 20, "auto")]
    with pytest.raises(SystemExit, match=r"not trained: lstm, seed 0$"):
        train("--steps", "40", "--rows", "lstm")
    assert "has a run with other overrides" in capsys.readouterr().err
