"""Whenever a writer is killed, readers see all old files or all new ones, and the next run completes them."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no fork and no SIGKILL")
def test_files_change_together_wherever_sigkill_ends_their_writer(tmp_path):
    """An npz was refused without its JSON, and people of a batch were gone, until the next run."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed.py"), tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("published after") == 4
