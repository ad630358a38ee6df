import importlib
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from poselift.core import isolated_reader
from poselift.core.isolated_reader import read_isolated

MOST = 1 << 20


@pytest.fixture(scope="module")
def r():
    """The readers, as a module that the other process finds too."""
    isolated_reader._end()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parent)
        yield importlib.import_module("isolated_readers")
    isolated_reader._end()


@pytest.fixture
def path(tmp_path):
    (tmp_path / "fi\udcfflé").write_bytes(b"x")
    return tmp_path / "fi\udcfflé"


def test_values_come_as_they_were(r, path):
    found = read_isolated(r.values, path, MOST, 3, 100_000)
    np.testing.assert_array_equal(found["cells"][0, 0], [[0, 3], [1, 4], [2, 5]])
    assert found["cells"][1, 0].tolist() == ["left", "right_hip"]
    assert found["empty"].shape == (0, 3)
    assert found["big"].dtype == np.dtype(">i2")
    assert (found["big"] == np.ones((3, 100_000))).all()
    assert found["list"] == [1, None, ["a", 2.5]]


def test_a_crash_is_an_error_and_the_next_file_is_read(r, path):
    with pytest.raises(ValueError, match=r"^it crashes its reader \(Segmentation fault\)$"):
        read_isolated(r.crash, path, MOST)
    assert read_isolated(r.pid, path, MOST) != os.getpid()


def test_one_process_reads_all_files(r, path):
    assert read_isolated(r.pid, path, MOST) == read_isolated(r.pid, path, MOST)
    with ThreadPoolExecutor(4) as pool:
        assert len({call.result() for call in [pool.submit(read_isolated, r.pid, path, MOST) for _ in range(8)]}) == 1


@pytest.mark.slow
def test_what_does_not_end_is_ended(r, path, monkeypatch):
    read_isolated(r.pid, path, MOST)
    monkeypatch.setattr(isolated_reader, "_PATIENCE", 0.5)
    with pytest.raises(ValueError, match=r"^it is not read within \d s$"):
        read_isolated(r.loop, path, MOST)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound a process")
def test_memory_is_bounded(r, path):
    assert read_isolated(r.allocate, path, MOST, MOST) == MOST
    with pytest.raises(ValueError, match="more memory than there is"):
        read_isolated(r.allocate, path, MOST, 4 << 30)


def test_errors_are_told(r, path):
    with pytest.raises(ValueError, match="no such thing in fi"):
        read_isolated(r.fail, path, MOST)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("object", "a object, which is neither"),
        ("much", r"\[1000000\] of float64, more than"),
        ("U", "characters that do not exist"),
    ],
)
def test_what_does_not_pass(r, path, what, message):
    with pytest.raises(ValueError, match=message):
        read_isolated(r.return_something, path, MOST, what)
    assert read_isolated(r.pid, path, MOST) > 0, "nothing of it is left in the pipe"


@pytest.mark.slow
def test_ctrl_c_leaves_no_answer_behind(r, path):
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        read_isolated(r.loop, path, MOST)
    assert read_isolated(r.pid, path, MOST) > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_has_a_process_of_its_own(r, path):
    ours = read_isolated(r.pid, path, MOST)
    child = os.fork()
    if not child:
        os._exit(int(read_isolated(r.pid, path, MOST) == ours))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert read_isolated(r.pid, path, MOST) == ours


def test_the_process_ends_with_the_command(r, path):
    program = (
        f"import os, pathlib, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from isolated_readers import pid; from poselift.core.isolated_reader import read_isolated\n"
        f"print(read_isolated(pid, pathlib.Path({str(path.parent)!r}), 1000))"
    )
    ran = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)
