"""What all commands of the console script share."""

import argparse
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from poselift.cli import main as module
from poselift.cli import report
from poselift.cli.main import main
from poselift.core.files import atomic_path

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).parents[2] / "tools"
COMMANDS = {
    "calibrate": "calibrate",
    "evaluate": "evaluate",
    "lift_video": "lift",
    "report": "report",
    "study": "study",
    "train": "train",
}
"""The scripts of tools/ that are commands."""


def test_a_command_that_is_terminated_leaves_no_half_of_a_file(tmp_path, monkeypatch):
    def half(options: argparse.Namespace) -> None:
        with atomic_path(tmp_path / "whole.txt") as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(report, "run", half)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stopped:
        main(["report", "run"])
    assert stopped.value.code == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGTERM) is before


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_modules_load_is_no_traceback(number):
    """The import raises what a library makes of an interrupt, if it gets that far."""
    ran = run_python(
        "import os\n"
        "from poselift.cli import main as module\n"
        "def load(name):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    raise ImportError('half loaded')\n"
        "module.importlib.import_module = load\n"
        "module.main(['lift'])"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (128 + number, "", "stopped\n")


def test_ctrl_c_while_python_exits_changes_nothing():
    ran = run_python(
        "import os\n"
        "from poselift.cli.main import main\n"
        "class Late:\n"
        f"    def __del__(self, kill=os.kill, process=os.getpid()): kill(process, {int(signal.SIGINT)})\n"
        "late = Late()\n"
        "main(['--version'])"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_signal_that_the_parent_ignores_stays_ignored(monkeypatch):
    """As a shell sets it for jobs in the background."""
    monkeypatch.setattr(report, "run", lambda options: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        main(["report", "run"])
    finally:
        signal.signal(signal.SIGTERM, before)


def test_help_loads_no_command():
    ran = run_python(
        "import sys\n"
        "from poselift.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "finally:\n"
        "    assert not {'torch', 'numpy', 'rich'} & set(sys.modules)"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("script", COMMANDS)
def test_a_script_of_tools_is_the_command(script, monkeypatch):
    given = []
    monkeypatch.setattr(module, "main", given.append)
    monkeypatch.setattr("sys.argv", [f"{script}.py", "a=1", "--help"])
    runpy.run_path(str(TOOLS / f"{script}.py"), run_name="__main__")
    assert given == [[COMMANDS[script], "a=1", "--help"]]
