import os
import sys
import threading

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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the priority is that of the whole process")
def test_patient_threads_give_way():
    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = priority()
    assert threads.pool().submit(priority).result() == own
    assert threads.background_pool().submit(priority).result() == max(own, 5)
    assert priority() == own
