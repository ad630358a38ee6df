from types import SimpleNamespace

import pytest

from poselift.core import stopwatch
from poselift.core.stopwatch import Stopwatch


@pytest.fixture
def clock(monkeypatch):
    """A clock that only goes on when told."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(stopwatch, "perf_counter", lambda: now.seconds)
    return now


def test_inner_stages_do_not_count_for_outer_ones(clock):
    watch = Stopwatch({"lift": 1.0})

    def read():
        for item in range(3):
            clock.seconds += 2
            yield item

    def detect(items):
        for item in items:
            clock.seconds += 5
            yield item

    found = []
    for item in watch.timed("detect", detect(watch.timed("read", read()))):
        clock.seconds += 50  # nobody's
        with watch.time("lift"):
            clock.seconds += 1
        found.append(item)
    assert found == [0, 1, 2]
    assert watch.seconds == {"lift": 4.0, "read": 6.0, "detect": 15.0}
