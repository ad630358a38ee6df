import threading
import time

import pytest

from poselift.core.prefetch import prefetch


def test_no_more_wait_than_allowed():
    made = []

    def numbers():
        for number in range(50):
            made.append(number)
            yield number

    items = prefetch(numbers(), 4)
    assert next(items) == 0
    time.sleep(0.2)
    assert len(made) <= 1 + 4 + 1  # one in use, four that wait, one that is made
    items.close()


def test_an_error_comes_in_its_turn():
    def broken():
        yield 1
        raise ValueError("no more")

    items = prefetch(broken(), 4)
    assert next(items) == 1
    with pytest.raises(ValueError, match="no more"):
        next(items)


def test_who_stops_early_leaves_no_thread():
    items = prefetch(iter(range(10**9)), 2)
    next(items)
    items.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("poselift ahead")]
