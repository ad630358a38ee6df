"""Budgets, and resuming; no lifter is trained."""

import importlib.util
import json
from pathlib import Path

import pytest
from hydra.utils import instantiate

from benchmarks import train_baselines
from benchmarks.command import composed
from benchmarks.pace import Pace
from benchmarks.train_baselines import ROWS, budget_overrides, own_overrides
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


@pytest.mark.parametrize(("steps", "expected"), [(5000, (5000, 1250)), (25, (24, 6)), (3, (3, 1))])
def test_the_last_validation_is_at_the_end(steps, expected):
    config = composed("train", [*COMMON, *budget_overrides(steps)])
    assert (config.steps, config.data.batches) == expected
    assert config.steps % config.data.batches == 0


class Trainings:
    """Replaces `tools/train.py`: records its calls, and writes a pace of 0.5 s a step."""

    def __init__(self):
        self.calls, self.failing = [], set()

    def __call__(self, overrides):
        given = composed("train", [override for override in overrides if not override.startswith("hydra.")])
        if "pace" in given.callbacks:
            self.calls.append("pace")
            pace = instantiate(given.callbacks.pace)
            pace.path.parent.mkdir(parents=True, exist_ok=True)
            pace.path.write_text('{"seconds_a_step": 0.5}')
            return True
        self.calls.append((given.name, given.seed, given.steps, given.resume))
        return given.name not in self.failing


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


def test_after_a_failed_row_the_others_go_on_and_it_is_tried_again(train, trainings):
    trainings.failing = {"lstm"}
    with pytest.raises(SystemExit, match=r"not trained: lstm, seed 0$"):
        train("--steps", "20", "--rows", "lstm", "simple_baseline")
    assert [call[0] for call in trainings.calls] == ["lstm", "simple_baseline"]
    trainings.failing = set()
    train("--steps", "20", "--rows", "lstm", "simple_baseline")
    assert [call[0] for call in trainings.calls[2:]] == ["lstm"]


def test_seconds_become_steps_by_a_pace_that_is_measured_once(train, trainings):
    train("--seconds", "100", "--rows", "lstm", "--seed", "0", "1")
    train("--seconds", "100", "--rows", "lstm", "--seed", "2")
    assert trainings.calls == ["pace", *(("lstm", seed, 200, "auto") for seed in (0, 1, 2))]


def test_a_row_of_the_users_own(train, trainings):
    train("--steps", "20", "--rows", "lstm", "--also", "wide model=lstm model.dim=32")
    assert [call[0] for call in trainings.calls] == ["lstm", "wide"]


@pytest.mark.skipif(MMPOSE, reason="mmpose is installed")
def test_without_mmpose_its_rows_are_left_out_with_a_message(train, trainings, capsys):
    train("--steps", "20", "--rows", "mmpose_motionbert", "lstm")
    assert [call[0] for call in trainings.calls] == ["lstm"]
    assert "mmpose_motionbert: left out" in capsys.readouterr().out


def test_the_pace_is_the_mean_of_all_steps_but_the_first_two(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("benchmarks.pace.time.perf_counter", lambda: now[0])
    trainer, pace = type("Trainer", (), {"should_stop": False})(), Pace(tmp_path / "pace.json", seconds=5.0)
    for duration in (60.0, 20.0, 1.0, 2.0, 2.0):
        now[0] += duration
        assert not trainer.should_stop
        pace.on_train_batch_end(trainer, None, None, None, 0)
    assert trainer.should_stop
    pace.on_train_end(trainer, None)
    assert json.loads(Path(tmp_path / "pace.json").read_text()) == {"seconds_a_step": 5 / 3}
