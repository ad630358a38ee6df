import os

import pytest

from poselift.core import threads


@pytest.mark.parametrize("affinity", [True, False])  # macOS and Windows have none
def test_a_limit_of_cores(monkeypatch, affinity):
    if not affinity:
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(threads, "_limit", 0)
    assert (threads.core_limit(), threads.cores() >= 1) == (0, True)
    threads.limit_cores(3)
    assert (threads.core_limit(), threads.cores()) == (3, 3)
