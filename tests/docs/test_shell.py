"""No command of the documentation is left out; batch scripts run with what they call replaced."""

import os
import re
import subprocess

import pytest

from tests.docs import test_pages
from tests.docs.commands import PAGES, ROOT, others_of, scripts_of
from tests.docs.test_commands import COMMANDS, chosen

NOT_RUN = {
    r"^(\S+/)?pip (un)?install |^uv pip compile|^pip-audit": "downloads packages, and changes the environment",
    r"^npm install|^curl |^unzip |^cp -r /tmp/web": "downloads; what comes of it is for other programs",
    r"^python3 -m venv|^source .venv|^again in each new terminal": "makes and enters an environment, as .ci/run does",
    r"^pytest": "these tests",
    r"^bash tools/install_mmpose.sh": ".ci/run runs it",
    r"^ffmpeg ": "a program of its own, which makes three hours of video",
    r"^mkdir raw$|^for s in|^do tar|^done": "unpacks a download that needs an account",
    r"^python -m http.server": "Python's own, and does not end",
    r"^\w+=|^export ": "sets a variable, which the commands of the block are read with",
    r"^#!|^#SBATCH|^if |^then |^fi$": "of a batch script, which runs below",
    r"^fewer looks|^your_program|^--offline": "the end of a comment, or the reader's own program",
}
"""Lines of shell blocks that nothing runs, as patterns, and why."""


def test_every_command_runs_or_has_a_reason():
    """All benchmarks have the same reason; test_pages.py sees to it that their tests call them."""
    run = {str(command) for commands in test_pages.RUN.values() for command in commands}
    run |= {str(command) for command in test_pages.MODELS} | {text for text in COMMANDS if chosen(text)}
    assert [text for text in COMMANDS if text not in run and not test_pages.reason(text)] == []


def test_every_other_line_has_a_reason():
    lines = [line for page in PAGES for line in others_of(page)]
    assert [line for line in lines if not any(re.search(pattern, line) for pattern in NOT_RUN)] == []
    assert [pattern for pattern in NOT_RUN if not any(re.search(pattern, line) for line in lines)] == []


@pytest.mark.parametrize(
    ("page", "status", "called"),
    [
        ("batch.md", 0, ["poselift batch /data/videos --out /scratch/lifted --shard 3/8"]),
        ("training.md", 0, ["poselift train trainer=slurm name=large resume=auto"]),
        ("training.md", 143, ["poselift train trainer=slurm name=large resume=auto", "scontrol requeue 1"]),
    ],
)
def test_a_batch_script(page, status, called, tmp_path):
    """The commands that it calls, if the first one ends with this status."""
    (script,) = scripts_of(ROOT / "docs" / page)
    note = f'echo "$(basename $0) $@" >> {tmp_path}/called'
    for name, line in {"poselift": f"{note}; exit {status}", "scontrol": note, "srun": 'exec "$@"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    job = {"SLURM_JOB_ID": "1", "SLURM_ARRAY_TASK_ID": "3", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert subprocess.run(["bash", "-c", script], env=job).returncode == 0
    assert (tmp_path / "called").read_text().splitlines() == called
