import pytest

from benchmarks import batch

pytestmark = pytest.mark.slow
LIFT = ["--lift=--weights=tiny", "--lift=--quality=fast", "--lift=--detector=movenet-fast"]


def test_the_batch_is_timed_beside_a_loop(short_clip, monkeypatch, table):
    monkeypatch.setattr(batch, "demo_video", lambda: short_clip)
    batch.main(["--copies", "1", "--repeats", "1", *LIFT])
    rows = table()[1:]
    assert [row[0] for row in rows][:2] == ["a loop of poselift lift", "poselift batch --workers 1"]
    assert all(float(row[1]) > 0 and float(row[3]) > 0 for row in rows)
    assert rows[0][3] == "1.00"
