import multiprocessing
import os

import pytest

from poselift.core.errors import InputError
from poselift.core.locks import hold_lock


def hold_and_die(path):
    with hold_lock(path, ""):
        os._exit(0)


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    path = tmp_path / "lock"
    process = multiprocessing.get_context("fork").Process(target=hold_and_die, args=(path,))
    process.start()
    process.join()
    assert path.exists()
    with hold_lock(path, "busy"), pytest.raises(InputError, match="busy"), hold_lock(path, "busy"):
        pass
    assert not path.exists()
