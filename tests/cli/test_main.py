"""What all commands of the console script share."""

import argparse
import os
import signal

import pytest

from poselift.cli import report
from poselift.cli.main import main
from poselift.core.files import atomic_path


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
