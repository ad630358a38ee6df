from poselift.core import threads


def test_a_limit_of_cores(monkeypatch):
    monkeypatch.setattr(threads, "_limit", 0)
    assert (threads.core_limit(), threads.cores() >= 1) == (0, True)
    threads.limit_cores(3)
    assert (threads.core_limit(), threads.cores()) == (3, 3)
