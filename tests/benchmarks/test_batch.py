import pytest

from benchmarks import batch
from tests.cli.batch.conftest import OneProcess
from tests.cli.running import poselift

pytestmark = pytest.mark.slow
LIFT = ["--lift=--weights=tiny", "--lift=--quality=fast", "--lift=--detector=movenet-fast"]


def run_here(command, check):
    """A command without the seconds that a new process takes to start."""
    name, *arguments = command[len(batch._POSELIFT) :]
    ran = poselift(name, *arguments)
    assert ran.code == 0, ran.err


def test_the_batch_is_timed_beside_a_loop(short_clip, monkeypatch, table):
    monkeypatch.setattr("benchmarks.clips.demo_video", lambda: short_clip)
    monkeypatch.setattr("poselift.cli.batch.batch_command.LocalEngine", OneProcess)
    monkeypatch.setattr("poselift.core.threads._limit", None)  # put back at the end: a worker sets it for good
    monkeypatch.setattr(batch.subprocess, "run", run_here)
    batch.main(["--copies", "1", "--repeats", "1", "--workers", "1", "--device", "cpu", *LIFT])
    rows = table()[1:]
    assert [row[0] for row in rows] == ["a loop of poselift lift", "poselift batch --device cpu --workers 1"]
    assert all(float(row[1]) > 0 and float(row[4]) > 0 for row in rows)
    assert rows[0][4] == "1.00"
