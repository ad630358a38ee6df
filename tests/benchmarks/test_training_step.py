import pytest

from benchmarks import training_step

pytestmark = pytest.mark.slow


def test_both_tables(capsys):
    size = ["joint_dim=8", "frame_dim=16", "dim=16", "heads=2", "depth=1"]
    overrides = ["data=synthetic", "frames=8", "data.batch_size=2", *(f"model.{one}" for one in size)]
    training_step.main([*overrides, "--device", "cpu", "--steps", "1", "--repeats", "1"])
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert rows[:3] == ["a batch is made", "during the step before", "on demand"]
    assert rows[4:] == [f"{one}, {other}" for one in ("fused", "plain") for other in ("float32", "bfloat16")]
