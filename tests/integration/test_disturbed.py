"""A command that a signal, a full disk or a read-only folder ends leaves whole files; the next run completes it."""

import importlib
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from poselift.recordings import write_motion
from tests.kinematics.conftest import pose, turn

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("disturbed")]

FILES = {f"person_1.{ending}" for ending in ("trc", "mot", "bvh", "angles.csv", "csv")}


def contents(out):
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Exports into a folder in a process of its own; gives its exit code and what it printed."""
    folder = tmp_path_factory.mktemp("motion")
    walk = pose({"left_knee": turn("x", np.linspace(0, 90, 300))}, 300)
    write_motion(folder / "person_1.npz", walk)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["exporting", "poselift.cli.export"])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        export = importlib.import_module("exporting").export

        def start(out, send=None, **fault):
            begun = context.Event()
            given = (begun, str(folder / "person_1.npz"), str(out), str(folder / "log"))
            process = context.Process(target=export, args=given, kwargs=fault, daemon=True)
            process.start()
            begun.wait(120)
            if send:
                process.join(send[0])
                if process.is_alive():
                    os.kill(process.pid, send[1])
            process.join(120)
            return process.exitcode, (folder / "log").read_text(errors="replace")

        yield start


@pytest.fixture(scope="module")
def whole(run, tmp_path_factory):
    """The files of a run that nothing disturbs, and the seconds that it takes."""
    out = tmp_path_factory.mktemp("whole")
    assert run(out)[0] == 0
    begun = time.monotonic()
    assert run(out)[0] == 0
    seconds = time.monotonic() - begun
    assert contents(out).keys() == FILES
    return contents(out), seconds


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal(run, whole, number, tmp_path):
    """At random moments, into an empty folder first, then over the files of an earlier run."""
    files, seconds = whole
    draw = random.Random(int(number))
    for _ in range(3):
        before = contents(tmp_path)
        code, said = run(tmp_path, send=(draw.uniform(0, seconds), number))
        assert code in (0, -number if number == signal.SIGKILL else 128 + number), said
        assert "Traceback" not in said
        left = {name: content for name, content in contents(tmp_path).items() if not name.startswith(".")}
        assert left.items() <= files.items()
        assert left.keys() >= before.keys()
        assert run(tmp_path)[0] == 0
        assert contents(tmp_path) == files


def test_a_full_disk(run, whole, tmp_path):
    code, said = run(tmp_path, room=len(whole[0]["person_1.trc"]) // 2)
    assert code == 2, said
    assert str(tmp_path) in said
    assert contents(tmp_path).items() <= whole[0].items()


def test_a_read_only_folder(run, whole, tmp_path):
    out = tmp_path / "out"
    out.mkdir(mode=0o555)
    code, said = run(out, powerless=True)
    assert code == 2, said
    assert str(out) in said
    assert contents(out) == {}
