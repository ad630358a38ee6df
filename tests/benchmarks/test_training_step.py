import pytest

from benchmarks import training_step
from benchmarks.training_step import WARM_UP, waiting

pytestmark = pytest.mark.slow


def test_waiting_is_the_time_before_a_batch_comes(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(training_step, "perf_counter", lambda: now[0])

    def spend(seconds):
        now[0] += seconds

    def batches():
        for index in range(WARM_UP + 4):
            spend(100.0 if index < WARM_UP else 0.25)  # the first ones are not counted
            yield index

    share, seconds = waiting(lambda batch: spend(0.75), batches())
    assert (share, seconds) == (25.0, 1.0)


def test_both_tables(capsys):
    size = ["joint_dim=8", "frame_dim=16", "dim=16", "heads=2", "depth=1"]
    overrides = ["data=synthetic", "frames=8", "data.batch_size=2", *(f"model.{one}" for one in size)]
    training_step.main([*overrides, "--device", "cpu", "--steps", "1", "--repeats", "1"])
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert rows[:3] == ["a batch is made", "during the step before", "on demand"]
    assert rows[4:] == [f"{one}, {other}" for one in ("fused", "plain") for other in ("float32", "bfloat16")]
