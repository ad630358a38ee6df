"""The trials of faults, one try each of those that take a second."""

import random
import signal
import sys
from types import SimpleNamespace

import pytest

from benchmarks import fault_processes, faults
from benchmarks.fault_processes import counted, cut_off, full_disk, no_network, read_only, signalled
from benchmarks.fault_runs import Ended, exporting, whole

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    return whole(exporting(folder), folder)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_signals(export, number):
    draw = random.Random(int(number))
    assert counted("x", 1, lambda: signalled(export, number, draw)) == ("x", 1, 1, 0, "")


def test_disks_folders_and_networks(export, tmp_path):
    draw = random.Random(0)
    for once in (
        lambda: full_disk(export, draw),
        lambda: read_only(export),
        lambda: no_network(tmp_path),
        lambda: cut_off(tmp_path, draw),
    ):
        assert counted("x", 1, once) == ("x", 1, 1, 0, "")


def test_what_is_wrong_is_counted(export, tmp_path, monkeypatch):
    """A command that writes half a file over a finished one, with a traceback."""
    (half,) = export.work.files[:1]

    def spoil(arguments, **fault):
        (export.folder.parent / "out").mkdir(exist_ok=True)
        (export.folder.parent / "out" / half).write_text("half")
        return Ended(1, "Traceback (most recent call last):\nValueError: x")

    monkeypatch.setattr(fault_processes, "run", spoil)
    draw = random.Random(0)
    row = counted("x", 4, lambda: signalled(export, signal.SIGTERM, draw))
    assert (row.tries, row.survived, row.note) == (4, 0, "traceback: ValueError: x")
    assert 0 < row.lost < 4, "lost where an earlier run's files were there"


def test_the_table(monkeypatch, capsys):
    row = fault_processes.Row("a: b", 2, 1, 0, "why")
    monkeypatch.setitem(sys.modules, "benchmarks.fault_there", SimpleNamespace(rows=lambda tries, seed: iter([row])))
    monkeypatch.setattr(faults, "PARTS", {name: f"benchmarks.fault_{name}" for name in ("there", "absent")})
    faults.main(["--only", "there,absent", "--tries", "2"])
    printed = capsys.readouterr()
    assert printed.out.splitlines()[2:] == ["| a: b | 2 | 1 | 0 |"]
    assert printed.err == "a: b: why\nbenchmarks.fault_absent is missing; its faults are left out\n"
